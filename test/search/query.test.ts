import { expect, test } from 'bun:test'
import { LISTED_PARCELS } from '../../core/parcel-filter'
import { parseQuery, type SearchParams } from '../../search/query/query'

const params = (q: string, more: Partial<SearchParams> = {}): SearchParams => ({
  q,
  limit: 20,
  types: ['parcels', 'entities'],
  filter: LISTED_PARCELS,
  lat: null,
  lon: null,
  proximityKm: 50,
  group: null,
  ...more,
})

/** Each reading as "text | state". */
const readings = (q: string, more: Partial<SearchParams> = {}) =>
  parseQuery(params(q, more)).map(({ text, filter }) => `${text} | ${filter.state}`)

test.each([
  ['smith or', ['smith | OR', 'smith or | null']],
  ['smith OR', ['smith | OR', 'smith OR | null']],
  ['smith, Or ', ['smith | OR', 'smith, Or | null']],
  ['smith zz', ['smith zz | null']],
  ['smith oregon', ['smith | OR']],
  ['smith West Virginia', ['smith | WV']],
  ['smith new york', ['smith | NY']],
  ['smith district of columbia', ['smith | DC']],
  ['smith puerto rico', ['smith | PR']],
  ['smith pr', ['smith | PR', 'smith pr | null']],
  ['oregon', ['oregon | null']],
  ['west virginia', ['west virginia | null']],
  ['a or', ['a or | null']],
  ['ab or', ['ab | OR', 'ab or | null']],
  ['or smith', ['or smith | null']],
])('the state at the end of "%s" is read as %p', (q, expected) => {
  expect(readings(q)).toEqual(expected)
})

test('a given state turns extraction off', () => {
  expect(readings('smith or', { filter: { ...LISTED_PARCELS, state: 'WA' } })).toEqual(['smith or | WA'])
})

test.each([
  ['123 oak ct', ['123 oak ct | null']],
  ['123 n oak CT', ['123 n oak CT | null']],
  ['100 lake ct', ['100 lake ct | null']],
  ['12 rocky mt', ['12 rocky mt | null']],
  ['12 pelican ky', ['12 pelican ky | null']],
  ['123 oak st ct', ['123 oak st | CT', '123 oak st ct | null']],
  ['123 oak st hartford ct', ['123 oak st hartford | CT', '123 oak st hartford ct | null']],
  ['oak ct', ['oak | CT', 'oak ct | null']],
  ['123 oak or', ['123 oak | OR', '123 oak or | null']],
])('a street suffix that is also a state code is recognized by the street before it: "%s"', (q, expected) => {
  expect(readings(q)).toEqual(expected)
})

test.each([
  ['123 north main street apartment 4 ', '123 n main st unit 4'],
  ['123 n main street apt 4', '123 n main st unit 4'],
  ['123 N MAIN ST #4', '123 n main st unit 4'],
  ['200 southwest first avenue ', '200 sw 1st ave'],
  ['5 parkway boulevard suite 2', '5 pkwy blvd unit 2'],
])('"%s" is the address "%s"', (q, expected) => {
  expect(parseQuery(params(q))[0]?.addressWords.join(' ')).toBe(expected)
})

test('the word still being typed is unchanged', () => {
  expect(parseQuery(params('123 north'))[0]?.addressWords).toEqual(['123', 'north'])
  expect(parseQuery(params('123 north '))[0]?.addressWords).toEqual(['123', 'n'])
  expect(parseQuery(params('acme limited'))[0]?.nameWords).toEqual(['acme', 'limited'])
  expect(parseQuery(params('acme limited '))[0]?.nameWords).toEqual(['acme', 'ltd'])
})

test('names are compared without the punctuation inside them', () => {
  expect(parseQuery(params("Bauer & O'Callaghan, L.L.C. "))[0]?.nameWords).toEqual([
    'bauer',
    'and',
    'ocallaghan',
    'llc',
  ])
})

test('a parcel id is compared without its punctuation, with and without a state after it', () => {
  expect(parseQuery(params('1N1-30.CB 00100'))[0]?.parcelKeys).toEqual(['1n130cb00100'])
  expect(parseQuery(params('12-34 or'))[0]?.parcelKeys).toEqual(['1234or', '1234'])
})
