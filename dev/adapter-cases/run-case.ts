import type { Adapter, Fetched, HttpClient, RawDocument, ScrapedParcel, ScrapeTarget } from '../../adapters/adapter'
import { checkConfig } from '../../adapters/check-config'
import { readScrape } from '../../adapters/read-scrape'
import type { Case } from './case'
import { documentsOf, replay } from './replay'

/** The target of a case, in an invented county. */
export const targetOf = ({ target }: Case): ScrapeTarget => ({
  source: 'case',
  state: 'OR',
  countyName: 'Larkspur',
  sourceParcelId: target.sourceParcelId,
  baseUrl: target.baseUrl,
  overrides: target.overrides ?? {},
  storedNumber: target.storedNumber ?? null,
  otherSpelling: null,
  validators: { etag: target.validators?.etag ?? null, lastModified: target.validators?.lastModified ?? null },
})

export const configOf = (adapter: Adapter, { config = {} }: Case): unknown =>
  checkConfig(adapter.config, config, { allowPrivate: false })

/** Runs the adapter's `fetch` against the case. For pages in a browser, the case holds what the browser shows. */
export const fetchCase = async (adapter: Adapter, one: Case, http: HttpClient = replay(one)): Promise<Fetched> => {
  if (adapter.needsBrowser) return { documents: documentsOf(one) }
  const signal = AbortSignal.timeout(10_000)
  return adapter.fetch(targetOf(one), configOf(adapter, one), { http, openPage: null, signal })
}

export const parseCase = (adapter: Adapter, one: Case, documents: readonly RawDocument[]): ScrapedParcel => {
  // The case already has the page's address, and the report is not part of the record.
  const { page: _, report: __, ...scraped } = readScrape(adapter, documents, targetOf(one), configOf(adapter, one))
  return scraped
}

/** @throws ScrapeError the refusal that the case may expect */
export const runCase = async (adapter: Adapter, one: Case): Promise<ScrapedParcel | { notModified: true }> => {
  const fetched = await fetchCase(adapter, one)
  return 'notModified' in fetched ? fetched : parseCase(adapter, one, fetched.documents)
}
