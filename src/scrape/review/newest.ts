import type { Sale, Valuation } from '../../../adapters/scrape'

/** Portals list years in either order. */
export const newestFirst = <Entry extends { year: number }>(entries: readonly Entry[] = []): Entry[] =>
  entries.toSorted((a, b) => b.year - a.year)

export const newestValuation = (valuations: readonly Valuation[] | undefined): Valuation | undefined =>
  newestFirst(valuations)[0]

/** The newest sale whose date is known. */
export const newestSale = (sales: readonly Sale[] = []): (Sale & { sold_on: string }) | undefined =>
  sales
    .flatMap((sale) => (sale.sold_on === undefined ? [] : { ...sale, sold_on: sale.sold_on }))
    .toSorted((one, other) => other.sold_on.localeCompare(one.sold_on))[0]
