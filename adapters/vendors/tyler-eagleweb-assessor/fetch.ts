import type { FetchContext, Fetched, HttpClient, RawDocument, ScrapeTarget } from '../../adapter'
import { conditionalHeaders } from '../../http/portal-url'
import { resolveLink } from '../../reading/link'
import { expectPage, isNotModified } from '../../reading/page/expect-page'
import { readPage } from '../../reading/page/read-page'
import { saysNothingFound } from '../../reading/page/says-nothing-found'
import { wordsOf } from '../../reading/text'
import { ScrapeError } from '../../scrape-error'
import { eagleWebUrl, requestAsGuest } from '../../sessions/eagleweb'
import type { Config } from './config'

/** Parts of an account that have their own pages, by the text of their links. */
const PARTS = ['Land', 'Residential'] as const

/** Fetches the account's page and the pages that it links to. If only the parcel number is known, it searches for the account first. */
export const fetchAccount = async (target: ScrapeTarget, config: Config, { http }: FetchContext): Promise<Fetched> => {
  const { baseUrl, overrides, sourceParcelId } = target
  let account = overrides.vendorKey ?? (config.parcel_id === 'account' ? sourceParcelId : undefined)
  const found: RawDocument[] = []
  if (account === undefined) {
    const results = await searchFor(sourceParcelId, baseUrl, http)
    found.push(results)
    account = readAccountNumber(results, sourceParcelId)
  }
  const summary = await requestAsGuest(http, baseUrl, {
    name: 'account',
    url: eagleWebUrl(baseUrl, 'taxweb/account.jsp', { accountNum: account }),
    headers: conditionalHeaders(target),
  })
  if (isNotModified(summary)) return { notModified: true }
  const documents = [...found, expectPage(summary)]
  const page = readPage([summary], 'account')
  for (const part of PARTS) {
    const link = page.all('a[href*="doc="]').find(({ shortText = '' }) => wordsOf(shortText) === wordsOf(part))
    if (link === undefined) continue
    const url = resolveLink(link.attribute('href') as string, summary.url).href
    documents.push(expectPage(await requestAsGuest(http, baseUrl, { name: part.toLowerCase(), url })))
  }
  return { documents }
}

const searchFor = async (parcelNumber: string, baseUrl: string, http: HttpClient): Promise<RawDocument> =>
  expectPage(
    await requestAsGuest(http, baseUrl, {
      name: 'results',
      url: eagleWebUrl(baseUrl, 'taxweb/results.jsp'),
      form: { AllTypes: 'ALL', docTypeTotal: '4', ParcelNumberID: parcelNumber },
    }),
  )

/**
 * The account that the search led to, or the one that its results link to.
 *
 * @throws ScrapeError `not_found`; `bad_config` when several match and `vendorKey` is needed; `page_changed`
 * when there is none and the page does not say that nothing was found
 */
export const readAccountNumber = (results: RawDocument, parcelNumber: string): string => {
  const ledTo = new URL(results.url).searchParams.get('accountNum')
  if (ledTo !== null) return ledTo
  const page = readPage([results], 'results')
  const accounts = page
    .all('a[href*="accountNum="]')
    .flatMap((link) => resolveLink(link.attribute('href') as string, results.url).searchParams.get('accountNum') ?? [])
  const [account, ...others] = new Set(accounts)
  if (account === undefined) {
    if (saysNothingFound(page)) {
      throw new ScrapeError('not_found', `the portal knows no parcel number "${parcelNumber}"`)
    }
    throw new ScrapeError('page_changed', 'no link to an account on the results page')
  }
  if (others.length > 0) {
    throw new ScrapeError(
      'bad_config',
      `${others.length + 1} accounts match "${parcelNumber}": set vendorKey to choose one`,
    )
  }
  return account
}
