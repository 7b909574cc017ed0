import { expect, test } from 'bun:test'
import { readTime } from '../../../core/text/read-time'

const CASES: [text: string, time: string | null][] = [
  ['2026-01-02', '2026-01-02T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2026-01-02T03:04Z', '2026-01-02T03:04:00.000Z'],
  ['2026-11-01T01:30:00.123456-07:00', '2026-11-01T08:30:00.123Z'],
  ['2026-02-29', null],
  ['2026-02-30T00:00:00Z', null],
  ['2026-13-01', null],
  ['2026-01-02T03:04:05', null],
  ['2026-01-02T03:04:05+24:00', null],
  ['0000-01-01', null],
  ['1', null],
  ['tomorrow', null],
]

test.each(CASES)('the time %p is %p', (text, time) => {
  expect(readTime(text)).toBe(time)
})
