import type { FetchContext, Fetched, ScrapeTarget } from '../../adapter'
import { conditionalHeaders, portalUrl } from '../../http/portal-url'
import { expectPage, isNotModified } from '../../reading/page/expect-page'
import type { Config } from './config'

/** Fetches the parcel's page and its tax page, both by the digits of its number. */
export const fetchParcel = async (target: ScrapeTarget, config: Config, { http }: FetchContext): Promise<Fetched> => {
  const digits = encodeURIComponent((target.overrides.vendorKey ?? target.sourceParcelId).replaceAll('-', ''))
  const root = target.baseUrl.replace(/\/(?:parcel|search|tax)$/, '')
  const parcel = await http.request({
    name: 'parcel',
    url: portalUrl(root, `parcel/${digits}`),
    headers: conditionalHeaders(target),
  })
  if (isNotModified(parcel)) return { notModified: true }
  const documents = [expectPage(parcel)]
  if (config.tax) {
    documents.push(expectPage(await http.request({ name: 'tax', url: portalUrl(root, `tax/${digits}`) })))
  }
  return { documents }
}
