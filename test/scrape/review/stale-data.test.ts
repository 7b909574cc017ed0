import { expect, test } from 'bun:test'
import type { Cadence } from '../../../src/scrape/review/rule'
import { findBy } from './review-input'

const judge = (dataAsOf: string | null, cadence: Cadence, now = '2026-11-21T12:00:00Z') =>
  findBy('stale-data', { dataAsOf, cadence, now: new Date(now) })

test('data older than two cadences is a finding, and older than four a more severe one', () => {
  expect(judge('2026-09-01', 'monthly')).toEqual([
    { subject: '', severity: 'low', evidence: { data_as_of: '2026-09-01', cadence: 'monthly' } },
  ])
  expect(judge('2026-07-01', 'monthly')[0]?.severity).toBe('medium')
  expect(judge('2026-10-01', 'monthly')).toEqual([])
  expect(judge('2023-01-01', 'annual')).toHaveLength(1)
})

test('a bare year means its last day, and its age is counted in years for every cadence', () => {
  expect(judge('2025', 'daily')).toEqual([])
  expect(judge('2024', 'annual')).toEqual([])
  expect(judge('2023', 'daily')).toHaveLength(1)
})

test('the evidence is the same a day later, so nothing is rewritten because time passed', () => {
  expect(judge('2026-09-01', 'monthly', '2026-11-22T12:00:00Z')).toEqual(judge('2026-09-01', 'monthly'))
})

test('no date, a future date and an invalid date are not findings', () => {
  expect(judge(null, 'daily')).toEqual([])
  expect(judge('2027', 'daily')).toEqual([])
  expect(judge('2026-13-45', 'daily')).toEqual([])
})
