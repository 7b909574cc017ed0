import { expect, test } from 'bun:test'
import type { Improvement, Scrape } from '../../../adapters/scrape'
import { findBy } from './review-input'

const HOUSE: Improvement = { type: 'DWELLING', year_built: 1975, living_area_sq_ft: 1_840 }
const judge = (improvement: Improvement, valueImprovement: number | null, scrape: Partial<Scrape> = {}, parcel = {}) =>
  findBy('improvement-without-value', {
    parcel: { valueImprovement, ...parcel },
    scrape: { improvements: [improvement], ...scrape },
  })

test('a building without a value for improvements is a finding', () => {
  expect(judge(HOUSE, 0)).toEqual([
    {
      subject: '',
      severity: 'medium',
      evidence: { value_improvement: 0, value_land: 100_000, improvements: [HOUSE] },
    },
  ])
  expect(judge(HOUSE, null)[0]?.severity).toBe('low')
  expect(judge(HOUSE, 0, { exemptions: [{ description: 'CHURCH' }] })[0]?.severity).toBe('info')
})

test('a value in the parcel or its newest valuation, or a portal without separate values, is not a finding', () => {
  expect(judge(HOUSE, 90_000)).toEqual([])
  expect(judge(HOUSE, null, { valuation_history: [{ year: 2026, improvement: 90_000 }] })).toEqual([])
  expect(judge(HOUSE, null, {}, { valueLand: null })).toEqual([])
})

test('property that is not valued with the land is not a finding: new, demolished, mobile, or not a building', () => {
  expect(judge({ ...HOUSE, year_built: 2026 }, 0)).toEqual([])
  expect(judge({ ...HOUSE, year_built: 2025 }, 0)).toEqual([])
  expect(judge({ ...HOUSE, year_built: 2024 }, 0)).toHaveLength(1)
  expect(judge({ ...HOUSE, description: 'DEMOLISHED 2020' }, 0)).toEqual([])
  expect(judge({ ...HOUSE, type: 'MOBILE HOME' }, 0)).toEqual([])
  expect(judge({ type: 'FENCE' }, 0)).toEqual([])
})
