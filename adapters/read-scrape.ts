import type { Static, TSchema } from '@sinclair/typebox'
import type { Adapter, RawDocument, ReadParcel, ScrapedParcel, ScrapeTarget } from './adapter'
import { redactUrl } from './http/redact-url'
import { expectParcel, isSameParcel } from './reading/page/expect-parcel'
import { type ReadLists, watchReading } from './reading/page/reading-report'
import { listUnclearYears, mergeYears } from './reading/years'
import type { Scrape } from './scrape'
import { ScrapeError } from './scrape-error'

/**
 * Reads documents into a scrape of the target. Only this function decides whether they belong to the target: every number that
 * the adapter found on them must be its `source_parcel_id`. If the parcel is stored under another number than the portal shows (its
 * scrape data, from an earlier scrape or crawl, names it), that number counts too. The request's `overrides` do not count.
 * The `report` names the labels that the adapter did not read.
 *
 * @throws ScrapeError `wrong_parcel`, or what the adapter throws
 */
export const readScrape = <Config extends TSchema>(
  adapter: Adapter<Config>,
  documents: readonly RawDocument[],
  target: ScrapeTarget,
  config: Static<Config>,
): ScrapedParcel => {
  const { result, report, pages, lists } = watchReading(
    () => adapter.parse(documents, target, config),
    isValueOf,
    target,
  )
  const { shownIds, ...scraped } = result
  const hasJson = documents.some(({ headers }) => headers['content-type']?.includes('json') === true)
  if (pages > 0 && !hasJson) scraped.scrape = withoutUnknown(scraped.scrape, lists, report.warnings)
  scraped.scrape = withClearYears(scraped.scrape, report.warnings)
  if (shownIds.length === 0) throw new Error(`${adapter.vendor} returned no parcel number for its documents`)
  const { sourceParcelId, storedNumber, otherSpelling } = target
  const isStoredNumber =
    storedNumber !== null &&
    [...shownIds, scraped.scrape.parcel_number].every((shown) => isSameParcel(shown, storedNumber))
  if (!isStoredNumber) for (const shown of shownIds) expectParcel(shown, sourceParcelId)
  // Portals find a parcel by any spelling of its number. Only the portal's own spelling may add a second parcel.
  if (otherSpelling !== null && !shownIds.every((shown) => shown === sourceParcelId)) {
    throw new ScrapeError(
      'wrong_parcel',
      `the page is of parcel "${shownIds[0]}", which is stored as "${otherSpelling}"`,
    )
  }
  const { url } = documents.find(({ name }) => PARCEL_PAGES.includes(name)) ?? documents.at(-1) ?? {}
  return { ...scraped, ...(url === undefined ? {} : { page: pageAddress(url) }), report }
}

/**
 * For HTML pages; JSON has its own lists. Leaves out the lists that the page does not show whole, each with a warning, because they would
 * replace what is stored, and unknown is not none. An empty list means that the portal has no entries, so it needs a place on the page
 * that says so: if there are fewer such places than empty lists, or a table has only blank rows, the empty lists are left out.
 *
 * @throws ScrapeError `page_changed` when an owner was not understood
 */
const withoutUnknown = (scrape: Scrape, lists: ReadLists, warnings: string[]): Scrape => {
  const unknown: string[] = []
  const empty: string[] = []
  for (const [name, value] of Object.entries(scrape)) {
    if (!Array.isArray(value)) continue
    if (value.length === 0) empty.push(name)
    const place = value.map(lists.incompleteAround).find((found) => found !== undefined)
    if (place === undefined) continue
    if (name === 'owners') throw new ScrapeError('page_changed', `an owner under "${place}" was not understood`)
    warnings.push(`a row under "${place}" was not understood, so the list is left out: ${name}`)
    unknown.push(name)
  }
  if (empty.length > 0 && (lists.hasUnknown || empty.length > lists.nones)) {
    warnings.push(`nothing on the page says that there are none: ${empty.join(', ')}`)
    unknown.push(...empty)
  }
  return Object.fromEntries(Object.entries(scrape).filter(([name]) => !unknown.includes(name))) as Scrape
}

/**
 * The contract has one valuation per year, and one statement per year or numbered bill. Leaves out statements if it is not clear which of
 * them is a year's tax.
 *
 * @throws ScrapeError `page_changed` when two valuations of a year differ
 */
const withClearYears = (scrape: Scrape, warnings: string[]): Scrape => {
  const { statements = [], valuation_history: history = [] } = scrape
  const unclear = listUnclearYears(statements)
  const kept = { ...scrape }
  if (new Set(history.map(({ year }) => year)).size < history.length) kept.valuation_history = mergeYears(history)
  if (unclear.length === 0) return kept
  warnings.push(`several statements are of the same year (${unclear.join(', ')}), so the list is left out: statements`)
  delete kept.statements
  return kept
}

/** Whether this text is a value of the record. */
const isValueOf = (text: string, { fields, scrape }: ReadParcel): boolean =>
  valuesIn([fields, scrape]).has(text.toLowerCase())

const valuesIn = (value: unknown, values = new Set<string>()): Set<string> => {
  if (typeof value === 'string') values.add(value.toLowerCase())
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) valuesIn(part, values)
  return values
}

/** Names of documents that show the parcel. Documents before and after them are searches, lists and bills. */
const PARCEL_PAGES = ['parcel', 'property', 'account', 'detail', 'summary', 'record', 'report']

/** Longer URLs have long queries, whose rest is not needed to find the page. */
const LONGEST_ADDRESS = 1_000

const pageAddress = (url: string): string => redactUrl(url).slice(0, LONGEST_ADDRESS)

/** The URL of a crawled layer, without the query of one page. */
export const layerAddress = (url: string): string => pageAddress(url.split('?', 1)[0] ?? url)
