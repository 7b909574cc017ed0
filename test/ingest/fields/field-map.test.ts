import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { compileFieldMap, completeFieldMap } from '../../../src/ingest/fields/compile-map'
import { formatExpression, type Mapping } from '../../../src/ingest/fields/expression'
import { parseFieldMap } from '../../../src/ingest/fields/field-map'
import { PARCEL_FIELDS } from '../../../src/ingest/fields/fields'
import { readMapFile } from '../../../src/ingest/fields/map-file'
import { toNumber, toText } from '../../../src/ingest/fields/values'
import { startProcessorClock } from '../../support/processor-clock'
import { writeFixture } from '../files/write-fixture'

const read = (map: string, properties: Record<string, unknown>) =>
  compileFieldMap(parseFieldMap(map, PARCEL_FIELDS), PARCEL_FIELDS)({ line: 1, properties })

test.each([
  ['acreage=LandAreaSqFt/43560', { LandAreaSqFt: 87120 }, { acreage: 2 }],
  ['acreage=Acres*100/(50+50)-1', { Acres: '3' }, { acreage: 2 }],
  ['acreage=a+b', { a: '1', b: 2 }, { acreage: 3 }],
  ['acreage=a+b', { a: '1', b: null }, {}],
  ["situs_address=No+' '+Street", { No: 12, Street: 'ELM ST' }, { situsAddress: '12 ELM ST' }],
  ["situs_address=No+' '+Street", { No: ' ', Street: 'ELM ST' }, { situsAddress: 'ELM ST' }],
  ["situs_address=No+', '+Street", { No: '', Street: null }, {}],
  ["situs_state='OR', situs_city='O''Brien'", {}, { situsState: 'OR', situsCity: "O'Brien" }],
  ['owner_name="Owner, Name"', { 'Owner, Name': 'ELM ADA' }, { ownerName: 'ELM ADA' }],
  ['source_parcel_id=ML|LOC_ID', { ML: ' ', LOC_ID: 'F_1' }, { sourceParcelId: 'F_1' }],
  ['source_parcel_id=$id', { $id: 7 }, { sourceParcelId: '7' }],
  [
    'source_parcel_id=ML,\n# a comment, with commas\n\n  value_land=Land , value_improvement=Building\n',
    { ML: '1', Land: '$1,234.50', Building: '' },
    { sourceParcelId: '1', valueLand: 1235 },
  ],
  ['{"source_parcel_id": "ML", "acreage": "Sq/43560"}', { ML: '1', Sq: 43560 }, { sourceParcelId: '1', acreage: 1 }],
  ['owner_names_all=Owners', { Owners: ' ELM ADA ; OAK BO;' }, { ownerNamesAll: ['ELM ADA', 'OAK BO'] }],
  ['owner_names_all=Owners', { Owners: ['ELM ADA', null, ''] }, { ownerNamesAll: ['ELM ADA'] }],
  ['is_agricultural=Farm', { Farm: 'Y' }, { isAgricultural: true }],
  ['source_parcel_id=cut(PIN, 3, 4)', { PIN: '99123456' }, { sourceParcelId: '1234' }],
  ['source_parcel_id=cut(PIN, 3)', { PIN: 'Ñ-1234' }, { sourceParcelId: '1234' }],
  ["source_parcel_id=pick(LINK, '>([^<]+)<')", { LINK: '<a href=x>12-3</a>' }, { sourceParcelId: '12-3' }],
  ['source_parcel_id=plain(LINK)', { LINK: '<a href="x?a=1&amp;b">12-3 &amp; 4</a>' }, { sourceParcelId: '12-3 & 4' }],
  ["source_parcel_id=replace(PIN, '[^0-9]', '')", { PIN: '12-3.4 A' }, { sourceParcelId: '1234' }],
  ["owner_name=replace(Name, '^(\\w+), (\\w+)$', '$2 $1')", { Name: 'ELM, ADA' }, { ownerName: 'ADA ELM' }],
  ["owner_name=pick(Name, 'TRUST')", { Name: 'ELM ADA' }, {}],
  ["situs_address=join(' ', No, Dir, Street)", { No: 12, Dir: ' ', Street: 'ELM ST' }, { situsAddress: '12 ELM ST' }],
  ["situs_address=join(' ', No, Street)", { No: '', Street: null }, {}],
  ['owner_name=Name, acreage=Size', { Name: '<Null>', Size: ' <null> ' }, {}],
  ["situs_address=No+' '+Street", { No: '\\N', Street: 'ELM ST' }, { situsAddress: 'ELM ST' }],
  ['source_parcel_id=ML|LOC_ID', { ML: '<Null>', LOC_ID: 'F_1' }, { sourceParcelId: 'F_1' }],
  [
    'source_parcel_id=ML, owner_name=Name',
    { ML: 'N-1', Name: 'NULL ADA' },
    { sourceParcelId: 'N-1', ownerName: 'NULL ADA' },
  ],
  ['acreage=Size', { Size: '1,234.5 Acres' }, { acreage: 1234.5 }],
  ['acreage=Size', { Size: '0.35AC.' }, { acreage: 0.35 }],
  ['acreage=Size', { Size: '15,246 SQ FT' }, { acreage: 0.35 }],
  ['acreage=number(Size)*2', { Size: 'about 1,234.5 AC' }, { acreage: 2469 }],
  ["acreage=choose(Unit, 'A', Size, 'S', Size/43560)", { Unit: 's', Size: 43560 }, { acreage: 1 }],
  ["acreage=choose(Unit, 'A', Size, 'S', Size/43560)", { Unit: 'H', Size: 1 }, {}],
  ["is_agricultural=choose(Class, '3A', 'true', 'false')", { Class: '2' }, { isAgricultural: false }],
  ['owner_name=cut', { cut: 'ELM ADA' }, { ownerName: 'ELM ADA' }],
  ['owner_name="Name ""A"""', { 'Name "A"': 'ELM ADA' }, { ownerName: 'ELM ADA' }],
])('%s of %j is %j', (map, properties, record) => {
  expect(read(map, properties)).toEqual(record)
})

test.each([
  ['owner=Name', '"owner" is not a field. Fields: source_parcel_id, owner_name'],
  ['owner_name', 'after owner_name, = and a column are expected'],
  ['owner_name=', 'an expression is missing at the end'],
  ['owner_name=(A', 'a parenthesis is not closed'],
  ['owner_name=A B', '"B" is not expected there'],
  ['owner_name=A;B', '";B" cannot be read'],
  ['owner_name=A,owner_name=B', 'names owner_name twice'],
  ['{"owner_name":', 'not JSON'],
  ['owner_name=left(A, 2)', '"left" is not a function. Functions: cut, join'],
  ['owner_name=cut(A)', 'cut is used as cut(TEXT, START, LENGTH)'],
  ['owner_name=cut(A, 0)', 'the number of its first character (from 1)'],
  ['owner_name=cut(A, B)', 'the number of its first character (from 1)'],
  ["owner_name=pick(A, '(')", "the pattern '(' cannot be read"],
  ['owner_name=pick(A, B)', 'the pattern of pick must be a text in quotes'],
  ["owner_name=pick(A, 'x'", 'a parenthesis is not closed'],
  ["owner_name=constructor('x')", '"constructor" is not a function'],
])('the map %s is refused: %s', (map, message) => {
  expect(() => parseFieldMap(map, PARCEL_FIELDS)).toThrow(message)
})

test.each([
  ['value_land=V', { V: 'n/a' }, 'value_land is "n/a": it must be a number'],
  ['value_land=number(V)', { V: 'n/a' }, 'value_land is "n/a": it has no number'],
  ['value_land=V', { V: 1e300 }, 'value_land is 1e+300: too large'],
  ['acreage=A/B', { A: 1, B: 0 }, 'acreage is 1 / 0: not a number'],
  ['acreage=A', { A: -1 }, 'acreage is -1: it must be 0 or more'],
  ['acreage=A', { A: 1e300 }, 'acreage is 1e+300: it must be at most 1000000000 acres'],
  ['is_agricultural=Farm', { Farm: 'maybe' }, 'is_agricultural is "maybe": it must be true or false'],
  ['owner_name=Name', { Name: { first: 'ADA' } }, 'owner_name is {"first":"ADA"}: it must be text'],
  ['owner_name=Name', { Name: 'PE\ufffdA' }, 'set --encoding to the file'],
  ['owner_name=Name', { Name: 'x'.repeat(2001) }, 'owner_name has 2,001 characters, more than 500'],
  ['situs_address=Place', { Place: 'x'.repeat(501) }, 'situs_address has 501 characters, more than 500'],
  ['situs_state=State', { State: 'x'.repeat(101) }, 'situs_state has 101 characters, more than 100'],
  ['zoning_description=Z', { Z: 'x'.repeat(2001) }, 'zoning_description has 2,001 characters, more than 2,000'],
  ['owner_names_all=Names', { Names: `ADA;${'x'.repeat(501)}` }, 'owner_names_all has 501 characters, more than 500'],
  ['owner_names_all=Names', { Names: 'ADA;'.repeat(201) }, 'owner_names_all has 201 names, more than 200'],
  ['source_parcel_id=ML', { ML: ' ' }, 'source_parcel_id is missing'],
  ['source_parcel_id=ML', { ML: 'x'.repeat(257) }, 'source_parcel_id has 257 characters, more than 256'],
  ['source_parcel_id=ML', { ML: 'a\u0000b' }, 'holds control characters'],
  ['source_parcel_id=ML', { ML: 2 ** 70 }, 'too long to be exact'],
  [
    'source_parcel_id=ML',
    { ML: ' 1.23457E+11' },
    'source_parcel_id is "1.23457E+11": a spreadsheet rounded the id to a number. Export the file again with this column as text',
  ],
  ['source_parcel_id=ML', { ML: 'TOTAL' }, 'source_parcel_id is "TOTAL": a line of totals is not a record'],
  ['source_parcel_id=ML', { ML: ' Grand Total: ' }, 'a line of totals is not a record'],
  ['source_parcel_id=ML', { ML: 'Total records: 40' }, 'a line of totals is not a record'],
  ['source_parcel_id=ML', { ML: ' <Null>' }, 'source_parcel_id is missing'],
  ['source_parcel_id=ML', { ML: 'NULL' }, 'source_parcel_id is "NULL", which means that there is none'],
  ['source_parcel_id=ML', { ML: 'n/a' }, 'source_parcel_id is "n/a", which means that there is none'],
  ['source_parcel_id=ML', { ML: '#REF!' }, 'source_parcel_id is "#REF!", which means that there is none'],
  ['source_parcel_id=ML', { ML: '--------' }, 'source_parcel_id is "--------": an id has a letter or a digit'],
  ['source_parcel_id=ML', JSON.parse(`{"ML":${'9'.repeat(400)}}`), 'too long to be exact'],
])('%s: an invalid value is rejected (%#)', (map, properties, reason) => {
  expect(() => read(map, properties)).toThrow(reason)
})

test('an optional value that cannot be read is left out and reported, and the other fields are read', () => {
  const map = parseFieldMap('source_parcel_id=ML, acreage=A, assessed_value=V, owner_name=O', PARCEL_FIELDS)
  const readRecord = compileFieldMap(map, PARCEL_FIELDS)
  const leftOut: string[] = []
  const record = readRecord({ line: 1, properties: { ML: '1', A: 'N/A', V: '5', O: {} } }, {}, (field, fault) =>
    leftOut.push(`${field}: ${fault.message}`),
  )
  expect(record).toEqual({ sourceParcelId: '1', assessedValue: 5 })
  expect(leftOut).toEqual([
    'acreage: acreage is "N/A": it must be a number',
    'owner_name: owner_name is {}: it must be text',
  ])
  expect(() => readRecord({ line: 1, properties: { ML: {} } }, {}, () => {})).toThrow('source_parcel_id is {}')
})

test('whatever the values are, a row is rejected only for its id or a text, and each other value is read, empty or left out', () => {
  const map = parseFieldMap('source_parcel_id=ML, acreage=A, value_land=V, is_agricultural=F', PARCEL_FIELDS)
  const readRecord = compileFieldMap(map, PARCEL_FIELDS)
  const value = fc.oneof(fc.anything({ maxDepth: 1 }), fc.double(), fc.constantFrom('N/A', '', ' ', '$5', 'yes', null))
  fc.assert(
    fc.property(value, value, value, (A, V, F) => {
      const leftOut = new Set<string>()
      const record = readRecord({ line: 1, properties: { ML: '1', A, V, F } }, {}, (field) => leftOut.add(field))
      for (const [field, key, raw] of [
        ['acreage', 'acreage', A],
        ['value_land', 'valueLand', V],
        ['is_agricultural', 'isAgricultural', F],
      ] as const) {
        const isEmpty = raw === null || raw === undefined || toTextOrNull(raw) === null
        const outcomes = [key in record, leftOut.has(field), isEmpty && !(key in record) && !leftOut.has(field)]
        expect(outcomes.filter(Boolean)).toHaveLength(1)
      }
    }),
  )
})

const toTextOrNull = (value: unknown): string | null => {
  try {
    return toText(value, 'n')
  } catch {
    return 'not text'
  }
}

test('fields that are not mapped are read from the columns of the same name', () => {
  const map = completeFieldMap(parseFieldMap('owner_name=Name', PARCEL_FIELDS), PARCEL_FIELDS)
  const properties = { source_parcel_id: '1', owner_name: 'not this', Name: 'ADA ELM', situs_zip: '01234' }
  expect(compileFieldMap(map, PARCEL_FIELDS)({ line: 1, properties })).toEqual({
    sourceParcelId: '1',
    ownerName: 'ADA ELM',
    situsZip: '01234',
  })
})

test.each([
  ['1234', 1234],
  ['$1,234.50', 1234.5],
  ['-$5', -5],
  ['$-5', -5],
  ['(1,000)', -1000],
  ['.5', 0.5],
  ['1e3', 1000],
  ['', null],
  [' ', null],
])('the number %j is %p', (text, number) => {
  expect(toNumber(text, 'n')).toBe(number)
})

test.each(['1,23', '0x10', '--5', '$', '.', '1 2', 'NaN', 'Infinity'])('%j is not a number', (text) => {
  expect(() => toNumber(text, 'n')).toThrow('must be a number')
})

test('numbers survive being written as text', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(toNumber(String(number), 'n')).toBe(number + 0)
    }),
  )
})

test('text is stored without control characters and extra blanks', () => {
  expect(toText('  ADA\u0000 \t ELM\r\n& BO\u00a0 OAK ', 'n')).toBe('ADA ELM & BO OAK')
  expect(toText('\u0000 ', 'n')).toBeNull()
  expect(toText('ADA\u00a0ELM', 'n')).toBe('ADA ELM')
  expect(toText('PEN\u0303A', 'n')).toBe('PE\u00d1A')
})

test.each([
  "join(', ', A, B|C, 'x''y')",
  'A-(B-C)',
  '(A+B)*C/"D e"',
  'A|B+C',
  '"a ""b"" c"',
  "choose(plain(A), '1', cut(B, 2, 3), replace(C, '\\d', ''))",
])('the expression %s is written as it was read', (expression) => {
  const [mapping] = parseFieldMap(`owner_name=${expression}`, PARCEL_FIELDS)
  expect(formatExpression((mapping as Mapping).expression)).toBe(expression)
})

test('a pattern takes linear time', () => {
  const processorMs = startProcessorClock()
  expect(read("owner_name=pick(Name, '(a+)+$')", { Name: `${'a'.repeat(400)}!` })).toEqual({})
  expect(processorMs()).toBeLessThan(5_000)
})

test('the map in a program has functions of the row, and expressions', async () => {
  const file = writeFixture(
    'lots-map.ts',
    `export const map = {
      source_parcel_id: (row: { PIN: string }) => row.PIN.split('/')[1],
      acreage: 'Sq/43560',
      owner_name: (row: { Owner: { first: string } }) => row.Owner.first,
    }`,
  )
  const readRecord = compileFieldMap(await readMapFile(file, PARCEL_FIELDS), PARCEL_FIELDS)
  const leftOut: string[] = []
  const record = readRecord({ line: 1, properties: { PIN: 'a/7', Sq: 43560 } }, {}, (_, fault) =>
    leftOut.push(fault.message),
  )
  expect(record).toEqual({ sourceParcelId: '7', acreage: 1 })
  expect(leftOut).toEqual([expect.stringContaining('owner_name: its function failed')])
})

test.each([
  ['unknown-field.ts', 'export const map = { owner: () => 1 }', '"owner" is not a field'],
  ['no-map.ts', 'export const other = {}', 'exports no object "map"'],
  ['broken-map.ts', 'export const map = {', 'broken-map.ts'],
])('the program %s is refused', async (name, text, message) => {
  await expect(readMapFile(writeFixture(name, text), PARCEL_FIELDS)).rejects.toThrow(message)
})
