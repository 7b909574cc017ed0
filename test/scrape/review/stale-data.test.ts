import { expect, test } from 'bun:test'
import type { Cadence } from '../../../src/scrape/review/rule'
import { findBy } from './review-input'

const judge = (dataAsOf: string | null, cadence: Cadence, now = '2026-11-21T12:00:00Z') =>
  findBy('stale-data', { dataAsOf, cadence, now: new Date(now) })

test('data older than two cadences, and than four', () => {
  expect(judge('2026-09-01', 'monthly')).toEqual([
    { subject: '', severity: 'low', evidence: { data_as_of: '2026-09-01', cadence: 'monthly' } },
  ])
  expect(judge('2026-07-01', 'monthly')[0]?.severity).toBe('medium')
  expect(judge('2026-10-01', 'monthly')).toEqual([])
  expect(judge('2023-01-01', 'annual')).toHaveLength(1)
})

test('a bare year means its last day, and is judged by years however often the source is read', () => {
  expect(judge('2025', 'daily')).toEqual([])
  expect(judge('2024', 'annual')).toEqual([])
  expect(judge('2023', 'daily')).toHaveLength(1)
})

test('the same evidence the day after: nothing is rewritten because time went by', () => {
  expect(judge('2026-09-01', 'monthly', '2026-11-22T12:00:00Z')).toEqual(judge('2026-09-01', 'monthly'))
})

test('no date, a date to come and one that is none are none', () => {
  expect(judge(null, 'daily')).toEqual([])
  expect(judge('2027', 'daily')).toEqual([])
  expect(judge('2026-13-45', 'daily')).toEqual([])
})
