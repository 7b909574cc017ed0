import type { FetchContext, Fetched, RawDocument, ScrapeTarget } from '../../adapter'
import { conditionalHeaders, portalUrl } from '../../http/portal-url'
import { expectPage, isNotModified } from '../../reading/page/expect-page'
import { readPage } from '../../reading/page/read-page'
import { wordsOf } from '../../reading/text'
import { ScrapeError } from '../../scrape-error'
import { fillForm, pressButton, readForm, submission } from '../../sessions/web-form'
import type { Config } from './config'

/** Fetches the property's page. If only the Geographic ID is known, it searches for the Property ID first. */
export const fetchProperty = async (target: ScrapeTarget, config: Config, { http }: FetchContext): Promise<Fetched> => {
  const { overrides, baseUrl } = target
  const cid = readCid(baseUrl, config)
  const found: RawDocument[] = []
  let propertyId = overrides.pacsPropId?.toString() ?? overrides.vendorKey
  if (propertyId === undefined && config.parcel_id === 'property') propertyId = target.sourceParcelId
  if (propertyId === undefined) {
    const search = expectPage(
      await http.request({ name: 'search', url: portalUrl(baseUrl, 'PropertySearch.aspx', { cid }) }),
    )
    const results = await http.request({ name: 'results', ...searchFor(search, target.sourceParcelId, config) })
    found.push(search, results)
    propertyId = readPropertyId(results, target.sourceParcelId)
  }
  const property = await http.request({
    name: 'property',
    url: portalUrl(baseUrl, 'Property.aspx', { cid, prop_id: propertyId }),
    headers: conditionalHeaders(target),
  })
  if (isNotModified(property)) return { notModified: true }
  return { documents: [...found, expectPage(property)] }
}

const readCid = (baseUrl: string, config: Config): string => {
  const cid = config.cid?.toString() ?? new URL(baseUrl).searchParams.get('cid')
  if (cid === null) throw new ScrapeError('bad_config', 'vendor_config.cid is missing, and base_url has no cid either')
  return cid
}

const searchFor = (search: RawDocument, geographicId: string, { search_type }: Config) => {
  const page = readPage([search], 'search')
  const filled = fillForm(readForm(page), {
    geoid: geographicId,
    ...(search_type === undefined ? {} : { searchType: search_type }),
  })
  return submission(pressButton(filled, page, 'Search'), search.url)
}

/**
 * The one Property ID in the results with this Geographic ID.
 *
 * @throws ScrapeError `not_found`; `bad_config` when several properties match and `pacsPropId` is needed
 */
const readPropertyId = (results: RawDocument, geographicId: string): string => {
  const page = readPage([results], 'results')
  if (page.get('[id$="pageHeading"]', 'Property Search Results').says('None found')) {
    throw new ScrapeError('not_found', `the portal knows no Geographic ID "${geographicId}"`)
  }
  const rows = page.get('[id$="resultsTable"]', 'results').all('tr')
  const propertyIds = rows
    .filter((row) => row.all('td').some(({ shortText = '' }) => wordsOf(shortText) === wordsOf(geographicId)))
    .flatMap((row) => /[?&]prop_id=(\d+)/i.exec(row.find('a[href*="prop_id="]')?.attribute('href') ?? '')?.[1] ?? [])
  const [propertyId, ...others] = new Set(propertyIds)
  if (propertyId === undefined) {
    throw new ScrapeError('not_found', `no result of the search has the Geographic ID "${geographicId}"`)
  }
  if (others.length > 0) {
    throw new ScrapeError(
      'bad_config',
      `${others.length + 1} properties share "${geographicId}": set pacsPropId to choose one`,
    )
  }
  return propertyId
}
