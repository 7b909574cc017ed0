import type { FetchContext, Fetched, ScrapeTarget } from '../adapter'
import { expectPage, isNotModified } from '../expect-page'
import { conditionalHeaders, portalUrl } from '../portal-url'
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
