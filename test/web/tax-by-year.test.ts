import { expect, test } from 'bun:test'
import { taxByYear } from '../../src/web/app/pages/parcel/tax-by-year'

test('the chart of the tax has the sum of the bills of a year, and no year with an unknown amount', () => {
  const bills = [
    { tax_year: 2025, billed: 100, due: 0 },
    { tax_year: 2025, billed: 40 },
    { tax_year: 2024, billed: 90, due: 10 },
    { tax_year: 2023 },
  ]
  expect(taxByYear(bills, 'billed')).toEqual([
    { year: 2025, value: 140 },
    { year: 2024, value: 90 },
  ])
  expect(taxByYear(bills, 'due')).toEqual([{ year: 2024, value: 10 }])
})
