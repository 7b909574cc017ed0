import type { FetchContext, Fetched, ScrapeTarget } from '../../adapters/adapter'
import { conditionalHeaders, portalUrl } from '../../adapters/http/portal-url'
import { expectPage, isNotModified } from '../../adapters/reading/page/expect-page'
import type { Config } from './config'

export const fetchParcel = async (
  target: ScrapeTarget,
  { county }: Config,
  { http }: FetchContext,
): Promise<Fetched> => {
  const parcel = await http.request({
    name: 'parcel',
    url: portalUrl(target.baseUrl, 'parcel', { county, id: target.overrides.vendorKey ?? target.sourceParcelId }),
    headers: conditionalHeaders(target),
  })
  return isNotModified(parcel) ? { notModified: true } : { documents: [expectPage(parcel)] }
}
