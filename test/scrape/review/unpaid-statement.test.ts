import { expect, test } from 'bun:test'
import type { Statement } from '../../../adapters/scrape'
import { findBy, severitiesBy } from './review-input'

const judge = (...statements: Statement[]) => severitiesBy('unpaid-statement', { scrape: { statements } })

test('delinquent, overdue and partly paid bills are findings', () => {
  expect(judge({ tax_year: 2026, status: 'delinquent', due: 900 })).toEqual(['high'])
  expect(judge({ tax_year: 2026, status: 'unpaid', due: 900, due_on: '2026-11-20' })).toEqual(['medium'])
  expect(judge({ tax_year: 2026, due: 900, due_on: '2026-11-20' })).toEqual(['medium'])
  expect(judge({ tax_year: 2026, status: 'partial', due: 450, due_on: '2026-05-15' })).toEqual(['low'])
})

test('a bill that is not yet due, is paid, or owes nothing is not a finding', () => {
  expect(judge({ tax_year: 2026, status: 'unpaid', due: 900, due_on: '2026-11-21' })).toEqual([])
  expect(judge({ tax_year: 2026, status: 'unpaid', due: 900, due_on: '2027-02-28' })).toEqual([])
  expect(judge({ tax_year: 2024, status: 'paid', billed: 900, due_on: '2024-11-15' })).toEqual([])
  expect(judge({ tax_year: 2024, status: 'unpaid', due: 0, due_on: '2024-11-15' })).toEqual([])
  expect(judge({ tax_year: 2024, billed: 900 })).toEqual([])
})

test('a bill without a due date is overdue after two years, because bills of a year may be due in the next', () => {
  expect(judge({ tax_year: 2025, status: 'unpaid', due: 900 })).toEqual([])
  expect(judge({ tax_year: 2024, status: 'unpaid', due: 900 })).toEqual(['medium'])
})

test('a bill that the portal lists twice is one finding, with the figures of the first', () => {
  const bill = { tax_year: 2025, bill_number: 'B-1', status: 'delinquent' as const }
  const statements: Statement[] = [
    { ...bill, due: 20 },
    { ...bill, due: 10 },
  ]
  expect(findBy('unpaid-statement', { scrape: { statements } }).map(({ evidence }) => evidence.due)).toEqual([20])
})

test('every bill is a separate finding, identified by year and number', () => {
  const statements: Statement[] = [
    { tax_year: 2025, bill_number: 'B-2', status: 'delinquent', due: 20 },
    { tax_year: 2025, bill_number: 'B-1', status: 'delinquent', due: 10 },
    { tax_year: 2024, status: 'delinquent', due: 5 },
  ]
  expect(findBy('unpaid-statement', { scrape: { statements } }).map(({ subject }) => subject)).toEqual([
    '2025 B-2',
    '2025 B-1',
    '2024',
  ])
})
