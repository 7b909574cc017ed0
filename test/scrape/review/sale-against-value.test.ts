import { expect, test } from 'bun:test'
import type { Sale, Scrape } from '../../../adapters/scrape'
import { findBy } from './review-input'

const judge = (sale: Sale, state = 'WA', scrape: Partial<Scrape> = {}, parcel = {}) =>
  findBy('sale-against-value', { state, parcel, scrape: { sale_history: [sale], ...scrape } })

test('a price above twice or below half the value is a finding', () => {
  expect(judge({ sold_on: '2025-06-01', price: 600_000 })).toEqual([
    {
      subject: '',
      severity: 'low',
      evidence: { sold_on: '2025-06-01', price: 600_000, value: 250_000, value_is: 'parts', ratio: 2.4 },
    },
  ])
  expect(judge({ sold_on: '2025-06-01', price: 100_000 })[0]?.severity).toBe('low')
  expect(judge({ sold_on: '2025-06-01', price: 2_000_000 })[0]?.severity).toBe('medium')
  expect(judge({ sold_on: '2025-06-01', price: 500_000 })).toEqual([])
  expect(judge({ sold_on: '2025-06-01', price: 125_000 })).toEqual([])
})

test('where land is assessed at a fraction, the price is compared with the market value; without one, only a low price is a finding', () => {
  const only = { assessedValue: 20_000, valueLand: null, valueImprovement: null }
  expect(judge({ sold_on: '2025-06-01', price: 200_000 }, 'LA', {}, only)).toEqual([])
  expect(judge({ sold_on: '2025-06-01', price: 9_000 }, 'LA', {}, only)[0]?.evidence).toMatchObject({ ratio: 0.45 })
  const withMarket = { valuation_history: [{ year: 2026, total: 200_000, assessed: 20_000 }] }
  expect(judge({ sold_on: '2025-06-01', price: 210_000 }, 'LA', withMarket, only)).toEqual([])
  expect(judge({ sold_on: '2025-06-01', price: 700_000 }, 'LA', withMarket, only)[0]?.evidence).toMatchObject({
    value: 200_000,
    value_is: 'total',
  })
})

test('old sales, nominal prices and deeds outside the market are not findings', () => {
  expect(judge({ sold_on: '2023-11-21', price: 10_000_000 })).toHaveLength(1)
  expect(judge({ sold_on: '2023-11-20', price: 10_000_000 })).toEqual([])
  const sale = { sold_on: '2025-06-01', price: 10_000_000, grantor: 'ELM ADA' }
  expect(judge({ ...sale, grantee: 'ELM BO' })).toHaveLength(1)
  expect(judge({ ...sale, grantee: 'ELM ADA' })).toEqual([])
  expect(judge({ sold_on: '2025-06-01', price: 10 })).toEqual([])
  expect(judge({ price: 10_000_000 })).toEqual([])
  for (const deed_type of ['QUIT CLAIM DEED', 'GIFT DEED', "SHERIFF'S DEED", 'QCD', 'ESTATE DEED']) {
    expect(judge({ sold_on: '2025-06-01', price: 2_000, deed_type }), deed_type).toEqual([])
  }
  expect(judge({ sold_on: '2025-06-01', price: 2_000, deed_type: 'REAL ESTATE WARRANTY DEED' })).toHaveLength(1)
})
