import type { Scrape } from '../../../../adapters/scrape'
import type { ReviewInput, Rule } from '../rule'

const NAME = 'older-data'

/** A year and a date are compared by their years. */
const isOlder = (one: string, other: string): boolean => {
  const length = Math.min(one.length, other.length)
  return one.slice(0, length) < other.slice(0, length)
}

/** Dates that say when a file or a layer was written. They go back when a portal moves to another server. */
const WRITTEN: readonly Scrape['data_as_of_source'][] = ['header', 'feature-server']

/**
 * The newest date that the portal has shown, from the same kind of evidence. The scrape before this one may show the older data, too: then
 * the stored finding has the date.
 */
const newestShown = ({ scrape, former, previous }: ReviewInput): string | null => {
  const source = scrape.data_as_of_source
  if (WRITTEN.includes(source) || source !== former.data_as_of_source) return null
  const standing = previous?.findings.find(({ rule }) => rule === NAME)?.evidence.formerly
  return typeof standing === 'string' ? standing : (former.data_as_of ?? null)
}

/** The portal shows older data than before, for example last year's after a fault. */
export const olderData: Rule = {
  name: NAME,
  category: 'data-quality',
  suggestedAction: 'Open the portal. If it shows an earlier year by mistake, undo the scrape and tell the county.',
  check: (input) => {
    const { dataAsOf } = input
    const formerly = newestShown(input)
    if (dataAsOf === null || formerly === null || !isOlder(dataAsOf, formerly)) return []
    return [{ severity: 'medium', evidence: { data_as_of: dataAsOf, formerly } }]
  },
}
