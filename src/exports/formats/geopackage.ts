import { Database } from 'bun:sqlite'
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Bbox, uniteBoxes } from '../../../core/geometry/bbox'
import type { ListedParcel } from '../../parcels/list-parcels'
import { encodeWkb } from '../encode-wkb'
import type { ColumnType } from '../export-columns'
import {
  type ExportFormat,
  type ExportShape,
  type ParcelRows,
  type Place,
  parsePlace,
  parseValues,
} from '../export-format'

const TABLE = 'parcels'
const WGS_84 = 4326

/** GeoPackage 1.3 (OGC 12-128r17): one table of features with an R-tree, or of attributes if there are no boundaries. */
export const geopackage: ExportFormat = {
  mediaType: 'application/geopackage+sqlite3',
  extension: '.gpkg',
  isStreamable: false,
  isText: false,
  needsGeometry: false,
  async *encode(pages, shape) {
    const path = join(shape.workDir, `${randomUUID()}.gpkg`)
    try {
      const file = createFile(path, shape)
      try {
        for await (const rows of pages) file.add(rows)
        file.finish()
      } finally {
        file.close()
      }
      yield* Bun.file(path).stream()
    } finally {
      rmSync(path, { force: true })
    }
  },
}

const SQL_TYPES: Record<ColumnType, string> = {
  id: 'TEXT',
  text: 'TEXT',
  // A JSON array: the schema extension has no lists.
  list: 'TEXT',
  json: 'TEXT',
  area: 'DOUBLE',
  degrees: 'DOUBLE',
  money: 'INTEGER',
  boolean: 'BOOLEAN',
  time: 'DATETIME',
}

const createFile = (path: string, { columns, withGeometry, withPoints, origin, reserve }: ExportShape) => {
  const geometryType = withPoints ? 'GEOMETRY' : 'MULTIPOLYGON'
  const file = new Database(path, { create: true, strict: true })
  // An unfinished file is discarded, so it needs no journal.
  for (const pragma of ['journal_mode = off', 'synchronous = off', 'locking_mode = exclusive', 'cache_size = -16384']) {
    file.run(`pragma ${pragma}`)
  }
  for (const statement of CORE_TABLES) file.run(statement)
  const names = columns.map(({ name }) => name)
  const defined = columns.map(({ name, type }) => `"${name}" ${SQL_TYPES[type]}`)
  file.run(
    `create table ${TABLE} (fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, ${[...(withGeometry ? [`geom ${geometryType}`] : []), ...defined].join(', ')})`,
  )
  if (withGeometry) file.run(`create virtual table rtree_${TABLE}_geom using rtree(id, minx, maxx, miny, maxy)`)
  const inserted = withGeometry ? ['geom', ...names] : names
  const insert = file.prepare(
    `insert into ${TABLE} (${inserted.map((name) => `"${name}"`).join(', ')}) values (${inserted.map(() => '?').join(', ')})`,
  )
  const index = withGeometry
    ? file.prepare(`insert into rtree_${TABLE}_geom (id, minx, maxx, miny, maxy) values (?, ?, ?, ?, ?)`)
    : null
  let bounds: Bbox = [Infinity, Infinity, -Infinity, -Infinity]

  const addOne = (parcel: Record<string, unknown>, place: Place | null): void => {
    const values = columns.map(({ name, type }) => toSqlite(parcel[name] ?? null, type))
    if (index === null) return void insert.run(...values)
    const geometry = place === null ? null : toGeometry(place)
    const { lastInsertRowid } = insert.run(geometry?.bytes ?? null, ...values)
    if (geometry === null) return
    const [west, south, east, north] = geometry.bbox
    index.run(lastInsertRowid, west, east, south, north)
    bounds = uniteBoxes(bounds, geometry.bbox)
  }

  return {
    add: file.transaction((rows: ParcelRows) => {
      reserve(rows.reduce((sum, { body, geom }) => sum + body.length + (geom?.length ?? 0), 0))
      for (const [at, values] of parseValues(rows).entries()) addOne(values, parsePlace(rows[at] as ListedParcel))
    }),
    finish: () => {
      const box = bounds[0] <= bounds[2] ? bounds : [null, null, null, null]
      const [kind, srs] = withGeometry ? ['features', WGS_84] : ['attributes', null]
      file.run(
        `insert into gpkg_contents (table_name, data_type, identifier, description, last_change, min_x, min_y, max_x, max_y, srs_id)
          values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        [TABLE, kind, TABLE, describe(origin), new Date().toISOString(), ...box, srs],
      )
      if (withGeometry) {
        file.run(`insert into gpkg_geometry_columns values (?, 'geom', ?, ?, 0, 0)`, [TABLE, geometryType, WGS_84])
        file.run(`insert into gpkg_extensions values (?, 'geom', 'gpkg_rtree_index', ?, 'write-only')`, [
          TABLE,
          'http://www.geopackage.org/spec120/#extension_rtree',
        ])
        for (const trigger of RTREE_TRIGGERS) file.run(trigger)
      }
      file.run(`insert into gpkg_metadata values (1, 'dataset', 'http://schema.org/Dataset', 'application/json', ?)`, [
        JSON.stringify(origin),
      ])
      file.run(
        `insert into gpkg_metadata_reference values ('table', ?, null, null, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), 1, null)`,
        [TABLE],
      )
    },
    close: () => {
      insert.finalize()
      index?.finalize()
      file.close()
    },
  }
}

const describe = ({ dataset_version, licenses }: ExportShape['origin']): string => {
  const attributions = licenses.flatMap(({ attribution }) => attribution ?? [])
  return [`Dataset version ${dataset_version}`, ...new Set(attributions)].join('. ')
}

const toSqlite = (value: unknown, type: ColumnType): string | number | null => {
  if (value === null) return null
  if (type === 'list' || type === 'json') return JSON.stringify(value)
  if (type === 'boolean') return value === true ? 1 : 0
  return value as string | number
}

/** `GP`, version 0, flags (little-endian; an envelope of four numbers), the reference system and the envelope (2.1.3). */
const HEAD_BYTES = 8 + 4 * 8
const FLAGS = 0b0000_0011

const toGeometry = (place: Place) => {
  const { bytes, bbox } = encodeWkb(place, HEAD_BYTES)
  const view = new DataView(bytes.buffer)
  view.setUint16(0, 0x4750)
  view.setUint8(3, FLAGS)
  view.setInt32(4, WGS_84, true)
  const [west, south, east, north] = bbox
  for (const [index, value] of [west, east, south, north].entries()) view.setFloat64(8 + 8 * index, value, true)
  return { bytes, bbox }
}

const WGS_84_WKT =
  'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4326"]]'

/** The tables of the standard, with its column names (annex C), and those of its metadata extension. `GPKG`, version 1.3. */
const CORE_TABLES = [
  'pragma application_id = 0x47504B47',
  'pragma user_version = 10300',
  `create table gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER PRIMARY KEY, organization TEXT NOT NULL,
    organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT)`,
  `insert into gpkg_spatial_ref_sys values
    ('Undefined Cartesian SRS', -1, 'NONE', -1, 'undefined', 'undefined Cartesian coordinate reference system'),
    ('Undefined geographic SRS', 0, 'NONE', 0, 'undefined', 'undefined geographic coordinate reference system'),
    ('WGS 84 geodetic', ${WGS_84}, 'EPSG', ${WGS_84}, '${WGS_84_WKT}', 'longitude and latitude in degrees')`,
  `create table gpkg_contents (table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE,
    description TEXT DEFAULT '', last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER,
    CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id))`,
  `create table gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL,
    srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL,
    CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name), CONSTRAINT uk_gc_table_name UNIQUE (table_name),
    CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),
    CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id))`,
  `create table gpkg_extensions (table_name TEXT, column_name TEXT, extension_name TEXT NOT NULL, definition TEXT NOT NULL,
    scope TEXT NOT NULL, CONSTRAINT ge_tce UNIQUE (table_name, column_name, extension_name))`,
  `create table gpkg_metadata (id INTEGER CONSTRAINT m_pk PRIMARY KEY ASC NOT NULL, md_scope TEXT NOT NULL DEFAULT 'dataset',
    md_standard_uri TEXT NOT NULL, mime_type TEXT NOT NULL DEFAULT 'text/xml', metadata TEXT NOT NULL DEFAULT '')`,
  `create table gpkg_metadata_reference (reference_scope TEXT NOT NULL, table_name TEXT, column_name TEXT, row_id_value INTEGER,
    timestamp DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), md_file_id INTEGER NOT NULL, md_parent_id INTEGER,
    CONSTRAINT crmr_mfi_fk FOREIGN KEY (md_file_id) REFERENCES gpkg_metadata(id),
    CONSTRAINT crmr_mpi_fk FOREIGN KEY (md_parent_id) REFERENCES gpkg_metadata(id))`,
  `insert into gpkg_extensions values
    ('gpkg_metadata', null, 'gpkg_metadata', 'http://www.geopackage.org/spec120/#extension_metadata', 'read-write'),
    ('gpkg_metadata_reference', null, 'gpkg_metadata', 'http://www.geopackage.org/spec120/#extension_metadata', 'read-write')`,
]

const RTREE = `rtree_${TABLE}_geom`
const NEW_BOX = 'NEW.fid, ST_MinX(NEW.geom), ST_MaxX(NEW.geom), ST_MinY(NEW.geom), ST_MaxY(NEW.geom)'
const HAS_NEW = 'NEW.geom NOT NULL AND NOT ST_IsEmpty(NEW.geom)'
const HAS_NO_NEW = '(NEW.geom ISNULL OR ST_IsEmpty(NEW.geom))'

/** Triggers that keep the R-tree correct when other software with these functions edits the file (annex F.3). */
const RTREE_TRIGGERS = [
  `create trigger ${RTREE}_insert after insert on ${TABLE} when (${HAS_NEW}) begin
    insert or replace into ${RTREE} values (${NEW_BOX}); end`,
  `create trigger ${RTREE}_update1 after update of geom on ${TABLE} when OLD.fid = NEW.fid AND (${HAS_NEW}) begin
    insert or replace into ${RTREE} values (${NEW_BOX}); end`,
  `create trigger ${RTREE}_update2 after update of geom on ${TABLE} when OLD.fid = NEW.fid AND ${HAS_NO_NEW} begin
    delete from ${RTREE} where id = OLD.fid; end`,
  `create trigger ${RTREE}_update3 after update on ${TABLE} when OLD.fid != NEW.fid AND (${HAS_NEW}) begin
    delete from ${RTREE} where id = OLD.fid; insert or replace into ${RTREE} values (${NEW_BOX}); end`,
  `create trigger ${RTREE}_update4 after update on ${TABLE} when OLD.fid != NEW.fid AND ${HAS_NO_NEW} begin
    delete from ${RTREE} where id in (OLD.fid, NEW.fid); end`,
  `create trigger ${RTREE}_delete after delete on ${TABLE} when OLD.geom NOT NULL begin
    delete from ${RTREE} where id = OLD.fid; end`,
]
