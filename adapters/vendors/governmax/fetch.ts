import type { FetchContext, Fetched, RawDocument, ScrapeTarget } from '../../adapter'
import { portalUrl } from '../../http/portal-url'
import { expectPage, isNotModified } from '../../reading/page/expect-page'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** Fetches the parcel's summary in its own session: the session holds the current parcel. */
export const fetchSummary = async (target: ScrapeTarget, config: Config, context: FetchContext): Promise<Fetched> => {
  const http = context.http.withOwnCookies()
  const start = expectPage(await http.request({ name: 'start', url: target.baseUrl }))
  const parcel = target.overrides.vendorKey ?? target.sourceParcelId
  const summary = await http.request({
    name: 'summary',
    url: portalUrl(target.baseUrl, `tab_summary_report_${config.tenant}.asp`, {
      t_nm: 'summary',
      l_cr: 1,
      t_wc: `|parcelid=${parcel.padEnd(config.parcel_id_length ?? 0)}`,
      sid: readSessionId(start),
    }),
  })
  if (isNotModified(summary)) return { notModified: true }
  return { documents: [start, expectPage(summary)] }
}

/** @throws ScrapeError `page_changed` when no URL in the frames contains a session id */
const readSessionId = ({ body }: RawDocument): string => {
  const sid = /[?&;]sid=([0-9a-f]{32})\b/i.exec(body)?.[1]
  if (sid === undefined) throw new ScrapeError('page_changed', 'no "sid" in the URLs of the start page')
  return sid
}
