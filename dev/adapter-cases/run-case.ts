import type { Adapter, Fetched, HttpClient, RawDocument, ScrapedParcel, ScrapeTarget } from '../../adapters/adapter'
import { checkConfig } from '../../adapters/check-config'
import { readScrape } from '../../adapters/read-scrape'
import type { Case } from './case'
import { documentsOf, replay } from './replay'

/** A county of nowhere, which every case is asked for. */
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

/** What the adapter fetches from the portal of the case; what a browser would show stands in the case as it is. */
export const fetchCase = async (adapter: Adapter, one: Case, http: HttpClient = replay(one)): Promise<Fetched> => {
  if (adapter.needsBrowser) return { documents: documentsOf(one) }
  const signal = AbortSignal.timeout(10_000)
  return adapter.fetch(targetOf(one), configOf(adapter, one), { http, openPage: null, signal })
}

export const parseCase = (adapter: Adapter, one: Case, documents: readonly RawDocument[]): ScrapedParcel =>
  readScrape(adapter, documents, targetOf(one), configOf(adapter, one))

/** @throws ScrapeError what the case may expect */
export const runCase = async (adapter: Adapter, one: Case): Promise<ScrapedParcel | { notModified: true }> => {
  const fetched = await fetchCase(adapter, one)
  return 'notModified' in fetched ? fetched : parseCase(adapter, one, fetched.documents)
}
