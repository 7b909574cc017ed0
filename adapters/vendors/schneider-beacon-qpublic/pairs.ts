import type { Region } from '../../reading/region'
import { wordsOf } from '../../reading/text'
import { ScrapeError } from '../../scrape-error'

export interface Pair {
  label: string
  value: Region
}

/** Labels and values of the tables with two columns. Labels may have a note on a second line. */
export const readPairs = (region: Region): Pair[] =>
  region.all('table.tabular-data-two-column tr').flatMap((row) => {
    const [label, value, ...others] = row.all('th, td')
    if (label === undefined || value === undefined || others.length > 0) return []
    return [{ label: wordsOf(label.lines[0] ?? ''), value }]
  })

/**
 * A pattern is a known label, a string the county's own.
 *
 * @throws ScrapeError `page_changed` when the county's own label is missing, or a label has two values
 */
export const findPair = (pairs: readonly Pair[], label: RegExp | string): Region | undefined => {
  const fits = (words: string) => (typeof label === 'string' ? words === wordsOf(label) : label.test(words))
  const first = pairs.find((pair) => fits(pair.label))
  const found = first?.value
  if (first !== undefined && pairs.some((pair) => pair.label === first.label && pair.value.text !== found?.text)) {
    throw new ScrapeError('page_changed', `"${first.label}" has two values in one part of the report`)
  }
  if (found === undefined && typeof label === 'string') {
    throw new ScrapeError('page_changed', `no "${label}" in the summary`)
  }
  return found
}
