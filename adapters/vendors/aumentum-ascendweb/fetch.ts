import type { FetchContext, Fetched, HttpClient, RawDocument, ScrapeTarget } from '../../adapter'
import { conditionalHeaders } from '../../http/portal-url'
import { expectPage, isNotModified } from '../../reading/page/expect-page'
import { isSameParcel } from '../../reading/page/expect-parcel'
import { readPage } from '../../reading/page/read-page'
import { ScrapeError } from '../../scrape-error'
import { fillForm, postBack, press, readForm, submission } from '../../sessions/web-form'
import type { Config } from './config'
import { readFoundAccounts } from './found-accounts'

/** Fetches the parcel's page through the search, then its installments. The session holds the current parcel. */
export const fetchParcel = async (target: ScrapeTarget, config: Config, context: FetchContext): Promise<Fetched> => {
  const http = context.http.withOwnCookies()
  const search = expectPage(await http.request({ name: 'search', url: target.baseUrl }))
  const results = expectPage(await http.request({ name: 'results', ...searchFor(search, target, config) }))
  if (readPage([results], 'results').find('[id$="ParcelSitusTable"]') !== undefined) {
    // With a single match, the portal may show it directly.
    const property = { ...results, name: 'property' }
    return { documents: [search, property, ...(await fetchInstallments(property, http))] }
  }
  const property = await http.request({
    name: 'property',
    url: readParcelLink(results, target, config),
    headers: conditionalHeaders(target),
  })
  if (isNotModified(property)) return { notModified: true }
  return { documents: [search, results, expectPage(property), ...(await fetchInstallments(property, http))] }
}

const searchFor = (search: RawDocument, { sourceParcelId, overrides }: ScrapeTarget, config: Config) => {
  const page = readPage([search], 'search')
  const isAccount = overrides.vendorKey !== undefined || config.parcel_id === 'account'
  const filled = fillForm(readForm(page), {
    [isAccount ? 'mParcelID2' : 'mAlternateParcelID']: overrides.vendorKey ?? sourceParcelId,
  })
  // Some counties say "Parcel Info", others "Account Info".
  return submission(press(filled, page.get('[name$="mSubmit"]', 'mSubmit')), search.url)
}

const fetchInstallments = async (property: RawDocument, http: HttpClient): Promise<RawDocument[]> => {
  const page = readPage([property], 'property')
  const link = page.find('[id$="mInstallments"]')?.attribute('href')
  const eventTarget = /__doPostBack\('([^']+)'/.exec(link ?? '')?.[1]
  if (eventTarget === undefined) return []
  const form = postBack(readForm(page), eventTarget)
  return [expectPage(await http.request({ name: 'installments', ...submission(form, property.url) }))]
}

/**
 * The link to the one account in the results.
 *
 * @throws ScrapeError `not_found`; `bad_config` when several accounts match and `vendorKey` is needed; `page_changed`
 */
const readParcelLink = (results: RawDocument, target: ScrapeTarget, config: Config): string => {
  const { sourceParcelId, overrides } = target
  const account = overrides.vendorKey ?? (config.parcel_id === 'account' ? sourceParcelId : undefined)
  const matches = readFoundAccounts(results).filter(
    (found) => account === undefined || isSameParcel(found.account, account),
  )
  const [first, ...others] = new Map(matches.map(({ account, link }) => [account, link])).values()
  if (first === undefined) throw new ScrapeError('not_found', `the portal knows no "${account ?? sourceParcelId}"`)
  if (others.length > 0) {
    throw new ScrapeError(
      'bad_config',
      `${others.length + 1} accounts share "${sourceParcelId}": set vendorKey to choose one`,
    )
  }
  return first.href
}
