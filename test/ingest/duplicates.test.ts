import { beforeEach, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import area from '@turf/area'
import fc from 'fast-check'
import type { MultiPolygon } from 'geojson'
import { createSource } from '../../drizzle/queries/sources/create-source'
import type { ParcelInput } from '../../drizzle/records'
import { toMultiPolygon } from '../../src/ingest/boundaries/geometry'
import { mergeParts } from '../../src/ingest/boundaries/merge-parts'
import { parseFieldMap } from '../../src/ingest/fields/field-map'
import { PARCEL_FIELDS } from '../../src/ingest/fields/fields'
import { type IngestOptions, ingestParcels } from '../../src/ingest/ingest'
import { RowFault } from '../../src/ingest/rows/source-row'
import { createTestDatabase } from '../support/servers'
import { inFolder, writeFixture } from './files/write-fixture'

const { sql } = await createTestDatabase()
await createSource(sql, { source: 'elm', state: 'OR', countyName: 'Elm', baseUrl: 'https://elm.example' })

beforeEach(async () => {
  await sql`delete from parcels`
})

const rejectsFile = inFolder('duplicates-rejects.csv')
const load = (name: string, content: string, options: Partial<IngestOptions>) =>
  ingestParcels(sql, 'elm', {
    file: writeFixture(name, content),
    map: parseFieldMap('', PARCEL_FIELDS),
    rejectsFile,
    ...options,
  })

/** A square of 0.01 degrees, by its southwest corner in hundredths of a degree. */
const square = (x: number, y: number) => {
  const [west, south] = [x / 100, y / 100]
  const [east, north] = [(x + 1) / 100, (y + 1) / 100]
  return [
    [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ],
  ]
}
const polygonAt = (x: number, y: number) => ({ type: 'Polygon', coordinates: square(x, y) })
const feature = (properties: object, geometry: unknown) => JSON.stringify({ type: 'Feature', properties, geometry })
const geomOf = (...corners: [number, number][]): MultiPolygon => ({
  type: 'MultiPolygon',
  coordinates: corners.map(([x, y]) => square(x, y)),
})
const part = (values: Partial<ParcelInput>): ParcelInput => ({ sourceParcelId: 'A', origin: { line: 1 }, ...values })

test('parts that are far apart in a file become one parcel, with its boundary, owners and sums', async () => {
  const others = Array.from({ length: 2_500 }, (_, index) => feature({ source_parcel_id: `P${index}` }, null))
  const rows = [
    feature(
      { source_parcel_id: 'A', owner_name: 'ADA ELM', acreage: 0.1, assessed_value: 5, value_land: 3 },
      polygonAt(0, 0),
    ),
    ...others,
    feature(
      {
        source_parcel_id: 'A',
        owner_name: 'BO BIRCH',
        situs_city: 'ELMVILLE',
        acreage: 0.2,
        assessed_value: 7,
        value_land: 4,
      },
      polygonAt(5, 5),
    ),
  ]
  const options: Partial<IngestOptions> = { duplicates: 'merge', sum: ['acreage', 'assessed_value'] }
  expect(await load('merge.geojsonl', rows.join('\n'), options)).toMatchObject({
    ...{ read: 2_502, inserted: 2_501, updated: 0, unchanged: 0, rejected: 0, merged: 1 },
  })
  const [parcel] = await sql`
    select owner_name, owner_names_all, situs_city, acreage, assessed_value::float8, value_land::float8, geom, bbox::text, origin
    from parcels where source_parcel_id = 'A'`
  expect({ ...parcel }).toEqual({
    ...{ owner_name: 'ADA ELM', owner_names_all: ['ADA ELM', 'BO BIRCH'], situs_city: 'ELMVILLE' },
    ...{
      acreage: 0.3,
      assessed_value: 12,
      value_land: 3,
      geom: geomOf([0, 0], [5, 5]),
      bbox: '(0.06,0.06),(0,0)',
      origin: { line: 1 },
    },
  })
  expect(await load('merge.geojsonl', rows.join('\n'), options)).toMatchObject({ unchanged: 2_501, merged: 1 })
})

test('a part that is rejected is not merged, and parts that do not form a parcel are all rejected', async () => {
  const rows = [
    feature({ source_parcel_id: 'A', acreage: 1 }, polygonAt(0, 0)),
    feature({ source_parcel_id: 'A', acreage: 2 }, { type: 'LineString', coordinates: [[0, 0]] }),
    feature({ source_parcel_id: 'B', value_land: Number.MAX_SAFE_INTEGER }, polygonAt(0, 0)),
    feature({ source_parcel_id: 'B', value_land: Number.MAX_SAFE_INTEGER }, polygonAt(0, 0)),
  ]
  const options: Partial<IngestOptions> = { duplicates: 'merge', sum: ['acreage', 'value_land'] }
  expect(await load('faulty.geojsonl', rows.join('\n'), options)).toMatchObject({
    read: 4,
    inserted: 1,
    rejected: 3,
    merged: 0,
  })
  expect(readFileSync(rejectsFile, 'utf8').trimEnd().split('\n').slice(1)).toEqual([
    '2,"its geometry is a LineString: a parcel is a Polygon, a MultiPolygon or a Point",A',
    '3,its rows cannot be merged: the sum of value_land is too large,B',
    '4,its rows cannot be merged: the sum of value_land is too large,B',
  ])
})

test('an id with more rows than a parcel can have parts is rejected, row by row', async () => {
  const rows = Array.from({ length: 2_001 }, () => '{"source_parcel_id":"ROAD"}').join('\n')
  expect(await load('road.jsonl', rows, { duplicates: 'merge' })).toMatchObject({
    read: 2_001,
    inserted: 0,
    rejected: 2_001,
  })
  expect(readFileSync(rejectsFile, 'utf8')).toContain(
    '2001,"2001 rows have this id, more than 2000 parts of one parcel",ROAD',
  )
})

test('a sum with a value that cannot be read is left out, and the stored value stays', async () => {
  const csv = (second: string) => `source_parcel_id,acreage\nA,1\nA,${second}\n`
  const options: Partial<IngestOptions> = { duplicates: 'merge', sum: ['acreage'] }
  await load('sum.csv', csv('2'), options)
  expect((await load('sum.csv', csv('N/A'), options)).unchanged).toBe(1)
  expect((await sql`select acreage from parcels`)[0]?.acreage).toBe(3)
  expect((await load('sum.csv', csv(''), options)).updated).toBe(1)
  expect((await sql`select acreage from parcels`)[0]?.acreage).toBe(1)
})

test('polygons that overlap or touch are united, equal ones are taken once, and others stay as they are', () => {
  const geomAfter = (...geoms: MultiPolygon[]) =>
    mergeParts(
      geoms.map((geom) => part({ geom })),
      [],
    ).geom
  expect(geomAfter(geomOf([0, 0]), geomOf([0, 0]))).toEqual(geomOf([0, 0]))
  expect(geomAfter(geomOf([5, 5]), geomOf([0, 0]))).toEqual(geomOf([0, 0], [5, 5]))
  const beside = geomAfter(geomOf([0, 0]), geomOf([1, 0]), geomOf([9, 9]))
  expect(beside?.coordinates).toHaveLength(2)
  expect(area(beside as MultiPolygon)).toBeCloseTo(area(geomOf([0, 0], [1, 0], [9, 9])), 0)
})

const corners = fc.array(fc.tuple(fc.nat({ max: 4 }), fc.nat({ max: 4 })), { minLength: 1, maxLength: 8 })

test('for any squares, the union covers exactly the squares, is valid, and does not depend on the order of the parts', () => {
  fc.assert(
    fc.property(corners, fc.infiniteStream(fc.nat()), (places, random) => {
      const parts = places.map((place) => part({ geom: geomOf(place) }))
      const shuffled = parts
        .map((value) => ({ value, key: random.next().value as number }))
        .sort((one, other) => one.key - other.key)
        .map(({ value }) => value)
      const { geom, bbox } = mergeParts(parts, [])
      expect(mergeParts(shuffled, []).geom).toEqual(geom as MultiPolygon)
      const distinct = [...new Map(places.map((place) => [place.join(), place])).values()]
      expect(area(geom as MultiPolygon) / area(geomOf(...distinct))).toBeCloseTo(1, 6)
      expect(toMultiPolygon(structuredClone(geom))).toMatchObject({ geom, bbox, isRepaired: false })
    }),
  )
})

const values = fc.record(
  {
    ownerName: fc.constantFrom('ADA', 'BO', 'CY'),
    situsCity: fc.constantFrom('ELM', 'OAK'),
    acreage: fc.double({ min: 0, max: 1e6, noNaN: true }),
    assessedValue: fc.integer({ min: -1e9, max: 1e9 }),
    valueLand: fc.integer({ min: 0, max: 1e9 }),
  },
  { requiredKeys: [] },
)

test('for any parts, text is the first one, owners are all of them, and only the named fields are added up', () => {
  fc.assert(
    fc.property(fc.array(values, { minLength: 1, maxLength: 10 }), (rows) => {
      const merged = mergeParts(
        rows.map((row, index) => part({ ...row, origin: { line: index + 5 } })),
        ['acreage', 'assessed_value'],
      )
      const first = <Value>(list: (Value | undefined)[]) => list.find((value) => value !== undefined)
      const total = (list: (number | undefined)[]) => list.reduce<number>((sum, value) => sum + (value ?? 0), 0)
      const owners = [...new Set(rows.flatMap(({ ownerName }) => ownerName ?? []))]
      expect(merged.ownerName).toBe(first(rows.map(({ ownerName }) => ownerName)))
      expect(merged.ownerNamesAll).toEqual(owners.length > 1 ? owners : undefined)
      expect(merged.situsCity).toBe(first(rows.map(({ situsCity }) => situsCity)))
      expect(merged.valueLand).toBe(first(rows.map(({ valueLand }) => valueLand)))
      expect(merged.assessedValue ?? 0).toBe(total(rows.map(({ assessedValue }) => assessedValue)))
      expect(merged.acreage ?? 0).toBeCloseTo(total(rows.map(({ acreage }) => acreage)), 5)
      expect(merged.origin).toEqual({ line: 5 })
    }),
  )
})

test('more owners than a parcel can have are refused', () => {
  const parts = Array.from({ length: 201 }, (_, index) => part({ ownerName: `OWNER ${index}` }))
  expect(() => mergeParts(parts, [])).toThrow(new RowFault('the 201 rows together have 201 owners, more than 200'))
})

test('with --duplicates number, the order of the rows does not matter', async () => {
  const row = fc.record({
    source_parcel_id: fc.constantFrom('A', 'A~2', 'B'),
    owner_name: fc.constantFrom('1', '2', '3', '4'),
    x: fc.nat({ max: 2 }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 8 }),
      fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
      async (rows, keys) => {
        const write = (list: typeof rows) =>
          list.map(({ x, ...properties }) => feature(properties, x === 0 ? null : polygonAt(x, 0))).join('\n')
        await sql`delete from parcels`
        expect(await load('order.geojsonl', write(rows), { duplicates: 'number' })).toMatchObject({
          inserted: rows.length,
        })
        const shuffled = rows
          .map((value, index) => ({ value, key: keys[index] as number }))
          .sort((one, other) => one.key - other.key)
        expect(
          await load('order.geojsonl', write(shuffled.map(({ value }) => value)), { duplicates: 'number' }),
        ).toMatchObject({
          ...{ inserted: 0, updated: 0, unchanged: rows.length, rejected: 0 },
        })
      },
    ),
    { numRuns: 40 },
  )
})

test('the boundary of a numbered row decides before its owner', async () => {
  const rows = [
    feature({ source_parcel_id: 'A', owner_name: 'ADA' }, polygonAt(2, 0)),
    feature({ source_parcel_id: 'A', owner_name: 'ZOE' }, polygonAt(1, 0)),
  ]
  await load('by-shape.geojsonl', rows.join('\n'), { duplicates: 'number' })
  expect([...(await sql`select source_parcel_id as id, owner_name from parcels order by 1`)]).toEqual([
    { id: 'A', owner_name: 'ZOE' },
    { id: 'A~2', owner_name: 'ADA' },
  ])
})

test('rejects of a FeatureCollection name the number of the Feature, and every reject with a valid id has it', async () => {
  const features = [
    feature({ source_parcel_id: 'A' }, polygonAt(0, 0)),
    feature({ source_parcel_id: 'B', owner_name: 'x'.repeat(501) }, polygonAt(0, 0)),
    feature({ source_parcel_id: 'A' }, polygonAt(0, 0)),
  ]
  await load('one-line.geojson', `{"type":"FeatureCollection","features":[${features.join(',')}]}`, {})
  expect(readFileSync(rejectsFile, 'utf8').trimEnd().split('\n').slice(1)).toEqual([
    'feature 2,"owner_name has 501 characters, more than 500",B',
    'feature 3,duplicate of feature 1,A',
  ])
})

test.each([
  ['POLYGON ((0 0, 0.01 0, 0.01 0.01, 0 0.01, 0 0))'],
  ['MULTIPOLYGON (((0 0, 0.01 0, 0.01 0.01, 0 0.01, 0 0)))'],
  ['SRID=4326;POLYGON((0 0,0.01 0,0.01 0.01,0 0.01,0 0))'],
])('the boundary of a CSV is read from a column with WKT: %s', async (wkt) => {
  const rows = `1,"${wkt}"\n2,\n3,POLYGON EMPTY\n4,POINT Z EMPTY\n`
  expect(await load('wkt.csv', `source_parcel_id,the_geom\n${rows}`, {})).toMatchObject({ inserted: 4, rejected: 0 })
  expect((await sql`select geom from parcels order by source_parcel_id`).map(({ geom }) => geom)).toEqual([
    ...[geomOf([0, 0]), null, null, null],
  ])
})

/** The beginning of a polygon of 5 positions, and enough digits for a whole one. */
const WKB = '0103000020E61000000100000005000000'.padEnd(180, '0')

test('ids that begin like WKB are not taken for boundaries', async () => {
  const ids = 'source_parcel_id\n010600000012000034\n010600000012000035\n'
  expect(await load('ids.csv', ids, {})).toMatchObject({ read: 2, rejected: 0 })
})

test('a CSV can have its boundaries as GeoJSON; a broken one is a reject; two columns and WKB are refused with a question', async () => {
  const json = JSON.stringify(polygonAt(0, 0)).replaceAll('"', '""')
  expect(
    await load('json.csv', `source_parcel_id,shape\n1,"${json}"\n2,{broken\n`, { boundaryColumn: 'shape' }),
  ).toMatchObject({
    ...{ inserted: 1, rejected: 1 },
  })
  const wkt = '"POLYGON ((0 0, 1 0, 1 1, 0 0))"'
  expect(await load('cut.csv', `source_parcel_id,wkt\n1,${wkt}\n2,"POLYGON ((0 0, 1"\n`, {})).toMatchObject({
    rejected: 1,
  })
  expect(readFileSync(rejectsFile, 'utf8')).toContain('3,wkt is not a boundary in WKT or GeoJSON: ')
  await expect(load('two.csv', `source_parcel_id,a,b\n1,${wkt},${wkt}\n`, {})).rejects.toThrow(
    'a and b both have boundaries: which one',
  )
  await expect(load('wkb.csv', `source_parcel_id,g\n1,${WKB}\n`, {})).rejects.toThrow('the boundaries in g are WKB')
  // One among boundaries in WKT is a reject.
  const mixed = `source_parcel_id,g\n1,${wkt}\n2,${WKB}\n`
  expect(await load('mixed.csv', mixed, {})).toMatchObject({ read: 2, rejected: 1 })
  expect(readFileSync(rejectsFile, 'utf8')).toContain('3,the boundaries in g are WKB')
  await expect(load('none.csv', `source_parcel_id\n1\n`, { boundaryColumn: 'shape' })).rejects.toThrow(
    'the file has no column shape',
  )
})
