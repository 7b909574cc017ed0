import type { FetchContext, Fetched, HttpClient, RawDocument, ScrapeTarget } from '../../adapter'
import { conditionalHeaders } from '../../http/portal-url'
import { resolveLink } from '../../reading/link'
import { expectPage, isNotModified } from '../../reading/page/expect-page'
import { readPage } from '../../reading/page/read-page'
import { saysNothingFound } from '../../reading/page/says-nothing-found'
import type { Region } from '../../reading/region'
import { wordsOf } from '../../reading/text'
import { ScrapeError } from '../../scrape-error'
import { eagleWebUrl, enterAsGuest, requestAsGuest } from '../../sessions/eagleweb'
import { fillForm, pressButton, readForm, submission } from '../../sessions/web-form'
import type { Config } from './config'

/** Fetches the account's page and its transactions. If only the parcel number is known, it searches for the account first. */
export const fetchAccount = async (target: ScrapeTarget, config: Config, { http }: FetchContext): Promise<Fetched> => {
  const { baseUrl, overrides, sourceParcelId } = target
  let account = overrides.vendorKey ?? (config.parcel_id === 'account' ? sourceParcelId : undefined)
  const found: RawDocument[] = []
  if (account === undefined) {
    const search = await enterAsGuest(http, baseUrl)
    const results = expectPage(
      await http.request({ name: 'results', ...searchFor(search, sourceParcelId, config.search_field) }),
    )
    found.push(search, results)
    account = readAccountNumber(results, sourceParcelId)
  }
  const summary = await requestAsGuest(http, baseUrl, {
    name: 'account',
    url: eagleWebUrl(baseUrl, 'treasurerweb/account.jsp', { account }),
    headers: conditionalHeaders(target),
  })
  if (isNotModified(summary)) return { notModified: true }
  const transactions = await fetchTransactions(expectPage(summary), baseUrl, http)
  return { documents: [...found, summary, transactions] }
}

const searchFor = (search: RawDocument, parcelNumber: string, field: string) => {
  const page = readPage([search], 'search')
  const filled = fillForm(readForm(page), { [field]: parcelNumber })
  return submission(pressButton(filled, page, 'Search'), search.url)
}

const fetchTransactions = async (summary: RawDocument, baseUrl: string, http: HttpClient): Promise<RawDocument> => {
  const links = readAccountPage([summary]).get('#accountLinks', 'accountLinks').all('a[href]')
  const link = links.find(({ text }) => wordsOf(text).includes('transaction detail'))
  if (link === undefined) throw new ScrapeError('page_changed', 'no link "Transaction Detail" on the account page')
  const url = resolveLink(link.attribute('href') as string, summary.url).href
  return expectPage(await requestAsGuest(http, baseUrl, { name: 'transactions', url }))
}

/** @throws ScrapeError `page_changed` when the portal has the other skin (Delta and La Plata, CO); as `readPage` */
export const readAccountPage = (documents: readonly RawDocument[]): Region => {
  const page = readPage(documents, 'account')
  if (page.find('.accountSummary') === undefined) return page
  throw new ScrapeError('page_changed', 'the portal has the skin with "accountSummary", which the adapter cannot read')
}

/**
 * The one account that the results link to.
 *
 * @throws ScrapeError `not_found`; `bad_config` when several match and `vendorKey` is needed; `page_changed`
 * when there is none and the page does not say that nothing was found
 */
export const readAccountNumber = (results: RawDocument, parcelNumber: string): string => {
  const page = readPage([results], 'results')
  const accounts = page
    .all('#searchResultsTable tbody a[href]')
    .flatMap((link) => resolveLink(link.attribute('href') as string, results.url).searchParams.get('account') ?? [])
  const [account, ...others] = new Set(accounts)
  if (account === undefined) {
    if (saysNothingFound(page)) {
      throw new ScrapeError('not_found', `the portal knows no parcel number "${parcelNumber}"`)
    }
    throw new ScrapeError('page_changed', 'no link to an account under "searchResultsTable" on the results page')
  }
  if (others.length > 0) {
    throw new ScrapeError(
      'bad_config',
      `${others.length + 1} accounts match "${parcelNumber}": set vendorKey to choose one`,
    )
  }
  return account
}
