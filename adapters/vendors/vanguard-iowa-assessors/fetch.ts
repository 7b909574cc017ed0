import type { FetchContext, Fetched, ScrapeTarget } from '../../adapter'
import { conditionalHeaders, portalUrl } from '../../http/portal-url'
import { expectPage, isNotModified } from '../../reading/page/expect-page'
import type { Config } from './config'

/** Fetches the parcel's page. Its address has only the digits of the parcel number. */
export const fetchParcel = async (target: ScrapeTarget, _config: Config, { http }: FetchContext): Promise<Fetched> => {
  const digits = target.sourceParcelId.replace(/\D/g, '')
  const parcel = await http.request({
    name: 'parcel',
    url: portalUrl(target.baseUrl, 'parcel.php', { parcel: digits }),
    headers: conditionalHeaders(target),
  })
  if (isNotModified(parcel)) return { notModified: true }
  return { documents: [expectPage(parcel)] }
}
