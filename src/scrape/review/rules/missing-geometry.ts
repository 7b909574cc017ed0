import { hasNoLand } from '../has-no-land'
import type { Rule } from '../rule'

/** The parcel has no boundary, so no map and no box query shows it. */
export const missingGeometry: Rule = {
  name: 'missing-geometry',
  category: 'geometry',
  suggestedAction: "Load the boundary from the county's parcel layer; a split or a merge may not be drawn yet.",
  check: ({ parcel }) =>
    parcel.geom !== null || hasNoLand(parcel.landUseClass)
      ? []
      : [{ severity: 'low', evidence: { geom_geojson: null, land_use_class: parcel.landUseClass } }],
}
