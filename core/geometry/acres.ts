import { area } from '@turf/area'
import type { MultiPolygon, Polygon } from 'geojson'

/** International acre (NIST Special Publication 811, appendix B.8). */
export const SQ_M_PER_ACRE = 4_046.8564224

/** The area of a shape on the surface of a sphere with the mean radius of the earth, in acres. */
export const acresOf = (shape: Polygon | MultiPolygon): number => area(shape) / SQ_M_PER_ACRE
