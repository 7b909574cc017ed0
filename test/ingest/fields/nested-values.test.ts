import { expect, setDefaultTimeout, test } from 'bun:test'
import { parseFieldMap } from '../../../src/ingest/fields/field-map'
import { PARCEL_FIELDS } from '../../../src/ingest/fields/fields'
import { previewFile } from '../../../src/ingest/preview/preview-file'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { writeFixture } from '../files/write-fixture'

setDefaultTimeout(TEST_TIMEOUT_MS)

const map = parseFieldMap('source_parcel_id=pin', PARCEL_FIELDS)

/** The reasons why rows are rejected, and how many rows are not. */
const judge = async (file: string): Promise<{ parcels: number; reasons: string[] }> => {
  const { rows, rejects, error } = await previewFile(file, { map })
  expect(error).toBeNull()
  return { parcels: rows.parcels, reasons: rejects.flatMap(({ examples }) => examples.map(({ reason }) => reason)) }
}

const SQUARE = '[[[-120,44],[-119,44],[-119,45],[-120,44]]]'
const feature = (pin: string, coordinates: string, more = ''): string =>
  `{"type":"Feature","properties":{"pin":"${pin}"${more}},"geometry":{"type":"Polygon","coordinates":${coordinates}}}`
const DEEP = '['.repeat(500_000) + ']'.repeat(500_000)

test.each([
  ['a boundary', feature('deep', DEEP)],
  ['an attribute that is read', feature('deep', SQUARE, `,"owner_name":${DEEP}`)],
  ['an attribute that is not read', feature('deep', SQUARE, `,"notes":${'['.repeat(100_000) + ']'.repeat(100_000)}`)],
  ['an id', `{"type":"Feature","properties":{"pin":${DEEP}},"geometry":null}`],
  ['a coordinate system', feature('deep', SQUARE).replace('"type"', `"crs":${DEEP},"type"`)],
  ['a row that is no Feature', DEEP],
])('%s that is nested deeply rejects its row and no other', async (_what, row) => {
  const collection = `{"type":"FeatureCollection","features":[${feature('elm', SQUARE)},${row}]}`
  const { parcels, reasons } = await judge(writeFixture('deep.geojson', collection))
  expect(parcels).toBe(1)
  expect(reasons).toEqual([
    expect.stringMatching(/^it has a value that is nested too deeply$|^not a GeoJSON Feature but \[\[/),
  ])
})

test('a deeply nested boundary in a column of a CSV rejects its row and no other', async () => {
  const csv = `pin,geo\nelm,"POLYGON((-120 44,-119 44,-119 45,-120 44))"\ndeep,"{""type"":""Polygon"",""coordinates"":${DEEP}}"\n`
  expect(await judge(writeFixture('deep.csv', csv))).toEqual({
    ...{ parcels: 1, reasons: ['it has a value that is nested too deeply'] },
  })
})
