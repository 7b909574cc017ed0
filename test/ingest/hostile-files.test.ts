import { Database } from 'bun:sqlite'
import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, rmSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { Builder, type Offset } from 'flatbuffers'
import { Column } from 'flatgeobuf/lib/mjs/flat-geobuf/column.js'
import { ColumnType } from 'flatgeobuf/lib/mjs/flat-geobuf/column-type.js'
import { Crs } from 'flatgeobuf/lib/mjs/flat-geobuf/crs.js'
import { Feature } from 'flatgeobuf/lib/mjs/flat-geobuf/feature.js'
import { Geometry } from 'flatgeobuf/lib/mjs/flat-geobuf/geometry.js'
import { GeometryType } from 'flatgeobuf/lib/mjs/flat-geobuf/geometry-type.js'
import { Header } from 'flatgeobuf/lib/mjs/flat-geobuf/header.js'
import type { MultiPolygon } from 'geojson'
import { parseFieldMap } from '../../src/ingest/fields/field-map'
import { PARCEL_FIELDS } from '../../src/ingest/fields/fields'
import { watchProgram } from '../../src/ingest/formats/ogr'
import { previewFile } from '../../src/ingest/preview/preview-file'
import { readRows } from '../../src/ingest/rows/read-rows'
import { TEST_TIMEOUT_MS } from '../support/deadlines'
import { hasGdal } from './files/gdal'
import { shapeMembers } from './files/shape-members'
import { inFolder, writeFixture } from './files/write-fixture'
import { writeZip } from './files/write-zip'

/* Small files that would take any time or memory to read. */

setDefaultTimeout(TEST_TIMEOUT_MS)

const map = parseFieldMap('source_parcel_id=pin', PARCEL_FIELDS)

/** The reasons why rows are rejected, and how many rows are not. */
const judge = async (file: string): Promise<{ parcels: number; reasons: string[] }> => {
  const { rows, rejects, error } = await previewFile(file, { map })
  expect(error).toBeNull()
  return { parcels: rows.parcels, reasons: rejects.flatMap(({ examples }) => examples.map(({ reason }) => reason)) }
}

const topology = (positions: number, geometries: number, uses: number): string =>
  JSON.stringify({
    type: 'Topology',
    arcs: [Array.from({ length: positions }, (_, at) => [-120 + at * 1e-5, 44 + (at % 7) * 1e-4])],
    objects: {
      lots: {
        type: 'GeometryCollection',
        geometries: Array.from({ length: geometries }, (_, pin) => ({
          ...{ type: 'Polygon', properties: { pin: String(pin) }, arcs: [new Array(uses).fill(0)] },
        })),
      },
    },
  })

test('an arc of a TopoJSON cannot be used to make a boundary of any size', async () => {
  const { parcels, reasons } = await judge(writeFixture('uses.topojson', topology(10_000, 2, 1_000)))
  expect(parcels).toBe(0)
  expect(reasons[0]).toStartWith('its geometry is a value that is too large')
})

test('a TopoJSON that uses its arcs in very many boundaries is refused, and groups of rows stay small', async () => {
  const file = writeFixture('many.topojson', topology(20_000, 1_000, 1))
  let largest = 0
  const read = async () => {
    for await (const rows of readRows(file)) largest = Math.max(largest, rows.length)
  }
  await expect(read()).rejects.toThrow('uses its 20000 positions more than 100 times each')
  expect(largest).toBeLessThan(100)
})

test('a TopoJSON without geometries or with a broken transform is refused, and one bad arc is one reject', async () => {
  const ring = [0, 1, 2].map((at) => [-120 + at, 44 + (at % 2)])
  const lot = (pin: string, arcs: unknown) => ({ type: 'Polygon', properties: { pin }, arcs: [arcs] })
  const write = (geometries: unknown, more: object = {}) =>
    writeFixture(
      'bad.topojson',
      JSON.stringify({
        ...{ type: 'Topology', arcs: [[...ring, ring[0]], null] },
        ...{ objects: { lots: { type: 'GeometryCollection', geometries } }, ...more },
      }),
    )
  const bad = [1, 9, -9, 0.5, null].map((arc, index) => lot(`bad ${index}`, [arc]))
  const { parcels, reasons } = await judge(write([lot('good', [0]), null, ...bad]))
  expect(parcels).toBe(1)
  expect(new Set(reasons)).toEqual(
    new Set(['not a TopoJSON geometry: its arcs or coordinates are not those of this file']),
  )
  for (const geometries of [null, 'lots', { length: 1 }])
    await expect(judge(write(geometries))).rejects.toThrow('bad.topojson: its layer "lots" has no geometries')
  await expect(judge(write([], { objects: { lots: null } }))).rejects.toThrow('its layer "lots" has no geometries')
  for (const transform of [5, {}, { scale: ['1', 1], translate: [0, 0] }])
    await expect(judge(write([], { transform }))).rejects.toThrow('has a "transform" without the numbers of "scale"')
})

test('a column with a very long name is not compared with the fields', async () => {
  const names = Array.from({ length: 20 }, (_, at) => `${'owner '.repeat(10_000)}${at}`)
  const { columns } = await previewFile(writeFixture('names.csv', `pin,${names.join()}\n1${','.repeat(20)}\n`), { map })
  expect(columns.map(({ name }) => name)).toEqual(['pin'])
})

const writeShape = (name: string, ...shape: Parameters<typeof shapeMembers>): string =>
  writeZip(name, shapeMembers(...shape))

test('the rings of a shape are not sorted into holes if there are too many', async () => {
  expect((await judge(writeShape('rings.zip', 40_000))).reasons).toEqual([
    'its geometry is a shape of 40000 rings and 160000 positions: a parcel is a Polygon, a MultiPolygon or a Point',
  ])
})

test('a shapefile with the ring directions of GeoJSON keeps its holes', async () => {
  const outer = [0, 0, 8, 0, 0, 8, 0, 0]
  const hole = [1, 1, 1, 2, 2, 1, 1, 1]
  const island = [9, 9, 10, 9, 9, 10, 9, 9]
  const file = writeShape('swapped.zip', 3, (shp) => {
    for (const [index, value] of [...hole, ...island, ...outer].entries()) {
      shp.writeDoubleLE((index % 2 === 0 ? -120 : 44) + value / 8_192, 152 + 3 * 4 + index * 8)
    }
  })
  const [row] = (await Array.fromAsync(readRows(file))).flat() as { geometry: MultiPolygon }[]
  const firsts = row?.geometry.coordinates.map((rings) => rings.map(([first]) => first))
  expect(firsts).toEqual([
    [[-120 + 9 / 8_192, 44 + 9 / 8_192]],
    [
      [-120, 44],
      [-120 + 1 / 8_192, 44 + 1 / 8_192],
    ],
  ])
})

test('a shape that is not valid is one reject, and a column of a wrong length has no values', async () => {
  for (const [at, value] of [
    [108 + 36, -1],
    [108 + 36, 2 ** 31 - 1],
    [108 + 40, -1],
    [152, -4],
    [152, 400],
  ] as const) {
    const { reasons } = await judge(writeShape('invalid.zip', 2, (shp) => shp.writeInt32LE(value, at)))
    expect(reasons).toEqual([expect.stringContaining('its geometry is a shape that is not valid')])
  }
  const short = writeShape('short.zip', 2, (_, dbf) => {
    dbf.writeUInt16LE(5, 10)
    dbf.write('O', 32 + 11)
    dbf[32 + 16] = 4
  })
  expect((await judge(short)).reasons).toEqual(['source_parcel_id is missing'])
})

test('two columns of a shapefile with the same name, cut off, are both read', async () => {
  const file = writeShape('twice.zip', 2, (_, dbf) => {
    // Two columns of five characters.
    dbf.copyWithin(97, 65)
    dbf.copyWithin(64, 32, 64)
    dbf[96] = 0x0d
    dbf.writeUInt16LE(97, 8)
    dbf[32 + 16] = dbf[64 + 16] = 5
    dbf.write(' elm  oak ', 97)
  })
  const rows = (await Array.fromAsync(readRows(file))).flat()
  expect(rows).toMatchObject([{ properties: { pin: 'elm', pin_1: 'oak' } }])
})

test.skipIf(!hasGdal)('a layer with the name of an option is not given to GDAL', async () => {
  const folder = '<Folder><name>--version</name><Placemark><name>elm</name></Placemark></Folder>'
  const kml = `<kml xmlns="http://www.opengis.net/kml/2.2"><Document>${folder}</Document></kml>`
  await expect(judge(writeFixture('option.kml', kml))).rejects.toThrow(
    'option.kml: the layer "--version" has a name that begins with "-"',
  )
})

test.skipIf(!hasGdal)('a name of a coordinate system that is a URL is never requested', async () => {
  const requests: string[] = []
  await using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => {
      requests.push(url)
      return new Response(null, { status: 404 })
    },
  })
  const kml =
    '<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>lots</name><Placemark><name>elm</name><Point><coordinates>-120,44</coordinates></Point></Placemark></Document></kml>'
  const options = { map: parseFieldMap('source_parcel_id=Name', PARCEL_FIELDS), crs: `${server.url.href}?EPSG:4326` }
  const { rows } = await previewFile(writeFixture('place.kml', kml), options)
  expect(requests).toEqual([])
  expect(rows.parcels).toBe(1)
})

test('a program of GDAL that takes too much is killed', async () => {
  const loop = () => Bun.spawn([process.execPath, '-e', 'for (;;) {}'])
  const ample = { memoryBytes: 1024 ** 3, stepMs: 60_000 }
  for (const [bounds, reason] of [
    [{ ...ample, memoryBytes: 1024 ** 2 }, 'it takes more than 1 MB of memory. Convert the file to a GeoPackage'],
    [{ ...ample, stepMs: 200 }, 'it took 0.2 s of processor time without a result'],
  ] as const) {
    const child = loop()
    const watch = watchProgram(child, bounds)
    await child.exited
    expect(watch.excess()).toBe(reason)
  }
})

/** A FlatGeobuf of one feature. */
const writeFeature = (name: string, write: (builder: Builder) => Offset): string => {
  const header = new Builder()
  const column = Column.createColumn(
    header,
    header.createString('pin'),
    ColumnType.String,
    0,
    0,
    -1,
    -1,
    -1,
    true,
    false,
    false,
    0,
  )
  const columns = Header.createColumnsVector(header, [column])
  Crs.startCrs(header)
  Crs.addCode(header, 4326)
  const crs = Crs.endCrs(header)
  Header.startHeader(header)
  Header.addColumns(header, columns)
  Header.addFeaturesCount(header, 1n)
  Header.addIndexNodeSize(header, 0)
  Header.addCrs(header, crs)
  header.finishSizePrefixed(Header.endHeader(header))
  const builder = new Builder()
  const geometry = write(builder)
  const properties = Feature.createPropertiesVector(builder, new Uint8Array([0, 0, 1, 0, 0, 0, 0x31]))
  Feature.startFeature(builder)
  Feature.addGeometry(builder, geometry)
  Feature.addProperties(builder, properties)
  builder.finishSizePrefixed(Feature.endFeature(builder))
  const magic = Buffer.from([0x66, 0x67, 0x62, 3, 0x66, 0x67, 0x62, 0])
  return writeFixture(name, Buffer.concat([magic, header.asUint8Array(), builder.asUint8Array()]))
}

const writePolygon = (builder: Builder, xy: number[], ends: number[]): Offset => {
  const [coordinates, rings] = [Geometry.createXyVector(builder, xy), Geometry.createEndsVector(builder, ends)]
  Geometry.startGeometry(builder)
  Geometry.addXy(builder, coordinates)
  Geometry.addEnds(builder, rings)
  Geometry.addType(builder, GeometryType.Polygon)
  return Geometry.endGeometry(builder)
}

const writeCollection = (builder: Builder, parts: Offset[], type: GeometryType): Offset => {
  const members = Geometry.createPartsVector(builder, parts)
  Geometry.startGeometry(builder)
  Geometry.addParts(builder, members)
  Geometry.addType(builder, type)
  return Geometry.endGeometry(builder)
}

const TRIANGLE = [-120, 44, -119, 44, -119, 45, -120, 44]

test.each<[what: string, write: (builder: Builder) => Offset]>([
  [
    'one polygon that is many parts',
    (builder) => {
      const polygon = writePolygon(builder, TRIANGLE, [4])
      return writeCollection(builder, new Array(50_000).fill(polygon), GeometryType.MultiPolygon)
    },
  ],
  [
    'collections that contain each other many times',
    (builder) => {
      let inner = writePolygon(builder, TRIANGLE, [4])
      for (let level = 0; level < 3; level++)
        inner = writeCollection(builder, new Array(100).fill(inner), GeometryType.GeometryCollection)
      return inner
    },
  ],
  [
    'rings that overlap',
    (builder) => {
      const xy = Array.from({ length: 20_000 }, (_, at) => (at % 2 === 0 ? -120 : 44))
      return writePolygon(
        builder,
        xy,
        Array.from({ length: 1_000 }, (_, at) => (at % 2 === 0 ? 10_000 : 0)),
      )
    },
  ],
])('a FlatGeobuf with %s is not decoded', async (_what, write) => {
  const { reasons } = await judge(writeFeature('parts.fgb', write))
  expect(reasons).toEqual([expect.stringContaining('its geometry is a value that is too large')])
})

/** A GeoPackage with one row, made by these statements. */
const writeGeopackage = (name: string, ...statements: string[]): string => {
  const path = inFolder(name)
  rmSync(path, { force: true })
  const database = new Database(path, { create: true })
  for (const statement of [
    'create table gpkg_contents (table_name text, data_type text, min_x real, min_y real, max_x real, max_y real)',
    'create table gpkg_geometry_columns (table_name text, column_name text, srs_id integer)',
    'create table gpkg_spatial_ref_sys (srs_id integer, organization text, organization_coordsys_id integer, definition text)',
    "insert into gpkg_contents (table_name, data_type) values ('lots', 'features')",
    "insert into gpkg_geometry_columns values ('lots', 'geom', 4326)",
    "insert into gpkg_spatial_ref_sys values (4326, 'EPSG', 4326, '')",
    ...statements,
  ])
    database.run(statement)
  database.close()
  return path
}

/** It is finite only so that a failure of these tests ends. */
const VIEW = 'with recursive r(n) as (select 1 union all select n + 1 from r where n < 1e6) select'
const LOTS = 'create table lots (pin text, geom blob)'

test('a GeoPackage whose layers are described by a view is refused', async () => {
  const view = `create view gpkg_spatial_ref_sys as ${VIEW} n as srs_id, 'EPSG' as organization, 4326 as organization_coordsys_id, '' as definition from r`
  const file = writeGeopackage('metadata.gpkg', LOTS, 'drop table gpkg_spatial_ref_sys', view)
  await expect(judge(file)).rejects.toThrow('it has no table gpkg_spatial_ref_sys')
})

test('a GeoPackage that describes one layer many times is refused before all its combinations are read', async () => {
  const many = `with recursive r(n) as (select 1 union all select n + 1 from r where n < 2000)`
  const contents = `${many} insert into gpkg_contents (table_name, data_type) select 'lots', 'features' from r`
  const geometries = `${many} insert into gpkg_geometry_columns select 'lots', 'geom', 4326 from r`
  const file = writeGeopackage('layers.gpkg', LOTS, contents, geometries)
  await expect(judge(file)).rejects.toThrow('layers.gpkg has more than 1000 layers')
})

test('a view beside the layer of a GeoPackage does not ask which one is meant', async () => {
  const file = writeGeopackage(
    'beside.gpkg',
    LOTS,
    "insert into lots (pin) values ('elm')",
    'create view some_lots as select pin, geom from lots',
    "insert into gpkg_contents (table_name, data_type) values ('some_lots', 'features')",
    "insert into gpkg_geometry_columns values ('some_lots', 'geom', 4326)",
  )
  expect(await judge(file)).toEqual({ parcels: 1, reasons: [] })
})

test('computed columns of a GeoPackage are never evaluated', async () => {
  // It fails if it is evaluated.
  const computed = 'generated always as (json(pin)) virtual'
  const row = "insert into lots (pin) values ('elm')"
  const lots = `alter table lots add column owner_name text ${computed}`
  expect(await judge(writeGeopackage('computed.gpkg', LOTS, row, lots))).toEqual({ parcels: 1, reasons: [] })
  const contents =
    'create table gpkg_contents (table_name text, data_type text, min_x real generated always as (1) virtual, min_y real, max_x real, max_y real)'
  await expect(
    judge(
      writeGeopackage(
        'contents.gpkg',
        LOTS,
        'drop table gpkg_contents',
        contents,
        "insert into gpkg_contents (table_name, data_type) values ('lots', 'features')",
      ),
    ),
  ).rejects.toThrow('has computed columns in gpkg_contents')
})

test('a virtual table of a GeoPackage is not read, however its schema spells it', async () => {
  const file = writeGeopackage('virtual.gpkg', 'create virtual table lots using fts5(pin, geom)')
  const bytes = readFileSync(file)
  bytes.write('\t', bytes.indexOf('CREATE VIRTUAL TABLE lots') + 'CREATE'.length)
  await expect(judge(writeFixture('virtual.gpkg', bytes))).rejects.toThrow(
    'the layer "lots" is a view or does not exist',
  )
})

test('photos in a GeoPackage are left out, and long texts make small groups of rows', async () => {
  const lots = 'create table lots (pin text, geom blob, photo blob, note text)'
  const insert = `insert into lots with recursive r(n) as (select 1 union all select n + 1 from r where n < 40)
    select n, null, zeroblob(1000000), hex(zeroblob(500000)) from r`
  const file = writeGeopackage('photos.gpkg', lots, insert)
  const { columns } = await previewFile(file, { map })
  expect(columns.map(({ name, samples }) => [name, samples.length])).toEqual([
    ['pin', 3],
    ['photo', 0],
    ['note', 1],
  ])
  const sizes: number[] = []
  for await (const rows of readRows(file)) sizes.push(rows.length)
  expect(Math.max(...sizes)).toBeLessThan(20)
})

test('a GeoPackage that names a column with boundaries that it lacks is refused', async () => {
  const file = writeGeopackage('lacks.gpkg', 'create table lots (pin text)')
  await expect(judge(file)).rejects.toThrow('the layer "lots" has no column "geom" with its boundaries')
})

test('a boundary of a GeoPackage that is too large is not decoded', async () => {
  const rings = 2_000_000
  // A header of GeoPackageBinary, then a polygon of rings without positions.
  const head = Buffer.alloc(17)
  head.write('GP')
  head[3] = 1
  head[8] = 1
  head.writeUInt32LE(3, 9)
  head.writeUInt32LE(rings, 13)
  const blob = `x'${head.toString('hex')}'`
  const file = writeGeopackage(
    'large.gpkg',
    LOTS,
    `insert into lots values ('elm', cast(${blob} || zeroblob(${rings * 4}) as blob))`,
  )
  expect((await judge(file)).reasons).toEqual([expect.stringContaining(`value of ${9 + rings * 4} bytes`)])
})

test('a row group of a GeoParquet with very many equal rows is refused', async () => {
  const path = inFolder('equal.parquet')
  const geo = { version: '1.1.0', primary_column: 'geom', columns: { geom: { encoding: 'WKB', geometry_types: [] } } }
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run(
    `copy (select 'elm' as pin, null::blob as geom from range(2100000)) to '${path}'
      (format parquet, row_group_size 3000000, kv_metadata {geo: '${JSON.stringify(geo)}'})`,
  )
  connection.closeSync()
  await expect(judge(path)).rejects.toThrow('has a row group of 2100000 rows, more than 2000000')
})
