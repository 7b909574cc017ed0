import { ScrapeError } from '../../scrape-error'
import { wordsOf } from '../text'

/**
 * Finds the index of each column in a table whose exact headings are unknown: that of the heading that matches the column's pattern.
 * Headings are compared in lower case. Columns without a matching heading are left out.
 *
 * @param name the table, for messages
 * @throws ScrapeError `page_changed` when several headings match a pattern, or one heading matches several patterns
 */
export const findColumns = <Name extends string>(
  headings: readonly (string | undefined)[],
  patterns: Readonly<Record<Name, RegExp>>,
  name: string,
): Partial<Record<Name, number>> => {
  const columns: Partial<Record<Name, number>> = {}
  const taken = new Set<number>()
  for (const [field, pattern] of Object.entries(patterns) as [Name, RegExp][]) {
    const found = headings.flatMap((heading, column) => (pattern.test(wordsOf(heading ?? '')) ? [column] : []))
    const [column, ...others] = found
    if (column === undefined) continue
    if (others.length > 0 || taken.has(column)) {
      const candidates = found.map((one) => headings[one]).join('" or "')
      throw new ScrapeError('page_changed', `the ${field} of "${name}" may be "${candidates}"`)
    }
    columns[field] = column
    taken.add(column)
  }
  return columns
}
