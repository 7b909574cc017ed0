import type { FetchContext, Fetched, ScrapeTarget } from '../../adapter'
import { conditionalHeaders, portalUrl } from '../../http/portal-url'
import { expectPage, isNotModified } from '../../reading/page/expect-page'
import type { Config } from './config'

/** Fetches the parcel's page by the address that the counties' maps link to. It contains all tabs. */
export const fetchParcel = async (target: ScrapeTarget, config: Config, { http }: FetchContext): Promise<Fetched> => {
  const county = config.county ?? target.countyName
  const parcel = await http.request({
    name: 'parcel',
    url: portalUrl(target.baseUrl, 'parcel.asp', { parcelid: target.sourceParcelId, county, AISGIS: county }),
    headers: conditionalHeaders(target),
  })
  if (isNotModified(parcel)) return { notModified: true }
  return { documents: [expectPage(parcel)] }
}
