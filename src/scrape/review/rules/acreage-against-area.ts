import { acresOf } from '../../../../core/geometry/acres'
import { hasNoLand } from '../has-no-land'
import type { Rule } from '../rule'

/** Acreage is published in hundredths: on a small lot, rounding alone is more than a tenth. */
const ROUNDING_ACRES = 0.01

/** Acreage and the polygon's geodesic area differ by more than 10% of the acreage. */
export const acreageAgainstArea: Rule = {
  name: 'acreage-against-area',
  category: 'geometry',
  suggestedAction: 'Compare with the deed or survey: a part may be missing from the map, or the acreage out of date.',
  check: ({ parcel }) => {
    const { acreage, geom, landUseClass } = parcel
    // 0 means "not recorded"; the acreage of a condominium unit is its share of the common land.
    if (acreage === null || acreage <= 0 || geom === null || hasNoLand(landUseClass)) return []
    const areaAcres = acresOf(geom)
    const difference = Math.abs(areaAcres - acreage)
    if (difference <= acreage * 0.1 || difference <= ROUNDING_ACRES) return []
    return [
      {
        severity: difference > acreage * 0.5 ? 'medium' : 'low',
        evidence: {
          acreage,
          polygon_acres: Number(areaAcres.toPrecision(4)),
          difference_pct: Math.round((areaAcres / acreage - 1) * 1_000) / 10,
        },
      },
    ]
  },
}
