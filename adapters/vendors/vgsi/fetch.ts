import type { FetchContext, Fetched, ScrapeTarget } from '../../adapter'
import { conditionalHeaders, portalUrl } from '../../http/portal-url'
import { expectPage, isNotModified } from '../../reading/page/expect-page'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** The parcel's page. */
export const fetchParcel = async (target: ScrapeTarget, config: Config, { http }: FetchContext): Promise<Fetched> => {
  const pid = target.overrides.vendorKey ?? (config.parcel_id === 'pid' ? target.sourceParcelId : undefined)
  if (pid === undefined) {
    throw new ScrapeError(
      'bad_config',
      `the pid of the ${config.parcel_id} "${target.sourceParcelId}" is not known: set vendorKey to it`,
    )
  }
  const url = portalUrl(target.baseUrl, 'Parcel.aspx', { pid })
  const parcel = await http.request({ name: 'parcel', url, headers: conditionalHeaders(target) })
  return isNotModified(parcel) ? { notModified: true } : { documents: [expectPage(parcel)] }
}
