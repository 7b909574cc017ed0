import { expect, test } from 'bun:test'
import { findBy, severitiesBy } from './review-input'

const valuation = (land: number, improvement: number, total: number) => ({
  scrape: { valuation_history: [{ year: 2026, land, improvement, total, assessed: 1 }] },
})

test('land and improvement that do not add up to the total are a finding', () => {
  expect(findBy('value-parts', valuation(100_000, 150_000, 260_000))).toEqual([
    {
      subject: '',
      severity: 'medium',
      evidence: { year: 2026, value_land: 100_000, value_improvement: 150_000, total: 260_000, difference: 10_000 },
    },
  ])
  expect(severitiesBy('value-parts', valuation(100_000, 150_000, 200_000))).toEqual(['medium'])
  // Rounding: 100 dollars, or a thousandth of a total above 100,000.
  expect(findBy('value-parts', valuation(100_000, 150_000, 250_250))).toEqual([])
  expect(findBy('value-parts', valuation(100_000, 150_000, 250_260))).toHaveLength(1)
  expect(findBy('value-parts', valuation(1_000, 1_500, 2_600))).toEqual([])
  expect(findBy('value-parts', valuation(1_000, 1_500, 2_601))).toHaveLength(1)
})

const parts = (assessedValue: number, state: string) => ({ state, parcel: { assessedValue } })

test('without a total, the assessed value is compared', () => {
  expect(findBy('value-parts', parts(300_000, 'WA'))).toEqual([
    {
      subject: '',
      severity: 'medium',
      evidence: { value_land: 100_000, value_improvement: 150_000, assessed_value: 300_000, difference: 50_000 },
    },
  ])
  expect(severitiesBy('value-parts', parts(240_000, 'WA'))).toEqual(['low'])
})

test('where states assess at a fraction, or cap the rise, a total below the sum is right and a total above it is not', () => {
  expect(findBy('value-parts', parts(100_000, 'GA'))).toEqual([])
  expect(findBy('value-parts', parts(180_000, 'OR'))).toEqual([])
  expect(severitiesBy('value-parts', parts(300_000, 'GA'))).toEqual(['medium'])
})
