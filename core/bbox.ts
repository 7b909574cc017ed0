import bbox from '@turf/bbox'
import type { Geometry } from 'geojson'

/** [west, south, east, north] in degrees, EPSG:4326. */
export type Bbox = [west: number, south: number, east: number, north: number]

export const bboxOf = (geometry: Geometry): Bbox => bbox(geometry, { recompute: true }) as Bbox
