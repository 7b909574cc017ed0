import { expect, test } from 'bun:test'
import type { Scrape } from '../../../adapters/scrape'
import type { StandingFinding } from '../../../src/scrape/review/rule'
import { findBy } from './review-input'

type Source = NonNullable<Scrape['data_as_of_source']>

const judge = (
  was: [string, Source],
  is: [string, Source],
  findings: readonly Pick<StandingFinding, 'rule' | 'evidence'>[] = [],
) =>
  findBy('older-data', {
    former: { data_as_of: was[0], data_as_of_source: was[1] },
    scrape: { data_as_of_source: is[1] },
    dataAsOf: is[0],
    previous: {
      ownerName: null,
      findings: findings.map((one) => ({
        ...{ subject: '', severity: 'medium', generatedAt: '2026-11-01T00:00:00.000Z', ...one },
      })),
    },
  })

test("a portal that shows last year's data again is a finding, with both years", () => {
  expect(judge(['2026', 'latest-tax-year'], ['2025', 'latest-tax-year'])).toEqual([
    { subject: '', severity: 'medium', evidence: { data_as_of: '2025', formerly: '2026' } },
  ])
  expect(judge(['2026-11-02', 'page-footer'], ['2026-11-01', 'page-footer'])).toHaveLength(1)
})

test('the finding lasts, unchanged, until the data is as current as before', () => {
  const standing = [{ rule: 'older-data', evidence: { data_as_of: '2025', formerly: '2026' } }]
  expect(judge(['2025', 'latest-tax-year'], ['2025', 'latest-tax-year'], standing)).toEqual([
    { subject: '', severity: 'medium', evidence: { data_as_of: '2025', formerly: '2026' } },
  ])
  expect(judge(['2025', 'latest-tax-year'], ['2026', 'latest-tax-year'], standing)).toEqual([])
})

test('dates of different kinds, of files and layers, and a year against a date in it are not compared', () => {
  expect(judge(['2026-11-01', 'page-footer'], ['2025', 'latest-tax-year'])).toEqual([])
  expect(judge(['2026-11-01', 'header'], ['2025-01-01', 'header'])).toEqual([])
  expect(judge(['2026-11-01', 'feature-server'], ['2025-01-01', 'feature-server'])).toEqual([])
  expect(judge(['2026', 'page-marker'], ['2026-01-01', 'page-marker'])).toEqual([])
  expect(findBy('older-data', { dataAsOf: '2025' })).toEqual([])
})
