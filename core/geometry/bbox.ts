import bbox from '@turf/bbox'
import type { Geometry } from 'geojson'

/** [west, south, east, north] in degrees, EPSG:4326. */
export type Bbox = [west: number, south: number, east: number, north: number]

/** What is wrong with the degrees of a box. Null: nothing. West may be greater than east. */
export const findBboxProblem = ([west, south, east, north]: Bbox): string | null => {
  if (Math.abs(west) > 180 || Math.abs(east) > 180) return 'west and east must be from -180 to 180'
  if (Math.abs(south) > 90 || Math.abs(north) > 90) return 'south and north must be from -90 to 90'
  return south > north ? 'south must not be greater than north' : null
}

export const bboxOf = (geometry: Geometry): Bbox => bbox(geometry, { recompute: true }) as Bbox

/** The smallest box around two boxes. */
export const uniteBoxes = (one: Bbox, other: Bbox): Bbox => [
  Math.min(one[0], other[0]),
  Math.min(one[1], other[1]),
  Math.max(one[2], other[2]),
  Math.max(one[3], other[3]),
]

/** Whether two boxes overlap or touch. */
export const boxesMeet = (one: Bbox, other: Bbox): boolean =>
  one[0] <= other[2] && other[0] <= one[2] && one[1] <= other[3] && other[1] <= one[3]

/** The area that two boxes share, as a part of the area of both together: 0 if they do not overlap, 1 if they are equal. */
export const overlapOf = (one: Bbox, other: Bbox): number => {
  const width = Math.min(one[2], other[2]) - Math.max(one[0], other[0])
  const height = Math.min(one[3], other[3]) - Math.max(one[1], other[1])
  const shared = Math.max(width, 0) * Math.max(height, 0)
  return shared === 0 ? 0 : shared / (areaOf(one) + areaOf(other) - shared)
}

const areaOf = ([west, south, east, north]: Bbox): number => (east - west) * (north - south)

/** A box with west > east crosses the antimeridian and is split in two. */
export const splitAtAntimeridian = ([west, south, east, north]: Bbox): Bbox[] =>
  west <= east
    ? [[west, south, east, north]]
    : [
        [west, south, 180, north],
        [-180, south, east, north],
      ]

/** How large boxes are together, in square degrees. */
export const squareDegrees = (boxes: readonly Bbox[]): number => boxes.reduce((sum, box) => sum + areaOf(box), 0)
