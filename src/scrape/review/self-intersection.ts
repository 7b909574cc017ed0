import { findCrossing } from '../../../core/geometry/ring-meetings'
import type { Observation, Rule } from './rule'

/** A ring of the boundary crosses itself. One that only touches itself, as where two lots meet in a corner, is drawn well. */
export const selfIntersection: Rule = {
  name: 'self-intersection',
  category: 'geometry',
  suggestedAction: 'Draw the boundary anew at this place; area and tiles are not to be relied on until then.',
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
