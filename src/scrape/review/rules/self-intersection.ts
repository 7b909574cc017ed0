import { findCrossing } from '../../../../core/geometry/ring-meetings'
import type { Observation, Rule } from '../rule'

/** A ring of the boundary crosses itself. A ring that only touches itself, for example where two lots meet in a corner, is valid. */
export const selfIntersection: Rule = {
  name: 'self-intersection',
  category: 'geometry',
  suggestedAction: 'Redraw the boundary at this place. Until then, do not rely on area and tiles.',
  check: ({ parcel }) =>
    (parcel.geom?.coordinates ?? []).flatMap((rings, polygon) =>
      rings.flatMap((ring, index): Observation[] => {
        const crossing = findCrossing(ring)
        if (crossing === null) return []
        const [lon, lat] = crossing.at
        return [{ subject: `${polygon}/${index}`, severity: 'medium', evidence: { polygon, ring: index, lon, lat } }]
      }),
    ),
}
