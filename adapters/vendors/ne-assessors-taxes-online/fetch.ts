import type { FetchContext, Fetched, RawDocument, ScrapeTarget } from '../../adapter'
import { conditionalHeaders } from '../../http/portal-url'
import { expectPage, isNotModified } from '../../reading/expect-page'
import { isSameParcel } from '../../reading/expect-parcel'
import { resolveLink } from '../../reading/link'
import { readPage } from '../../reading/read-page'
import { ScrapeError } from '../../scrape-error'
import { fillForm, press, readForm, submission } from '../../sessions/web-form'
import type { Config } from './config'

const BUTTONS = { assessor: 'btnSubmit4', treasurer: 'btnSubmit2' } as const
const LINKS = { assessor: 'a[href*="propdetail.aspx"]', treasurer: '#dtaResults a[href], #dtaMobile a[href]' } as const

/** Fetches the parcel's page through the search. */
export const fetchParcel = async (target: ScrapeTarget, config: Config, { http }: FetchContext): Promise<Fetched> => {
  const search = expectPage(await http.request({ name: 'search', url: target.baseUrl }))
  const page = readPage([search], 'search')
  const button = BUTTONS[config.portal]
  const filled = fillForm(readForm(page), { txtParcel: target.overrides.vendorKey ?? target.sourceParcelId })
  const form = press(filled, page.get(`[id$="${button}"]`, button))
  const results = expectPage(await http.request({ name: 'results', ...submission(form, search.url) }))
  const parcel = await http.request({
    name: 'parcel',
    url: readParcelLink(results, target.sourceParcelId, config),
    headers: conditionalHeaders(target),
  })
  if (isNotModified(parcel)) return { notModified: true }
  return { documents: [search, results, expectPage(parcel)] }
}

/**
 * The link in this parcel's row.
 *
 * @throws ScrapeError `not_found`; `page_changed` when there is no link at all
 */
export const readParcelLink = (results: RawDocument, parcelNumber: string, { portal }: Config): string => {
  const page = readPage([results], 'results')
  if (page.find('div.noluck') !== undefined) {
    throw new ScrapeError('not_found', `the portal knows no parcel "${parcelNumber}"`)
  }
  if (page.find(LINKS[portal]) === undefined) {
    throw new ScrapeError('page_changed', 'no link to a parcel on the results page')
  }
  const row = page
    .all('tr')
    .find((candidate) => candidate.all('td').some(({ shortText = '' }) => isSameParcel(shortText, parcelNumber)))
  const href = row?.find('a[href]')?.attribute('href')
  if (href === undefined) throw new ScrapeError('not_found', `no result of the search is parcel "${parcelNumber}"`)
  return resolveLink(href, results.url).href
}
