import type { FetchContext, Fetched, RawDocument, ScrapeTarget } from '../../adapter'
import { conditionalHeaders, portalUrl } from '../../http/portal-url'
import { expectPage, isNotModified } from '../../reading/page/expect-page'
import { readPage } from '../../reading/page/read-page'
import { readYear } from '../../reading/values'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** Fetches the parcel's taxes of the year that the search has selected. The search results load by script and are not needed. */
export const fetchTaxes = async (target: ScrapeTarget, config: Config, { http }: FetchContext): Promise<Fetched> => {
  const { baseUrl, overrides, sourceParcelId } = target
  const search = expectPage(await http.request({ name: 'search', url: baseUrl }))
  const parcel = (overrides.vendorKey ?? sourceParcelId).replace(/[^\p{L}\p{N}]/gu, '')
  const path = config.detail_path.replace('{parcel}', parcel).replace('{year}', String(readChosenYear(search)))
  const taxes = await http.request({
    name: 'taxes',
    url: portalUrl(baseUrl.replace(/\/search$/, ''), path),
    headers: conditionalHeaders(target),
  })
  if (isNotModified(taxes)) return { notModified: true }
  return { documents: [search, expectPage(taxes)] }
}

/** @throws ScrapeError `page_changed` when the search has no selected year */
const readChosenYear = (search: RawDocument): number => {
  const years = readPage([search], 'search').get('#SelTaxYear', 'SelTaxYear')
  const chosen = years.find('option[selected]') ?? years.find('option')
  const year = readYear(chosen?.attribute('value') ?? chosen?.text)
  if (year === undefined) throw new ScrapeError('page_changed', 'no year under "SelTaxYear" on the search page')
  return year
}
