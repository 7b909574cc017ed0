import { beforeEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { createSource } from '../../drizzle/queries/sources/create-source'
import { parseFieldMap } from '../../src/ingest/fields/field-map'
import { ENTITY_FIELDS, PARCEL_FIELDS } from '../../src/ingest/fields/fields'
import { type IngestOptions, ingestEntities, ingestParcels } from '../../src/ingest/ingest'
import { createTestDatabase } from '../support/servers'
import { inFolder, writeFixture } from './files/write-fixture'

const { sql } = await createTestDatabase()
await createSource(sql, { source: 'elm', state: 'OR', countyName: 'Elm', baseUrl: 'https://elm.example' })

beforeEach(async () => {
  await sql`delete from parcels`
  await sql`delete from entities`
})

const rejectsFile = inFolder('clearing-rejects.csv')
const load = (name: string, content: string, map = '', options: Partial<IngestOptions> = {}) =>
  ingestParcels(sql, 'elm', {
    file: writeFixture(name, content),
    map: parseFieldMap(map, PARCEL_FIELDS),
    rejectsFile,
    ...options,
  })
const stored = async () =>
  (
    await sql`select owner_name, owner_names_all, zoning_code, acreage, assessed_value::float8, geom is not null as has_geom from parcels order by source_parcel_id`
  ).map((row) => ({ ...row }))

const SQUARE = {
  type: 'Polygon',
  coordinates: [
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 0],
    ],
  ],
}
const feature = (properties: object, geometry: unknown = SQUARE) =>
  JSON.stringify({ type: 'Feature', properties, geometry })

test('an empty value clears a field, a field without a column keeps its value', async () => {
  await load('first.csv', 'source_parcel_id,owner_name,zoning_code,acreage\n1,ADA ELM,R-7,2\n')
  const summary = await load('next.csv', 'PIN,Owner,Zone\n1, ,\n', 'source_parcel_id=PIN, owner_name=Owner')
  expect(summary).toMatchObject({ updated: 1, unchanged: 0 })
  expect(await stored()).toEqual([
    { owner_name: null, owner_names_all: [], zoning_code: 'R-7', acreage: 2, assessed_value: null, has_geom: false },
  ])
  expect(await load('next.csv', 'PIN,Owner,Zone\n1, ,\n', 'source_parcel_id=PIN, owner_name=Owner')).toMatchObject({
    ...{ updated: 0, unchanged: 1 },
  })
})

test('the change log names the cleared fields, with their former values', async () => {
  await load('log.csv', 'source_parcel_id,zoning_code\n1,R-7\n')
  await load('log.csv', 'source_parcel_id,zoning_code\n1,\n')
  const [change] =
    await sql`select changes, origin from parcel_changes where action = 'changed' order by version desc limit 1`
  expect({ ...change }).toEqual({ changes: { zoning_code: ['R-7', null] }, origin: { line: 2 } })
})

test('in GeoJSON, null and a missing property both clear a field that other rows have', async () => {
  const rows = (second: object, third: object) =>
    [
      { source_parcel_id: '1', zoning_code: 'A' },
      { source_parcel_id: '2', ...second },
      { source_parcel_id: '3', ...third },
    ]
      .map((properties) => feature(properties))
      .join('\n')
  await load('null.geojsonl', rows({ zoning_code: 'B', owner_name: 'X' }, { zoning_code: 'C', owner_name: 'Y' }))
  await load('null.geojsonl', rows({ zoning_code: null }, {}))
  expect((await stored()).map(({ zoning_code, owner_name }) => [zoning_code, owner_name])).toEqual([
    ['A', null],
    [null, 'X'],
    [null, 'Y'],
  ])
})

test('a column that first appears after the first batch clears nothing, and a warning names it', async () => {
  const ids = Array.from({ length: 1_500 }, (_, index) => `${index}`)
  const rows = (zone: (index: number) => object) =>
    ids.map((id, index) => JSON.stringify({ source_parcel_id: id, ...zone(index) })).join('\n')
  await load(
    'late.jsonl',
    rows(() => ({ zoning_code: 'R' })),
  )
  const { updated, warnings } = await load(
    'late.jsonl',
    rows((index) => (index === 1_200 ? { zoning_code: '' } : {})),
  )
  expect(updated).toBe(0)
  expect(warnings).toEqual(['"zoning_code" first appears on line 1201: its empty values clear nothing in this load'])
})

test('a column of the map that no row has clears nothing', async () => {
  await load('typo.jsonl', '{"source_parcel_id":"1","owner_name":"ADA"}')
  const { warnings } = await load('typo.jsonl', '{"source_parcel_id":"1"}', 'owner_name=Ownr')
  expect(warnings).toEqual(['no row has "Ownr": is the field map right?'])
  expect((await stored())[0]?.owner_name).toBe('ADA')
})

test('a value that cannot be read does not clear its field, and is not stored with the origin', async () => {
  await load('na.csv', 'source_parcel_id,acreage,assessed_value\n1,2,500\n')
  const { warnings } = await load(
    'na.csv',
    'source_parcel_id,acreage,assessed_value\n1,N/A,\n2,n/a,7\n3,?,\n4,none,\n5,1,\n',
  )
  expect(warnings).toEqual([
    'acreage: 4 unreadable values left out (line 2: acreage is "N/A": it must be a number; line 3: acreage is "n/a": it must be a number; line 4: acreage is "?": it must be a number; ...)',
  ])
  expect((await stored()).map(({ acreage, assessed_value }) => [acreage, assessed_value])).toEqual([
    [2, null],
    [null, 7],
    [null, null],
    [null, null],
    [1, null],
  ])
  expect((await sql`select origin from parcels order by source_parcel_id`).map(({ origin }) => origin)).toEqual(
    [2, 3, 4, 5, 6].map((line) => ({ line })),
  )
})

test('a row without a boundary keeps the stored one, and a warning counts such rows', async () => {
  await load('shape.geojsonl', feature({ source_parcel_id: '1' }))
  const rows = [feature({ source_parcel_id: '1' }, null), feature({ source_parcel_id: '2' })].join('\n')
  expect((await load('shape.geojsonl', rows)).warnings).toEqual(['rows without a boundary: 1; a stored boundary stays'])
  expect((await load('shape.csv', 'source_parcel_id\n1\n')).warnings).toEqual([])
  expect((await stored()).map(({ has_geom }) => has_geom)).toEqual([true, true])
})

test('an empty value clears a field of an entity', async () => {
  const loadEntities = (csv: string) =>
    ingestEntities(sql, 'OR', {
      file: writeFixture('entities.csv', csv),
      map: parseFieldMap('', ENTITY_FIELDS),
      rejectsFile,
    })
  await loadEntities('registry_number,name,status,entity_type\n1,ELM LLC,Active,LLC\n')
  expect(await loadEntities('registry_number,name,status\n1,ELM LLC,\n')).toMatchObject({ updated: 1 })
  expect([...(await sql`select status, entity_type from entities`)]).toEqual([{ status: null, entity_type: 'LLC' }])
})

test('a scrape clears nothing', async () => {
  await load('scrape.csv', 'source_parcel_id,owner_name,zoning_code\n1,ADA,R\n')
  await upsertParcels(sql, 'elm', [{ sourceParcelId: '1', zoningCode: null, ownerNamesAll: [] }])
  expect((await stored())[0]).toMatchObject({ owner_name: 'ADA', owner_names_all: ['ADA'], zoning_code: 'R' })
})

test('for any two files, each field is from the second if the second has its column, and otherwise from the first', async () => {
  const COLUMNS = ['owner_name', 'zoning_code', 'acreage'] as const
  const table = fc.record({
    columns: fc.subarray([...COLUMNS], { minLength: 0 }),
    rows: fc.array(
      fc.record({
        owner_name: fc.constantFrom('', 'ADA', 'BO'),
        zoning_code: fc.constantFrom('', 'R', 'C'),
        acreage: fc.constantFrom('', '1', '2', 'N/A'),
      }),
      { minLength: 3, maxLength: 3 },
    ),
  })
  const csvOf = ({
    columns,
    rows,
  }: {
    columns: readonly (typeof COLUMNS)[number][]
    rows: Record<(typeof COLUMNS)[number], string>[]
  }) =>
    [
      ['source_parcel_id', ...columns].join(','),
      ...rows.map((row, index) => [`${index}`, ...columns.map((name) => row[name])].join(',')),
    ].join('\n')
  await fc.assert(
    fc.asyncProperty(table, table, async (first, second) => {
      await sql`delete from parcels`
      await load('one.csv', csvOf(first))
      await load('two.csv', csvOf(second))
      const rows =
        await sql`select owner_name, owner_names_all, zoning_code, acreage::text from parcels order by source_parcel_id`
      for (const [index, row] of rows.entries()) {
        for (const name of COLUMNS) {
          let value: string | null = null
          for (const { columns, rows: given } of [first, second]) {
            const text = given[index]?.[name] ?? ''
            if (columns.includes(name) && text !== 'N/A') value = text === '' ? null : text
          }
          expect([name, row[name]]).toEqual([name, value])
        }
        expect(row.owner_names_all).toEqual(row.owner_name === null ? [] : [row.owner_name])
      }
    }),
    { numRuns: 40 },
  )
})
