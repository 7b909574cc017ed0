import type { FetchContext, Fetched, ScrapeTarget } from '../../adapter'
import { conditionalHeaders } from '../../http/portal-url'
import { expectPage, isNotModified } from '../../reading/page/expect-page'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** Fetches the parcel's page by the digits of its number. */
export const fetchParcel = async (target: ScrapeTarget, { year }: Config, { http }: FetchContext): Promise<Fetched> => {
  const digits = (target.overrides.vendorKey ?? target.sourceParcelId).replace(/\D/g, '')
  if (digits === '')
    throw new ScrapeError('not_found', `"${target.sourceParcelId}" has no digits, which the portal's URLs require`)
  const path = `/parcel/view/${digits}${year === undefined ? '' : `/${year}`}`
  const url = new URL(path, target.baseUrl).href
  const parcel = await http.request({ name: 'parcel', url, headers: conditionalHeaders(target) })
  return isNotModified(parcel) ? { notModified: true } : { documents: [expectPage(parcel)] }
}
