import bbox from '@turf/bbox'
import type { Geometry } from 'geojson'

/** [west, south, east, north] in degrees, EPSG:4326. */
export type Bbox = [west: number, south: number, east: number, north: number]

export const bboxOf = (geometry: Geometry): Bbox => bbox(geometry, { recompute: true }) as Bbox

/** A box with west > east crosses the antimeridian and is split in two. */
export const splitAtAntimeridian = ([west, south, east, north]: Bbox): Bbox[] =>
  west <= east
    ? [[west, south, east, north]]
    : [
        [west, south, 180, north],
        [-180, south, east, north],
      ]
