import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseRange } from '../../../src/http/convention/response/byte-range'

test('a single range from either end is honored; an invalid range or several ranges select everything', () => {
  const cases: [string | null, ReturnType<typeof parseRange>][] = [
    [null, 'all'],
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=10-19', { start: 10, end: 20 }],
    ['Bytes= 10-19 ', { start: 10, end: 20 }],
    ['bytes=10-', { start: 10, end: 100 }],
    ['bytes=-10', { start: 90, end: 100 }],
    ['bytes=-1000', { start: 0, end: 100 }],
    ['bytes=90-1000', { start: 90, end: 100 }],
    ['bytes=99-99999999999999999999', { start: 99, end: 100 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=100-200', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=20-10', 'all'],
    ['bytes=0-1,5-6', 'all'],
    ['bytes=-', 'all'],
    ['bytes', 'all'],
    ['lines=0-1', 'all'],
    ['bytes=0x1-2', 'all'],
    ['bytes=1.5-2', 'all'],
  ]
  for (const [header, range] of cases) expect(parseRange(header, 100), header ?? '').toEqual(range)
})

test('for any header, the range is within the bytes and not empty', () => {
  const part = fc.oneof(fc.constant(''), fc.nat().map(String), fc.bigInt({ min: 0n }).map(String), fc.string())
  fc.assert(
    fc.property(part, part, fc.integer({ min: 1, max: 2 ** 40 }), (first, last, sizeBytes) => {
      const range = parseRange(`bytes=${first}-${last}`, sizeBytes)
      if (typeof range === 'string') return
      expect(range.start).toBeGreaterThanOrEqual(0)
      expect(range.start).toBeLessThan(range.end)
      expect(range.end).toBeLessThanOrEqual(sizeBytes)
    }),
  )
})
