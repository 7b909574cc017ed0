import { Database } from 'bun:sqlite'
import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { ServiceError } from '../../core/service-error'
import { Random } from '../../dev/sample-county/random'
import { parseFieldMap } from '../../src/ingest/fields/field-map'
import { PARCEL_FIELDS } from '../../src/ingest/fields/fields'
import { previewFile } from '../../src/ingest/preview/preview-file'
import { TEST_TIMEOUT_MS } from '../support/deadlines'
import { convert, hasGdal, writeParcels } from './files/gdal'
import { shapeMembers } from './files/shape-members'
import { inFolder, readAll, writeFixture } from './files/write-fixture'
import { writeZip } from './files/write-zip'

/* Files with a few wrong bytes. Each is read, or refused in words about the file. */

setDefaultTimeout(TEST_TIMEOUT_MS)

const RUNS = 40
const map = parseFieldMap('source_parcel_id=pin', PARCEL_FIELDS)
/** Words about the code that reads a file. */
const INSIDE = /undefined|is not an? (?:object|function)|RangeError|TypeError|Out of bounds|node_modules|\.ts\b/

const LENGTHS = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)]

const mutate = (content: Buffer, seed: number): Buffer => {
  const random = new Random(seed)
  const bytes = Buffer.from(content)
  const at = random.below(bytes.length - 8)
  const kind = random.below(6)
  if (kind === 0) return bytes.subarray(0, at)
  if (kind === 1) return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(60))])
  if (kind === 2) return Buffer.concat([bytes.subarray(0, at + random.below(60)), bytes.subarray(at)])
  if (kind === 3) bytes.writeInt32LE(LENGTHS[random.below(LENGTHS.length)] ?? 0, at)
  else if (kind === 4) bytes.writeDoubleLE([Number.NaN, Number.POSITIVE_INFINITY, 1e308][random.below(3)] ?? 0, at)
  else bytes[at] = random.below(256)
  return bytes
}

const PINS = ['elm', 'oak', 'fir', 'ash']

const parquet = (): Buffer =>
  Buffer.from(
    parquetWriteBuffer({
      codec: 'UNCOMPRESSED',
      columnData: [
        { name: 'pin', data: PINS, type: 'STRING' },
        { name: 'assessed_value', data: [1, 2, 3, 4], type: 'INT32' },
      ],
    }),
  )

const geopackage = (): string => {
  const database = new Database(inFolder('sound.gpkg'), { create: true })
  for (const statement of [
    'create table gpkg_contents (table_name text, data_type text, min_x real, min_y real, max_x real, max_y real)',
    'create table gpkg_geometry_columns (table_name text, column_name text, srs_id integer)',
    'create table gpkg_spatial_ref_sys (srs_id integer, organization text, organization_coordsys_id integer, definition text)',
    "insert into gpkg_contents (table_name, data_type) values ('lots', 'features')",
    "insert into gpkg_geometry_columns values ('lots', 'geom', 4326)",
    "insert into gpkg_spatial_ref_sys values (4326, 'EPSG', 4326, '')",
    'create table lots (pin text, geom blob)',
    "insert into lots values ('elm', x'4750000100000000010300')",
  ])
    database.run(statement)
  database.close()
  return inFolder('sound.gpkg')
}

const lots = hasGdal ? writeParcels('sound.geojsonl', 6) : ''

test.each<[name: string, sound: () => string | Uint8Array]>([
  ['lots.parquet', parquet],
  ['lots.gpkg', () => readFileSync(geopackage())],
  ['lots.zip', () => readFileSync(writeZip('sound.zip', shapeMembers(2)))],
  ['lots.csv', () => PINS.map((pin) => `"${pin}",1\n`).reduce((text, line) => text + line, 'pin,acreage\n')],
  ['lots.geojsonl', () => PINS.map((pin) => `{"type":"Feature","properties":{"pin":"${pin}"}}\n`).join('')],
  ...(hasGdal
    ? ([['lots.fgb', () => readFileSync(convert(lots, 'sound.fgb', 'FlatGeobuf'))]] as [string, () => Buffer][])
    : []),
])('%s with wrong bytes is read, or refused in words about the file', async (name, sound) => {
  const content = Buffer.from(sound())
  for (let seed = 0; seed < RUNS; seed++) {
    const file = writeFixture(name, mutate(content, seed))
    try {
      const { error, rejects } = await previewFile(file, { map })
      const reasons = rejects.flatMap(({ examples }) => examples.map(({ reason }) => reason))
      for (const text of [error ?? '', ...reasons]) expect(text, `seed ${seed}`).not.toMatch(INSIDE)
    } catch (error) {
      expect(error, `seed ${seed}`).toBeInstanceOf(ServiceError)
      expect((error as ServiceError).message, `seed ${seed}`).not.toMatch(INSIDE)
    }
  }
})

test('a polygon of a shapefile without rings is no boundary', async () => {
  const members = shapeMembers(2, (shp) => {
    shp.writeInt32LE(0, 108 + 36)
    shp.writeInt32LE(0, 108 + 40)
  })
  const { rows } = await previewFile(writeZip('ringless.zip', members), { map })
  expect(rows).toMatchObject({ parcels: 1, rejected: 0, without_boundary: 1 })
})

/** Replaces the only place, or the last one, of some bytes. */
const replaceLast = (content: Buffer, from: string, to: string): Buffer => {
  const at = content.toString('latin1').lastIndexOf(from)
  const bytes = Buffer.from(content)
  bytes.write(to, at, 'latin1')
  return bytes
}

test('a Parquet file whose columns do not fit its schema is refused, and no promise is left behind', async () => {
  await expect(readAll('columns.parquet', replaceLast(parquet(), 'pin', 'nip'))).rejects.toThrow(
    'columns.parquet is a damaged or incomplete Parquet file: row group 1 does not have the column "pin"',
  )
})

test('a Parquet file is refused if a page has other counts than its column', async () => {
  // The numbers of values, of nulls and of rows, and the encoding, in the header of a page.
  const counts = (values: string, rows: string) => `\x15${values}\x15\x00\x15${rows}\x15\x00`
  const change = (values: string, rows: string) =>
    readAll('counts.parquet', replaceLast(parquet(), counts('\x08', '\x08'), counts(values, rows)))
  await expect(change('\x04', '\x04')).rejects.toThrow(
    'the column "assessed_value" has pages of 2 values where 4 are expected',
  )
  await expect(change('\x08', '\x00')).rejects.toThrow('the column "assessed_value" has a page of 4 values and 0 rows')
})
