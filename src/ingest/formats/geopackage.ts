import { Database, SQLiteError } from 'bun:sqlite'
import { ROW_GROUP } from '../../../core/bounds'
import type { Bbox } from '../../../core/geometry/bbox'
import type { DeclaredCrs } from '../coordinates/coordinates'
import type { ReadRow } from '../rows/source-row'
import { UnreadableFile } from '../rows/unreadable-file'
import { chooseLayer } from './choose-layer'
import type { Format, Input } from './format'
import { parseWkb } from './wkb'

/** The tables that describe layers. */
const METADATA = ['gpkg_contents', 'gpkg_geometry_columns', 'gpkg_spatial_ref_sys']
/**
 * The tables that describe layers of a hostile file have the same row many times, and SQLite cannot be interrupted while it joins them. So
 * the query has no order, and ends at the first row too many.
 */
const MAX_LAYERS = 1_000
/** Triggers that GeoPackage (OGC 12-128r17) and GDAL define, by the beginnings of their names. */
const KNOWN_TRIGGERS = /^(?:rtree_|gpkg_|trigger_(?:insert|delete|update)_feature_count_|ogr_)/i

/**
 * The file is opened so that it cannot run code: read-only, without unsafe functions in its schema, stored columns of tables only. A view
 * or a computed column could take any time and memory, and nothing can interrupt SQLite.
 */
export const geopackage: Format = {
  unit: 'feature',
  hasLayers: true,
  isFormat: (_, text) => text.startsWith('SQLite format 3\0'),
  async *read(input, { layer, onHeader, onCrs }) {
    const path = await input.path()
    const database = openReadOnly(path, input)
    try {
      const table = findTable(database, input, layer)
      onCrs(table.crs)
      // Without computed columns.
      const columns = database
        .query<{ name: string }, [string]>('select name from pragma_table_info(?)')
        .all(table.name)
        .map(({ name }) => name)
      if (!columns.includes(table.geometry)) {
        throw new UnreadableFile(
          `${input.name}: the layer "${table.name}" has no column "${table.geometry}" with its boundaries`,
        )
      }
      onHeader(columns.filter((name) => name !== table.geometry))
      const rows = database
        .query<Record<string, unknown>, []>(`select ${columns.map(quote).join(', ')} from ${quote(table.name)}`)
        .iterate()
      let number = 0
      let group: ReadRow[] = []
      let bytes = 0
      for (const row of rows) {
        const { [table.geometry]: geometry, ...properties } = row
        group.push({ line: ++number, properties: toJson(properties), geometry: toGeometry(geometry) })
        bytes += sizeOf(row)
        if (group.length < ROW_GROUP.rows && bytes < ROW_GROUP.bytes) continue
        yield group
        group = []
        bytes = 0
      }
      yield group
    } catch (error) {
      throw error instanceof SQLiteError
        ? new UnreadableFile(`${input.name} is a damaged GeoPackage: ${error.message}`, { cause: error })
        : error
    } finally {
      database.close()
    }
  },
}

const openReadOnly = (path: string, input: Input): Database => {
  const database = new Database(path, { readonly: true, safeIntegers: true })
  try {
    // https://www.sqlite.org/security.html
    for (const pragma of ['trusted_schema = off', 'query_only = on', 'cell_size_check = on', 'mmap_size = 0']) {
      database.run(`pragma ${pragma}`)
    }
    const trigger = database
      .query<{ name: string }, []>("select name from sqlite_schema where type = 'trigger'")
      .all()
      .find(({ name }) => !KNOWN_TRIGGERS.test(name))
    if (trigger === undefined) return database
    throw new UnreadableFile(
      `${input.name} has the trigger "${trigger.name}", which is not part of a GeoPackage: programs in data are not accepted. Copy its layer: ogr2ogr NEW.gpkg ${input.name}`,
    )
  } catch (error) {
    database.close()
    throw error instanceof SQLiteError
      ? new UnreadableFile(`${input.name} is a damaged GeoPackage: ${error.message}`, { cause: error })
      : error
  }
}

interface Table {
  name: string
  geometry: string
  crs: DeclaredCrs
}

const findTable = (database: Database, input: Input, layer: string | null): Table => {
  // Without views and virtual tables, whatever their statements in the schema look like.
  const tables = database
    .query<{ name: string }, []>("select name from pragma_table_list where schema = 'main' and type = 'table'")
    .all()
  for (const needed of METADATA) {
    if (!tables.some(({ name }) => name === needed)) {
      throw new UnreadableFile(`${input.name} is an SQLite database, but not a GeoPackage: it has no table ${needed}`)
    }
    const computed = database.query('select 1 from pragma_table_xinfo(?) where hidden > 1').get(needed)
    if (computed !== null) throw new UnreadableFile(`${input.name} has computed columns in ${needed}`)
  }
  const layers = database
    .query<
      Record<'name' | 'geometry' | 'organization' | 'definition', string> & { srs: bigint; code: bigint } & Record<
          'west' | 'south' | 'east' | 'north',
          number | null
        >,
      []
    >(`
      select c.table_name as name, g.column_name as geometry, g.srs_id as srs, s.organization, s.organization_coordsys_id as code, s.definition,
             c.min_x as west, c.min_y as south, c.max_x as east, c.max_y as north
      from gpkg_contents c
      join gpkg_geometry_columns g on g.table_name = c.table_name
      left join gpkg_spatial_ref_sys s on s.srs_id = g.srs_id
      where c.data_type = 'features' limit ${MAX_LAYERS + 1}`)
    .all()
  if (layers.length > MAX_LAYERS) throw new UnreadableFile(`${input.name} has more than ${MAX_LAYERS} layers`)
  layers.sort((one, other) => (one.name < other.name ? -1 : 1))
  const stored = new Set(tables.map(({ name }) => name))
  const readable = layers.filter(({ name }) => stored.has(name))
  // A view is not offered, but refused by what it is if it is named, or if there is nothing else.
  const found = chooseLayer(input, layer === null && readable.length > 0 ? readable : layers, layer)
  const { name, geometry, srs, organization, code, definition, west, south, east, north } = found
  if (!stored.has(name)) {
    throw new UnreadableFile(`${input.name}: the layer "${name}" is a view or does not exist: only tables are read`)
  }
  const isEpsg = String(organization).toUpperCase() === 'EPSG'
  // -1 and 0 are unknown systems.
  const crs = srs <= 0n || organization == null ? null : isEpsg ? `EPSG:${code}` : definition
  const box = [west, south, east, north]
  const extent = box.every((value) => value !== null) ? (box.map(Number) as Bbox) : null
  return { name, geometry, crs: { crs, from: `the layer "${name}" of ${input.name}`, extent } }
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Bytes of the boundary, and characters of texts. */
const sizeOf = (row: Record<string, unknown>): number =>
  Object.values(row).reduce<number>(
    (sum, value) => sum + (value instanceof Uint8Array || typeof value === 'string' ? value.length : 0),
    0,
  )

/** Long ids stay exact as text. Bytes, such as photos, are left out. */
const toJson = (row: Record<string, unknown>): Record<string, unknown> => {
  for (const name in row) {
    const value = row[name]
    if (typeof value === 'bigint') row[name] = Number.isSafeInteger(Number(value)) ? Number(value) : `${value}`
    else if (value instanceof Uint8Array) row[name] = null
  }
  return row
}

/** Bytes of the box in the header of a geometry, by the kind in its flags. */
const ENVELOPE_BYTES = [0, 32, 48, 48, 64]

/** A header of GeoPackageBinary (2.1.3), then WKB. Null: the geometry is empty or missing. */
const toGeometry = (value: unknown): unknown => {
  if (value === null || value === undefined) return null
  if (!(value instanceof Uint8Array) || value[0] !== 0x47 || value[1] !== 0x50)
    return { type: 'value that is not a geometry' }
  const flags = value[3] as number
  const isEmpty = (flags & 0x10) !== 0
  return isEmpty ? null : parseWkb(value.subarray(8 + (ENVELOPE_BYTES[(flags >> 1) & 7] ?? 0)))
}
