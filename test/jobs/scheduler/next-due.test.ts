import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { CADENCES, type Cadence } from '../../../drizzle/schema/values'
import { nextDue } from '../../../src/jobs/scheduler/next-due'

const day = (text: string) => new Date(`${text}T06:00:00Z`)
const next = (cadence: Cadence, due: string, now = due) =>
  nextDue(cadence, day(due), day(now)).toISOString().slice(0, 10)

test.each([
  ['daily', '2026-02-28', '2026-03-01'],
  ['weekly', '2026-02-28', '2026-03-07'],
  ['monthly', '2026-01-31', '2026-02-28'],
  ['quarterly', '2026-01-31', '2026-04-30'],
  ['annual', '2024-02-29', '2025-02-28'],
  ['tax-statement-window', '2026-10-01', '2026-11-01'],
  ['tax-statement-window', '2026-12-15', '2027-01-15'],
  ['tax-statement-window', '2027-01-15', '2027-10-01'],
  ['tax-statement-window', '2026-05-05', '2026-10-01'],
  ['tax-statement-window', '2026-09-15', '2026-10-01'],
] as const)('%s: the date after %s is %s', (cadence, due, expected) => {
  expect(next(cadence, due)).toBe(expected)
})

test('missed runs are skipped, and the cadence does not shift', () => {
  expect(next('monthly', '2026-01-31', '2026-04-10')).toBe('2026-04-30')
  expect(next('weekly', '2026-01-01', '2026-01-20')).toBe('2026-01-22')
  expect(next('tax-statement-window', '2025-12-15', '2026-11-05')).toBe('2026-12-01')
  expect(next('tax-statement-window', '2026-09-15', '2026-11-05')).toBe('2026-12-01')
})

test('at the very time of a date, the next one is later', () => {
  const october = new Date('2026-10-01T00:00:00Z')
  expect(nextDue('tax-statement-window', day('2026-05-05'), october)).toEqual(new Date('2026-11-01T00:00:00Z'))
  expect(nextDue('monthly', day('2026-09-01'), day('2026-10-01'))).toEqual(day('2026-11-01'))
})

test('a source whose day a shorter month does not have keeps the earlier day', () => {
  const february = next('monthly', '2026-01-31')
  expect([february, next('monthly', february)]).toEqual(['2026-02-28', '2026-03-28'])
  // Several turns in one call do not shorten it.
  expect(next('monthly', '2026-01-31', '2026-03-01')).toBe('2026-03-31')
})

test('for any dates, the next one is in the future and at most a year away', () => {
  const moment = fc.date({ min: new Date('2000-01-01'), max: new Date('2060-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(fc.constantFrom(...CADENCES), moment, fc.integer({ min: 0, max: 4_000 }), (cadence, due, lateDays) => {
      const now = new Date(due.getTime() + lateDays * 86_400_000)
      const following = nextDue(cadence, due, now)
      expect(following.getTime()).toBeGreaterThan(now.getTime())
      expect(following.getTime() - now.getTime()).toBeLessThanOrEqual(366 * 86_400_000)
      if (cadence === 'tax-statement-window') expect([9, 10, 11, 0]).toContain(following.getUTCMonth())
    }),
  )
})
