import { RowFault } from './source-row'

/** Throws RowFault if `crs` names a reference system of other coordinates. */
export type CheckCrs = (crs: unknown) => void

/** WGS 84 and NAD 83, which differ by less than 2 m in the United States. */
const LON_LAT = /(?:^|[^A-Z0-9])(?:CRS:?8[34]h?|4326|4269|4979)$/i

/**
 * Checks a `crs` member of the first GeoJSON specification (2008, section 3), which many programs still write. RFC 7946 allows only
 * longitude and latitude. A `crs` without a name says nothing and is accepted.
 *
 * @throws RowFault
 */
export const expectLonLat: CheckCrs = (crs) => {
  const name = nameOf(crs)
  if (name === null || LON_LAT.test(name.trim())) return
  throw new RowFault(
    `the file says that its coordinates are ${name.slice(0, 200)}: is that right? They must be longitude and latitude (EPSG:4326). Convert the file (ogr2ogr -t_srs EPSG:4326 NEW.geojson FILE), or add --ignore-crs if they are longitude and latitude`,
  )
}

const nameOf = (crs: unknown): string | null => {
  if (typeof crs === 'string') return crs
  if (typeof crs !== 'object' || crs === null) return null
  const { properties } = crs as { properties?: { name?: unknown; code?: unknown; href?: unknown } | null }
  if (typeof properties?.name === 'string') return properties.name
  if (properties?.code !== undefined) return `EPSG:${properties.code}`
  return typeof properties?.href === 'string' ? properties.href : null
}
