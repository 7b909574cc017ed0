import type { FetchContext, Fetched, RawDocument, ScrapeTarget } from '../../adapter'
import { conditionalHeaders, portalUrl } from '../../http/portal-url'
import { resolveLink } from '../../reading/link'
import { expectPage, isNotModified } from '../../reading/page/expect-page'
import { isSameParcel } from '../../reading/page/expect-parcel'
import { readPage } from '../../reading/page/read-page'
import { saysNothingFound } from '../../reading/page/says-nothing-found'
import { ScrapeError } from '../../scrape-error'
import { disclaimerGate } from '../../sessions/disclaimer'
import { passGate } from '../../sessions/pass-gate'
import type { Config } from './config'

/** Fetches the assessor's page and the treasurer's, which it links to. If its `keyId` is not known, it searches for it first. */
export const fetchAssessor = async (target: ScrapeTarget, config: Config, { http }: FetchContext): Promise<Fetched> => {
  const { sourceParcelId, overrides } = target
  const disclaimer = disclaimerGate(http, 'Disclaimer.aspx', '[id$="btnAgree"]')
  // base_url may be the URL of the search, which is in its own folder.
  const root = target.baseUrl.replace(/\/Search(?:\/.*)?$/i, '')
  const found: RawDocument[] = []
  let url = portalUrl(root, 'Assessor.aspx', {
    keyId: overrides.vendorKey,
    parcelNumber: sourceParcelId,
    typeID: 1,
  })
  if (overrides.vendorKey === undefined) {
    const search = portalUrl(root, 'Search/Results.aspx', { q: sourceParcelId })
    const results = expectPage(await passGate(() => http.request({ name: 'results', url: search }), disclaimer))
    found.push(results)
    url = readAssessorLink(results, sourceParcelId)
  }
  const request = { name: 'assessor', url, headers: conditionalHeaders(target) }
  const assessor = await passGate(() => http.request(request), disclaimer)
  if (isNotModified(assessor)) return { notModified: true }
  found.push(expectPage(assessor))
  const treasurer = config.treasurer ? findTreasurerLink(assessor, sourceParcelId) : undefined
  if (treasurer !== undefined) {
    found.push(expectPage(await passGate(() => http.request({ name: 'treasurer', url: treasurer }), disclaimer)))
  }
  return { documents: found }
}

/** The link from the assessor's page to the treasurer's page of the same parcel. */
const findTreasurerLink = (assessor: RawDocument, parcelNumber: string): string | undefined =>
  readPage([assessor], 'assessor')
    .all('a[href*="Treasurer.aspx"]')
    .map((link) => resolveLink(link.attribute('href') as string, assessor.url))
    .find(({ searchParams }) => isSameParcel(searchParams.get('parcelNumber') ?? '', parcelNumber))?.href

/**
 * The link to this parcel's assessor page.
 *
 * @throws ScrapeError `not_found`; `bad_config` when several properties match and `vendorKey` is needed;
 * `page_changed` when there is no link and the page does not say that nothing was found
 */
const readAssessorLink = (results: RawDocument, parcelNumber: string): string => {
  const page = readPage([results], 'results')
  const links = page
    .all('a[href*="Assessor.aspx"]')
    .map((link) => resolveLink(link.attribute('href') as string, results.url))
    .filter(({ searchParams }) => searchParams.has('keyId'))
  if (links.length === 0 && !saysNothingFound(page)) {
    throw new ScrapeError('page_changed', 'no link to "Assessor.aspx" on the results page')
  }
  const matches = links.filter(({ searchParams }) => isSameParcel(searchParams.get('parcelNumber') ?? '', parcelNumber))
  const [first, ...others] = new Map(matches.map((link) => [link.searchParams.get('keyId'), link])).values()
  if (first === undefined) throw new ScrapeError('not_found', `no result of the search is parcel "${parcelNumber}"`)
  if (others.length > 0) {
    throw new ScrapeError(
      'bad_config',
      `${others.length + 1} properties share "${parcelNumber}": set vendorKey to choose one`,
    )
  }
  return first.href
}
