import { acresOf } from '../../../../../core/geometry/acres'
import type { MultiPolygon } from '../map/map-parcel'

interface Sized {
  acreage: number | null
  geom_geojson: unknown
}

/** The recorded acres of a parcel. If none are recorded, those within its boundary on the map, with a label that says so. */
export const sizeOfLand = ({ acreage, geom_geojson }: Sized): { label: string; acres: number | null } =>
  acreage !== null || geom_geojson === null
    ? { label: 'Acres', acres: acreage }
    : { label: 'Acres on the map', acres: acresOf(geom_geojson as MultiPolygon) }
