import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { CQL2_BOUNDS, type Cql2 } from '../../core/cql2/cql2'
import { parseCql2 } from '../../core/cql2/parse-cql2'
import { PARCEL_QUERYABLES } from '../../core/parcels/queryables'
import { ServiceError } from '../../core/service-error'

const parse = (text: string): Cql2 => parseCql2(text, PARCEL_QUERYABLES)

const owner = { property: 'owner_name', ignoresCase: false }
const value = { property: 'assessed_value', ignoresCase: false }

test.each<[string, Cql2]>([
  ["owner_name = 'WEBB'", { kind: 'compare', ...owner, operator: '=', value: 'WEBB' }],
  // QGIS quotes names with an underscore and puts everything into parentheses.
  [`("owner_name" = 'O''NEIL')`, { kind: 'compare', ...owner, operator: '=', value: "O'NEIL" }],
  ["owner_name = 'O\\'NEIL'", { kind: 'compare', ...owner, operator: '=', value: "O'NEIL" }],
  ['assessed_value >= -1.5e3', { kind: 'compare', ...value, operator: '>=', value: -1500 }],
  ["updated_at < TIMESTAMP('2026-01-02T03:04:05Z')", time('<', '2026-01-02T03:04:05.000Z')],
  ["updated_at >= DATE('2026-01-02')", time('>=', '2026-01-02T00:00:00.000Z')],
  // GDAL sends times as texts.
  ["updated_at > '2026-01-02T03:04:05Z'", time('>', '2026-01-02T03:04:05.000Z')],
  [
    `(CASEI("owner_name") LIKE CASEI('%webb%'))`,
    { kind: 'like', property: 'owner_name', ignoresCase: true, pattern: '%webb%' },
  ],
  ['true', { kind: 'constant', value: true }],
  [
    'NOT FALSE AND acreage IS NULL',
    {
      kind: 'and',
      parts: [
        { kind: 'not', part: { kind: 'constant', value: false } },
        { kind: 'is null', property: 'acreage' },
      ],
    },
  ],
  // Control characters, escaped as /req/cql2-text/escaping says.
  ["owner_name = 'a\\a\\b\\t\\n\\v\\f\\rz'", { kind: 'compare', ...owner, operator: '=', value: 'a\x07\b\t\n\v\f\rz' }],
  ["owner_name LIKE '\\%\\_\\\\n'", { kind: 'like', ...owner, pattern: '\\%\\_\\\\n' }],
  ...['TRUE', '1', 'false', '0'].map((text): [string, Cql2] => [
    `is_agricultural = ${text}`,
    { kind: 'compare', property: 'is_agricultural', ignoresCase: false, operator: '=', value: /TRUE|1/.test(text) },
  ]),
  ["owner_name ILIKE 'webb%'", { kind: 'like', property: 'owner_name', ignoresCase: true, pattern: 'webb%' }],
  ["owner_name NOT LIKE 'W%'", { kind: 'not', part: { kind: 'like', ...owner, pattern: 'W%' } }],
  ['acreage BETWEEN 1 AND 2', { kind: 'between', property: 'acreage', low: 1, high: 2 }],
  ["situs_city IN ('A', 'B')", { kind: 'in', property: 'situs_city', ignoresCase: false, values: ['A', 'B'] }],
  ['owner_name IS NULL', { kind: 'is null', property: 'owner_name' }],
  ['owner_name IS NOT NULL', { kind: 'not', part: { kind: 'is null', property: 'owner_name' } }],
  [
    'acreage IS NULL or not acreage IS NULL AND value_land IS NULL',
    {
      kind: 'or',
      parts: [
        { kind: 'is null', property: 'acreage' },
        {
          kind: 'and',
          parts: [
            { kind: 'not', part: { kind: 'is null', property: 'acreage' } },
            { kind: 'is null', property: 'value_land' },
          ],
        },
      ],
    },
  ],
])('%s is understood', (text, expected) => {
  expect(parse(text)).toEqual(expected)
})

function time(operator: '<' | '>' | '>=', text: string): Cql2 {
  return { kind: 'compare', property: 'updated_at', ignoresCase: false, operator, value: text }
}

test.each([
  ['', 'filter ends where a property is expected'],
  ['owner = 1', 'filter has "owner", which is not a property; known are source, '],
  ['assessed_value = ', 'filter ends where a number for assessed_value is expected'],
  ["assessed_value = 'much'", 'filter has "much" where a number for assessed_value is expected'],
  ['owner_name = 7', `filter has "7" where a text in '...' for owner_name is expected`],
  ['owner_name = value_land', `filter has "value_land" where a text in '...' for owner_name is expected`],
  ["updated_at > '2026-02'", 'where a time in ISO 8601'],
  ['is_agricultural = 2', 'where TRUE or FALSE for is_agricultural is expected'],
  ["updated_at > DATE('2026-02-30')", 'filter has "2026-02-30" where a time in ISO 8601'],
  ["updated_at > TIMESTAMP('2026-02-29T00:00:00Z')", 'where a time in ISO 8601'],
  ['acreage LIKE 1', 'filter has LIKE after acreage, which is not text'],
  ['CASEI(acreage) = 1', 'filter has CASEI(acreage), which is not text'],
  ["owner_name LIKE 'a\\'", 'filter cannot be read from character 16'],
  ["owner_name LIKE 'a\\ \\'", 'filter cannot be read'],
  ['acreage + 1 > 2', 'filter cannot be read from character 8: "+ 1 > 2"'],
  ['acreage = 1 acreage = 2', 'filter has "acreage" where the end is expected'],
  ['S_INTERSECTS(geometry, POINT(0 0))', 'filter has "S_INTERSECTS", which is not a property'],
  [`${'('.repeat(200)}acreage = 1`, `filter is nested deeper than ${CQL2_BOUNDS.depth} levels`],
  [`${'not '.repeat(200)}acreage = 1`, `filter is nested deeper than ${CQL2_BOUNDS.depth} levels`],
  [`acreage IN (${'1,'.repeat(900)}1)`, `filter has more than ${CQL2_BOUNDS.tokens} words and signs`],
  ['x'.repeat(5_000), 'filter has 5000 characters, more than 4000'],
])('%p is refused: %s', (text, problem) => {
  expect(() => parse(text)).toThrow(problem)
})

test('no text makes the parser fail with any other error', () => {
  const words = [
    'owner_name',
    'acreage',
    'AND',
    'OR',
    'NOT',
    '(',
    ')',
    "'a'",
    '1',
    '=',
    '<>',
    'LIKE',
    'IN',
    ',',
    'IS NULL',
    '"',
    "'",
    '\\',
  ]
  const texts = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((parts) => parts.join(' ')),
  )
  fc.assert(
    fc.property(texts, (text) => {
      try {
        parse(text)
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError)
      }
    }),
    { numRuns: 2_000 },
  )
})
