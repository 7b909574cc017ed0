import { expect, test } from 'bun:test'
import { mergeScrape } from '../../../src/scrape/store/merge-scrape'

const first = { parcel_number: '1', fetched_at: '2026-01-01T00:00:00.000Z' }
const later = { parcel_number: '1', fetched_at: '2026-02-01T00:00:00.000Z' }

test('fields that a scrape has replace the old ones, and other fields stay', () => {
  const before = { ...first, owner_name: 'ADA', exemptions: [{ code: 'HS' }], statements: [{ tax_year: 2025 }] }
  expect(mergeScrape(before, { ...later, statements: [{ tax_year: 2026 }], exemptions: [] })).toEqual({
    ...later,
    owner_name: 'ADA',
    exemptions: [],
    statements: [{ tax_year: 2026 }],
  })
})

test('sale_history_observed_at is when sales were last seen, not when they were last looked for', () => {
  const seen = mergeScrape({}, { ...first, sale_history: [{ price: 1 }] })
  expect(seen.sale_history_observed_at).toBe(first.fetched_at)
  const unseen = mergeScrape(seen, later)
  expect(unseen).toMatchObject({ sale_history: [{ price: 1 }], sale_history_observed_at: first.fetched_at })
  expect(mergeScrape(unseen, { ...later, sale_history: [] }).sale_history_observed_at).toBe(later.fetched_at)
})

test('sales whose dates the service can no longer read do not replace sales with dates', () => {
  const before = mergeScrape({}, { ...first, sale_history: [{ sold_on: '2009-08-13', price: 1 }] })
  const undated = mergeScrape(before, { ...later, sale_history: [{ price: 1 }] })
  expect(undated).toMatchObject({ sale_history: before.sale_history, sale_history_observed_at: first.fetched_at })
  expect(mergeScrape(first, { ...later, sale_history: [{ price: 1 }] }).sale_history).toEqual([{ price: 1 }])
})

test('validators come from one response; they stay while no response has any', () => {
  const before = mergeScrape({}, { ...first, http_etag: '"a"', http_last_modified: 'Thu, 01 Jan 2026 00:00:00 GMT' })
  expect(mergeScrape(before, later)).toMatchObject({ http_etag: '"a"' })
  expect(mergeScrape(before, { ...later, http_etag: '"b"' })).toEqual({ ...later, http_etag: '"b"' })
})

test('findings of an earlier review are not kept', () => {
  const before = { ...first, review_findings: [{ severity: 'low', category: 'tax', evidence: {} }] }
  expect(mergeScrape(before, later).review_findings).toBeUndefined()
})
