import { expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { parseFieldMap } from '../../src/ingest/fields/field-map'
import { PARCEL_FIELDS } from '../../src/ingest/fields/fields'
import { filePreview } from '../../src/ingest/preview/file-preview'
import { type PreviewOptions, previewFile } from '../../src/ingest/preview/preview-file'
import { convert, hasGdal } from './files/gdal'
import { writeFixture } from './files/write-fixture'

const preview = async (name: string, content: string, options: PreviewOptions = {}) => {
  const found = await previewFile(writeFixture(name, content), options)
  expect([...Value.Errors(filePreview, found)]).toEqual([])
  return found
}

const lots = (crs: string) =>
  JSON.stringify({
    type: 'FeatureCollection',
    ...(crs === '' ? {} : { crs: { type: 'name', properties: { name: crs } } }),
    features: [
      [
        '1',
        [
          [-122, 45],
          [-121.99, 45],
          [-121.99, 45.01],
          [-122, 45],
        ],
      ],
      [
        '2',
        [
          [-122, 45],
          [-121.99, 45],
        ],
      ],
      ['1', null],
    ].map(([PIN, ring]) => ({
      type: 'Feature',
      properties: { PIN, OWNER1: 'ELM ADA', LANDVAL: '1,000' },
      geometry: ring === null ? null : { type: 'Polygon', coordinates: [ring] },
    })),
  })

test('a preview shows the columns with samples, the guessed map, the coordinate system, and why rows would be rejected', async () => {
  const found = await preview('preview.geojson', lots(''))
  expect(found).toMatchObject({
    format: 'geojson',
    crs: { name: 'longitude and latitude (WGS 84)', question: null },
    columns: [
      { name: 'PIN', samples: ['1', '2'], filled: 1, fields: ['source_parcel_id'] },
      { name: 'OWNER1', samples: ['ELM ADA'], filled: 1, fields: ['owner_name'] },
      { name: 'LANDVAL', samples: ['1,000'], filled: 1, fields: ['value_land'] },
    ],
    ...{
      preset: null,
      map: { source_parcel_id: 'PIN', owner_name: 'OWNER1', value_land: 'LANDVAL' },
      missing_id: false,
    },
    rows: { read: 3, is_all: true, parcels: 1, rejected: 2, without_boundary: 0 },
    sample: [{ source_parcel_id: '1', owner_name: 'ELM ADA', value_land: 1000 }],
    bbox: [-122, 45, -121.99, 45.01],
  })
  expect(found.rejects).toEqual([
    {
      count: 1,
      examples: [
        { place: 'feature 2', id: '2', reason: 'outer ring: 3 positions, but a closed ring needs at least 4' },
      ],
    },
    { count: 1, examples: [{ place: 'feature 3', id: '1', reason: 'duplicate of feature 1' }] },
  ])
})

test('the samples of a preview are one line without control characters', async () => {
  const rows = Array.from({ length: 40 }, (_, index) => `${index + 3},ELM\n`).join('')
  const { columns } = await preview('controls.csv', `PIN,OWNER\n1,"ELM\r\nADA"\n2,\u001b[31mELM\u0007\n${rows}`)
  expect(columns[1]?.samples).toEqual(['ELM ADA', '[31mELM', 'ELM'])
})

test('a preview asks for a coordinate system that is not known, and still shows columns and map', async () => {
  const found = await preview('unknown.geojson', lots('EPSG:99999'))
  expect(found.crs).toMatchObject({ name: null, question: expect.stringContaining('Which one is it?') })
  expect(found.map).toMatchObject({ source_parcel_id: 'PIN' })
  expect(found).toMatchObject({ rows: { parcels: 2, without_boundary: 2 }, bbox: null })
})

test.skipIf(!hasGdal)('a preview with a wrong system names the one that the file declares, if that fits', async () => {
  const feet = convert(writeFixture('elm.geojson', lots('')), 'elm.shp', 'ESRI Shapefile', '-t_srs', 'EPSG:2913')
  const { crs } = await previewFile(feet, { crs: 'EPSG:2838' })
  expect(crs.question).toContain('cannot be NAD83(HARN) / Oregon North (EPSG:2838)')
  expect(crs.question).toEndWith('The file itself says NAD83(HARN) / Oregon North (ft) (EPSG:2913): leave out --crs')
})

test('a field that is given replaces the guess, and only the first rows are checked', async () => {
  const csv = `PIN,OTHER,OWNER\n${Array.from({ length: 30 }, (_, row) => `${row},A-${row},ELM`).join('\n')}\n`
  const map = parseFieldMap('source_parcel_id=cut(OTHER, 3)', PARCEL_FIELDS)
  const found = await preview('first.csv', csv, { map, maxRows: 10 })
  expect(found.map).toEqual({ owner_name: 'OWNER', source_parcel_id: 'cut(OTHER, 3)' })
  expect(found.rows).toMatchObject({ read: 10, is_all: false, parcels: 10, rejected: 0 })
  expect((await preview('all.csv', csv, { maxRows: null })).rows).toMatchObject({ read: 30, is_all: true, parcels: 30 })
})

test('all rows of a file are checked if it has as many as a preview reads', async () => {
  const csv = 'PIN,OWNER\n1,ELM\n2,OAK\n3,FIR\n'
  expect((await preview('three.csv', csv, { maxRows: 3 })).rows).toMatchObject({ read: 3, is_all: true, parcels: 3 })
  expect((await preview('three.csv', csv, { maxRows: 2 })).rows).toMatchObject({ read: 2, is_all: false, parcels: 2 })
})

test('a file without an id is shown, and nothing is checked', async () => {
  expect(await preview('none.csv', 'NOTE,SIZE\nx,1\n')).toMatchObject({
    ...{ missing_id: true, map: {}, rows: { read: 0, parcels: 0 } },
    columns: [{ name: 'NOTE' }, { name: 'SIZE' }],
  })
})

test('damage in the middle is shown with what comes before it', async () => {
  const text = lots('')
  const found = await preview('cut.geojson', text.slice(0, text.indexOf('"2"')))
  expect(found.error).toContain('the file ends inside the Feature')
  expect(found.rows).toMatchObject({ read: 1, is_all: false, parcels: 1 })
})

test('rejects with the same reason are counted together, with examples', async () => {
  const csv = `PIN,LAND_VALUE\n${Array.from({ length: 50 }, () => 'same,1').join('\n')}\n`
  const { rejects } = await preview('same.csv', csv, { map: parseFieldMap('source_parcel_id=PIN', PARCEL_FIELDS) })
  expect(rejects).toHaveLength(1)
  expect(rejects[0]).toMatchObject({ count: 49, examples: { length: 3 } })
})

test('a schema of a state is recognized', async () => {
  const csv = 'LOC_ID,PROP_ID,OWNER1,USE_CODE,TOTAL_VAL,LOT_SIZE,LOT_UNITS\nF_1_2,7,ELM ADA,101,1000,43560,S\n'
  expect(await preview('state.csv', csv)).toMatchObject({
    preset: 'massachusetts-l3',
    sample: [{ source_parcel_id: 'F_1_2', acreage: 1, situs_state: 'MA' }],
  })
  expect((await preview('named.csv', csv, { preset: 'massachusetts-l3' })).preset).toBe('massachusetts-l3')
})
