import simplify from '@turf/simplify'
import type { MultiPolygon } from 'geojson'

/** About two meters. */
const TOLERANCE_DEG = 0.00002
/** About ten centimeters. */
const DECIMALS = 6

/** A boundary with fewer corners (Douglas-Peucker) and digits, as GeoJSON text. Every ring keeps at least a triangle. Neighbors may overlap by the tolerance. */
export const simplifyBoundary = (geom: string): string => {
  const simple = simplify(JSON.parse(geom) as MultiPolygon, { tolerance: TOLERANCE_DEG, mutate: true })
  return JSON.stringify(simple, (_, value: unknown) =>
    typeof value === 'number' ? Number(value.toFixed(DECIMALS)) : value,
  )
}
