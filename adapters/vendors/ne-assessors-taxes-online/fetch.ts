import type { FetchContext, Fetched, RawDocument, ScrapeTarget } from '../../adapter'
import { conditionalHeaders } from '../../http/portal-url'
import { resolveLink } from '../../reading/link'
import { expectPage, isNotModified } from '../../reading/page/expect-page'
import { isSameParcel } from '../../reading/page/expect-parcel'
import { readPage } from '../../reading/page/read-page'
import type { Region } from '../../reading/region'
import { findColumns } from '../../reading/tables/find-columns'
import { ScrapeError } from '../../scrape-error'
import { fillForm, press, readForm, submission } from '../../sessions/web-form'
import { type Config, portalOf } from './config'

const BUTTONS = { assessor: 'btnSubmit4', treasurer: 'btnSubmit2' } as const
const LINKS = { assessor: 'a[href*="propdetail.aspx"]', treasurer: '#dtaResults a[href], #dtaMobile a[href]' } as const

/** Fetches the parcel's page through the search. */
export const fetchParcel = async (target: ScrapeTarget, config: Config, { http }: FetchContext): Promise<Fetched> => {
  const search = expectPage(await http.request({ name: 'search', url: target.baseUrl }))
  const page = readPage([search], 'search')
  const portal = portalOf(target, config)
  const button = BUTTONS[portal]
  const filled = fillForm(readForm(page), { txtParcel: target.overrides.vendorKey ?? target.sourceParcelId })
  const form = press(filled, page.get(`[id$="${button}"]`, button))
  const results = expectPage(await http.request({ name: 'results', ...submission(form, search.url) }))
  const parcel = await http.request({
    name: 'parcel',
    url: readResult(results, target.sourceParcelId, portal).link,
    headers: conditionalHeaders(target),
  })
  if (isNotModified(parcel)) return { notModified: true }
  return { documents: [search, results, expectPage(parcel)] }
}

/**
 * This parcel's row of the results: the link, and the cells with the owner and the address.
 *
 * @throws ScrapeError `not_found`; `page_changed` when there is no link at all
 */
export const readResult = (
  results: RawDocument,
  parcelNumber: string,
  portal: 'assessor' | 'treasurer',
): { link: string; owner: Region | undefined; situs: Region | undefined } => {
  const page = readPage([results], 'results')
  if (page.find('div.noluck') !== undefined) {
    throw new ScrapeError('not_found', `the portal knows no parcel "${parcelNumber}"`)
  }
  if (page.find(LINKS[portal]) === undefined) {
    throw new ScrapeError('page_changed', 'no link to a parcel on the results page')
  }
  const isNumber = ({ shortText = '' }: Region) => isSameParcel(shortText, parcelNumber)
  const own = page.all('tr:not(:has(tr))').filter((candidate) => candidate.all('td').some(isNumber))
  if (new Set(own.map(({ text }) => text)).size > 1) {
    throw new ScrapeError(
      'page_changed',
      `${own.length} results of the search are parcel "${parcelNumber}", and differ`,
    )
  }
  const [row] = own
  const href = row?.find('a[href]')?.attribute('href')
  if (row === undefined || href === undefined) {
    throw new ScrapeError('not_found', `no result of the search is parcel "${parcelNumber}"`)
  }
  const cells = row.all('td')
  const headings = page.find('#dtaResults tr.dataheader')?.all('td, th') ?? []
  const columns = findColumns(
    headings.map(({ shortText }) => shortText),
    { owner: /\b(?:owner|name)\b/, situs: /\b(?:situs|address|location)\b/ },
    'dtaResults',
  )
  const cellOf = (name: 'owner' | 'situs') =>
    cells.length === headings.length ? cells[columns[name] ?? -1] : undefined
  return {
    link: resolveLink(href, results.url).href,
    owner: cellOf('owner'),
    situs: cellOf('situs'),
  }
}
