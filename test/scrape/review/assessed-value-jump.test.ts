import { expect, test } from 'bun:test'
import type { Scrape } from '../../../adapters/scrape'
import { findBy } from './review-input'

const jump = (before: number, now: number, scrape: Partial<Scrape> = {}) =>
  findBy('assessed-value-jump', {
    scrape: {
      valuation_history: [
        { year: 2025, assessed: before },
        { year: 2026, assessed: now },
      ],
      ...scrape,
    },
  })

test('more than a quarter above or below the previous year is a finding', () => {
  expect(jump(200_000, 251_000)).toEqual([
    {
      subject: '2026',
      severity: 'low',
      evidence: { field: 'assessed', year: 2026, was: 200_000, is: 251_000, change_pct: 25.5 },
    },
  ])
  expect(jump(200_000, 149_000)[0]).toMatchObject({ severity: 'low', evidence: { change_pct: -25.5 } })
  expect(jump(200_000, 450_000)[0]?.severity).toBe('medium')
  expect(jump(200_000, 0)[0]?.severity).toBe('medium')
})

test('exactly a quarter, small values and a first value are not findings', () => {
  expect(jump(200_000, 250_000)).toEqual([])
  expect(jump(200_000, 150_000)).toEqual([])
  expect(jump(300, 900)).toEqual([])
  expect(jump(0, 90_000)).toEqual([])
})

test('a new building or a sale explains it', () => {
  expect(jump(100_000, 400_000, { improvements: [{ type: 'DWELLING', year_built: 2025 }] })[0]).toMatchObject({
    severity: 'info',
    evidence: { built: 2025 },
  })
  expect(jump(100_000, 400_000, { sale_history: [{ sold_on: '2025-05-06' }] })[0]).toMatchObject({
    severity: 'info',
    evidence: { sold_on: '2025-05-06' },
  })
})

test('only two years in a row and one field of both are compared', () => {
  const none = (...valuation_history: NonNullable<Scrape['valuation_history']>) =>
    expect(findBy('assessed-value-jump', { scrape: { valuation_history } })).toEqual([])
  none({ year: 2026, assessed: 400_000 }, { year: 2024, assessed: 100_000 })
  none({ year: 2026, assessed: 40_000 }, { year: 2025, total: 100_000 })
  none({ year: 2026, assessed: 400_000 })
  // An old jump was reviewed in its own year.
  none({ year: 2026, assessed: 400_000 }, { year: 2025, assessed: 390_000 }, { year: 2024, assessed: 100_000 })
})
