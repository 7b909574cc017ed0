import type { Statement, Valuation } from '../scrape'
import { ScrapeError } from '../scrape-error'
import { noteCombined } from './page/reading-report'

/**
 * One valuation per year, newest first. Rows and tables of one year complete each other. A year's rows may also repeat each other.
 *
 * @throws ScrapeError `page_changed` when two of them differ: it is not known which is the year's value, or whether they are its parts
 */
export const mergeYears = (valuations: readonly Valuation[]): Valuation[] => {
  const years = new Map<number, Valuation>()
  for (const next of valuations) {
    const known: Partial<Valuation> = years.get(next.year) ?? {}
    const differing = Object.entries(next).find(([name, value]) => (known[name as keyof Valuation] ?? value) !== value)
    if (differing !== undefined) {
      throw new ScrapeError('page_changed', `${next.year} has two values for "${differing[0]}"`)
    }
    const merged = { ...known, ...next }
    noteCombined(merged, [years.get(next.year), next])
    years.set(next.year, merged)
  }
  return [...years.values()].toSorted((one, other) => other.year - one.year)
}

/**
 * The years with several statements that are not told apart by their bills. They may be halves, districts or kinds of tax, whose sum is the
 * year's tax, or an old and a corrected bill.
 */
export const listUnclearYears = (statements: readonly Statement[]): number[] =>
  [...Map.groupBy(statements, ({ tax_year }) => tax_year)].flatMap(([year, bills]) => {
    const numbers = new Set(bills.map(({ bill_number }) => bill_number))
    return bills.length === 1 || (numbers.size === bills.length && !numbers.has(undefined)) ? [] : [year]
  })
