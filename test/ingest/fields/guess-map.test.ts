import { expect, test } from 'bun:test'
import { formatExpression, type Mapping } from '../../../src/ingest/fields/expression'
import { PARCEL_FIELDS } from '../../../src/ingest/fields/fields'
import { guessMap } from '../../../src/ingest/fields/guess-map'
import { applyPreset, findPreset, PRESET_NAMES, PRESETS } from '../../../src/ingest/fields/presets'
import { startProcessorClock } from '../../support/processor-clock'
import { COUNTY_SCHEMAS } from './county-schemas'

const written = (map: readonly Mapping[]) =>
  Object.fromEntries(map.map(({ target, expression }) => [target, formatExpression(expression)]))

/** The guess for a file with these columns, each with the values of its rows. */
const guess = (columns: Record<string, unknown[]>) =>
  written(guessMap(Object.entries(columns).map(([name, values]) => ({ name, values, rows: 2 }))))

test.each([
  [
    'a roll with many columns',
    {
      ...{ tlid: ['1', '2'], owner: ['ELM ADA', 'OAK BO'], prop_account_id: ['R1', 'R2'], prop_class: ['101', '201'] },
      ...{ address: ['1 ELM ST', '2 ELM ST'], city: ['OAK', 'OAK'], state: ['OR', 'OR'], zip: ['97000', '97000'] },
      ...{
        mrkt_land_val: [1, 2],
        mrkt_bld_val: [1, 2],
        mrkt_tot_val: [2, 4],
        assessed_val: [1, 1],
        lot_size_acres: [1, 2],
      },
      ...{ zoned_as: ['R7', 'R7'], zone_type: ['RES', 'RES'] },
    },
    {
      ...{ source_parcel_id: 'tlid', owner_name: 'owner', situs_address: 'address', situs_city: 'city' },
      ...{ situs_state: 'state', situs_zip: 'zip', land_use_class: 'prop_class', zoning_code: 'zoned_as' },
      ...{ zoning_description: 'zone_type', acreage: 'lot_size_acres', assessed_value: 'assessed_val' },
      ...{ value_land: 'mrkt_land_val', value_improvement: 'mrkt_bld_val' },
    },
  ],
  [
    'the id is the column whose values do not repeat',
    { PIN: ['1', '1'], GISID: ['7', '8'] },
    { source_parcel_id: 'GISID' },
  ],
  [
    'a link is read as its text',
    { PARCELID: ['<a href="x">1</a>', '<a href="y">2</a>'] },
    { source_parcel_id: 'plain(PARCELID)' },
  ],
  [
    'an address in parts, owners and a mailing address',
    {
      ...{ APN: ['1', '2'], 'Owner 1': ['ELM ADA', 'OAK BO'], 'Owner 2': ['ELM CY', 'OAK DI'] },
      ...{ HOUSE_NO: ['1', '2'], STREET_NAME: ['ELM', 'ELM'], ST_TYPE: ['ST', 'ST'] },
      ...{
        MAIL_ADDR1: ['PO BOX 1', 'PO BOX 2'],
        MAIL_CITY: ['OAK', 'OAK'],
        MAIL_ST: ['OR', 'OR'],
        MAIL_ZIP: ['97000', '97000'],
      },
    },
    {
      ...{ source_parcel_id: 'APN', owner_name: '"Owner 1"', owner_names_all: `join('; ', "Owner 1", "Owner 2")` },
      owner_mailing_address: "join(', ', MAIL_ADDR1, MAIL_CITY, join(' ', MAIL_ST, MAIL_ZIP))",
      situs_address: "join(' ', HOUSE_NO, STREET_NAME, ST_TYPE)",
    },
  ],
  [
    'square feet become acres',
    { PIN: ['1', '2'], LandAreaSqFt: [43560, 1] },
    { source_parcel_id: 'PIN', acreage: 'LandAreaSqFt/43560' },
  ],
  [
    'a value that is no number is not a value',
    { PIN: ['1', '2'], LAND_VAL: ['LOW', 'HIGH'] },
    { source_parcel_id: 'PIN' },
  ],
  [
    'a name that a shapefile cut off',
    { PIN: ['1', '2'], ASSESSED_V: [1, 2] },
    { source_parcel_id: 'PIN', assessed_value: 'ASSESSED_V' },
  ],
  [
    'a flag whose name a shapefile cut off',
    { PIN: ['1', '2'], IS_AGRICUL: [true, 'F'] },
    { source_parcel_id: 'PIN', is_agricultural: 'IS_AGRICUL' },
  ],
  [
    'the names of fields',
    { source_parcel_id: ['1', '2'], acreage: ['x', 'y'] },
    { source_parcel_id: 'source_parcel_id', acreage: 'acreage' },
  ],
  [
    'the id of a Feature, if there is nothing better',
    { $id: ['1', '2'], NAME: ['ELM ADA', 'B'] },
    { source_parcel_id: '$id', owner_name: 'NAME' },
  ],
  ['no id', { OBJECTID: [1, 2], Shape_Area: [1, 2] }, {}],
])('guessed: %s', (_, columns, map) => {
  expect(guess(columns as unknown as Record<string, unknown[]>)).toEqual(map)
})

test('the name of every field is recognized after a shapefile has cut it off', () => {
  const values: Record<string, unknown> = { source_parcel_id: '1', is_agricultural: 'T', situs_zip: '97000' }
  for (const field of Object.keys(PARCEL_FIELDS)) {
    // It has the same first ten letters as owner_name.
    if (field === 'owner_names_all' || field === 'lon' || field === 'lat') continue
    const value = values[field] ?? (PARCEL_FIELDS[field]?.type === 'text' ? 'ELM' : 1)
    const column = field.slice(0, 10).toUpperCase()
    expect(guess({ [column]: [value, value] })).toMatchObject({ [field]: column })
  }
})

test('a long text that only begins like a number is recognized quickly', () => {
  const text = `${'1'.repeat(50_000)}x`
  const processorMs = startProcessorClock()
  expect(guess({ PARCELID: ['1', '2'], ACRES: [text, text] })).toEqual({ source_parcel_id: 'PARCELID' })
  expect(processorMs()).toBeLessThan(1_000)
})

test.each(Object.entries(COUNTY_SCHEMAS))('the columns of %s are guessed', (_, { columns, map }) => {
  const sampled = Object.entries(columns).map(([name, values]) => ({
    ...{ name, values: values.filter((value) => value !== '' && value !== null), rows: 2 },
  }))
  expect(written(guessMap(sampled))).toEqual(map)
})

/** The columns that the expressions of a preset name. */
const columnsOfPreset = (name: (typeof PRESET_NAMES)[number]) => [
  ...new Set(
    Object.values<string>(PRESETS[name].map).flatMap(
      (text) => text.replace(/'[^']*'/g, '').match(/[A-Z][A-Z\d_]+/g) ?? [],
    ),
  ),
]

test.each(PRESET_NAMES)(
  '%s is recognized by its columns, even if a shapefile has cut them off, and keeps its whole map',
  (name) => {
    const columns = [...new Set([...columnsOfPreset(name), ...PRESETS[name].signs])]
    expect(findPreset(columns)).toBe(name)
    expect(written(applyPreset(name, columns))).toEqual(PRESETS[name].map)
    const short = columns.map((column) => column.slice(0, 10).toLowerCase())
    expect(findPreset(short)).toBe(name)
    expect(Object.keys(written(applyPreset(name, short)))).toEqual(Object.keys(PRESETS[name].map))
  },
)

test('a preset leaves out the columns that the file does not have', () => {
  const columns = ['PARCELID', 'OWNERNME1', 'SITEADRESS', 'CNTASSDVALUE', 'GISACRES']
  expect(written(applyPreset('wisconsin', columns))).toEqual({
    ...{ source_parcel_id: 'PARCELID', owner_name: 'OWNERNME1', owner_names_all: "join('; ', OWNERNME1)" },
    ...{ situs_address: 'SITEADRESS', situs_state: "'WI'", acreage: 'GISACRES', assessed_value: 'CNTASSDVALUE' },
  })
  expect(() => applyPreset('new-jersey', columns)).toThrow(
    'the file is not in the schema new-jersey: it has no column PAMS_PIN or GIS_PIN. It has PARCELID, OWNERNME1',
  )
})
