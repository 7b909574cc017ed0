import { expect, test } from 'bun:test'
import { countNoun, describeRowsRead } from '../../../core/text/count-noun'

test('only one of a thing is singular, and thousands are separated', () => {
  expect([0, 1, 2, 1_234].map((count) => countNoun(count, 'parcel'))).toEqual([
    '0 parcels',
    '1 parcel',
    '2 parcels',
    '1,234 parcels',
  ])
  expect(countNoun(1, 'change waits', 'changes wait')).toBe('1 change waits')
  expect(countNoun(2, 'entity', 'entities')).toBe('2 entities')
})

test.each([
  [1, true, 'The only row'],
  [1, false, 'The first row'],
  [1_000, true, 'All 1,000 rows'],
  [1_000, false, 'The first 1,000 rows'],
])('%i rows that were read, all: %p, are described as "%s"', (read, isAll, words) => {
  expect(describeRowsRead(read, isAll)).toBe(words)
})
