import { wktToGeoJSON } from 'betterknown'
import { ServiceError } from '../../../core/service-error'
import { findPointColumns, type PointColumns } from '../fields/point-columns'
import { parseJson } from '../rows/parse-json'
import { RowFault } from '../rows/source-row'

/** How many rows are searched for a column with boundaries. */
const ROWS_TO_SEARCH = 1_000

const WKT = /^\s*(?:SRID=\d+;\s*)?(?:MULTI)?POLYGON\b/i
const WKT_POINT = /^\s*(?:SRID=\d+;\s*)?POINT\b/i
/** An empty geometry, as databases and GDAL write it. */
const WKT_EMPTY = /^(?:SRID=\d+;\s*)?[A-Z]+(?: (?:Z|M|ZM))? EMPTY$/i
const GEOJSON = /^\s*\{\s*"/
/** A polygon in GeoJSON. Its type can be before or after its coordinates. */
const GEOJSON_POLYGON = /^\s*\{(?=[^{}]*"coordinates"\s*:)[^{}]*"type"\s*:\s*"(?:Multi)?Polygon"/
/**
 * The beginning of a polygon, a multipolygon or a collection (WKB type 3, 6 or 7, with or without SRID), as most databases export it. The
 * shortest has 154 digits. Parcel ids such as 010600000012000034 begin like one.
 */
const WKB = /^(?:01(?:03|06|07)0000[02]0|00[02]000000(?:3|6|7))[0-9A-F]{100}/i

/**
 * The column with the boundaries of a file whose rows have no geometry of their own, such as a CSV or lines of plain JSON objects. They
 * are WKT or GeoJSON. If no column is named, it is the one column with polygons, or else the one with points.
 */
export class BoundaryColumn {
  #name: string | null
  /** How many more rows are searched for a column with polygons. */
  #rowsToSearch: number
  /** Columns with longitudes and latitudes. */
  #points: PointColumns | null = null

  constructor(name: string | null) {
    this.#name = name
    this.#rowsToSearch = name === null ? ROWS_TO_SEARCH : 0
  }

  /** GeoJSON, not yet checked; null: the row has none. @throws RowFault; ServiceError `bad_input` if several columns could be it */
  read(properties: Record<string, unknown>): unknown {
    if (this.#rowsToSearch > 0) this.#search(properties)
    return this.#name === null ? null : parseBoundary(properties[this.#name], this.#name)
  }

  #search(properties: Record<string, unknown>): void {
    const { polygons, points } = findColumns(properties)
    // The search goes on after a point: the first rows may have a center, and no polygon yet.
    this.#rowsToSearch = polygons === null ? this.#rowsToSearch - 1 : 0
    this.#name = polygons ?? this.#name ?? points
    this.#points ??= findPointColumns(properties)
  }

  warnings(): string[] {
    if (this.#name !== null || this.#points === null) return []
    const [lon, lat] = this.#points
    if (lon === 'lon' && lat === 'lat') return []
    return [`${lon} and ${lat} look like points of the parcels. To load them, add --map 'lon="${lon}", lat="${lat}"'`]
  }
}

/** The column with a polygon in this row, and the only one with a point. Null: there is none. */
const findColumns = (properties: Record<string, unknown>): { polygons: string | null; points: string | null } => {
  const polygons: string[] = []
  const points: string[] = []
  for (const name in properties) {
    const value = properties[name]
    if (typeof value === 'object' && value !== null) {
      const { type, coordinates } = value as { type?: unknown; coordinates?: unknown }
      if (!Array.isArray(coordinates)) continue
      if (type === 'Polygon' || type === 'MultiPolygon') polygons.push(name)
      else if (type === 'Point') points.push(name)
    }
    if (typeof value !== 'string') continue
    if (WKT.test(value) || GEOJSON_POLYGON.test(value)) polygons.push(name)
    else if (WKT_POINT.test(value)) points.push(name)
    else if (WKB.test(value)) throw new ServiceError('bad_input', describeWkb(name))
  }
  if (polygons.length > 1) {
    throw new ServiceError(
      'bad_input',
      `${polygons.join(' and ')} both have boundaries: which one is the parcel's? Name it with --boundary COLUMN`,
    )
  }
  const [polygon = null] = polygons
  const [point = null, ...others] = points
  return { polygons: polygon, points: others.length === 0 ? point : null }
}

const describeWkb = (name: string): string => `the boundaries in ${name} are WKB: export them as WKT or GeoJSON`

const parseBoundary = (value: unknown, name: string): unknown => {
  if (typeof value === 'object') return value
  const text = String(value ?? '').trim()
  if (text === '' || WKT_EMPTY.test(text)) return null
  if (WKB.test(text)) throw new RowFault(describeWkb(name))
  try {
    const geometry = GEOJSON.test(text) ? parseJson(text) : wktToGeoJSON(text)
    if (geometry != null) return geometry
  } catch (error) {
    if (error instanceof RowFault) throw error
    throw new RowFault(`${name} is not a boundary in WKT or GeoJSON: ${error instanceof Error ? error.message : error}`)
  }
  throw new RowFault(`${name} is not a boundary in WKT or GeoJSON`)
}
