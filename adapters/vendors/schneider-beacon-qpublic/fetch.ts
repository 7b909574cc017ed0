import type { FetchContext, Fetched, ScrapeTarget } from '../../adapter'
import { visit } from '../../browser/visit'
import { portalUrl } from '../../http/portal-url'
import { expectPage } from '../../reading/page/expect-page'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/**
 * Fetches the parcel's report. The terms of use that cover it come from the page's own scripts; the report is in the page anyway. A bot
 * check instead of it is `blocked`.
 */
export const fetchReport = async (
  target: ScrapeTarget,
  config: Config,
  { openPage }: FetchContext,
): Promise<Fetched> => {
  if (openPage === null) throw new Error('schneider-beacon-qpublic is scraped by workers, which have a browser')
  const report = await visit(await openPage(), {
    name: 'report',
    url: reportUrl(target, config),
    ready: '#maincontent section[id$="_mSection"], [id$="_pnlNoResults"]',
  })
  return { documents: [expectPage(report)] }
}

const WHERE =
  'Open base_url in a browser, search for any parcel, open its report (PageTypeID=4), and copy AppID, LayerID and PageID from its URL'

/** @throws ScrapeError `bad_config` naming what is missing from both vendor_config and base_url */
export const reportUrl = ({ baseUrl, sourceParcelId }: ScrapeTarget, config: Config): string => {
  const given = new Map([...new URL(baseUrl).searchParams].map(([name, value]) => [name.toLowerCase(), value] as const))
  const need = (value: number | undefined, field: string, parameter: string): string => {
    const found = value?.toString() ?? given.get(parameter.toLowerCase())
    if (found === undefined) {
      throw new ScrapeError(
        'bad_config',
        `vendor_config.${field} is missing, and base_url has no ${parameter} of a report. ${WHERE}`,
      )
    }
    return found
  }
  // A search page's PageID is not the report's.
  if (given.get('pagetypeid') !== '4') given.delete('pageid')
  return portalUrl(baseUrl, 'Application.aspx', {
    AppID: need(config.app_id, 'app_id', 'AppID'),
    LayerID: need(config.layer_id, 'layer_id', 'LayerID'),
    PageTypeID: 4,
    PageID: need(config.page_id, 'page_id', 'PageID'),
    KeyValue: sourceParcelId,
  })
}
