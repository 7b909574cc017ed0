import type { Valuation } from '../../../adapters/scrape'

/** Portals list years in either order. */
export const newestFirst = <Entry extends { year: number }>(entries: readonly Entry[] = []): Entry[] =>
  entries.toSorted((a, b) => b.year - a.year)

export const newestValuation = (valuations: readonly Valuation[] | undefined): Valuation | undefined =>
  newestFirst(valuations)[0]
