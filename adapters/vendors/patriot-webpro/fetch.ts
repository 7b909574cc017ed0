import type { FetchContext, Fetched, ScrapeTarget } from '../../adapter'
import { portalUrl } from '../../http/portal-url'
import { expectPage } from '../../reading/page/expect-page'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** The frameset's address sets the session's account; the lower frame then shows it. */
export const fetchSummary = async (target: ScrapeTarget, config: Config, { http }: FetchContext): Promise<Fetched> => {
  const account = target.overrides.vendorKey ?? (config.parcel_id === 'account' ? target.sourceParcelId : undefined)
  if (account === undefined) {
    throw new ScrapeError(
      'bad_config',
      `the account number of "${target.sourceParcelId}" is not known: set vendorKey to it`,
    )
  }
  const own = http.withOwnCookies()
  const frames = portalUrl(target.baseUrl, 'Summary.asp', { AccountNumber: account })
  expectPage(await own.request({ name: 'frames', url: frames }))
  const summary = await own.request({
    name: 'summary',
    url: portalUrl(target.baseUrl, 'summary-bottom.asp'),
    headers: { referer: frames },
  })
  return { documents: [expectPage(summary)] }
}
