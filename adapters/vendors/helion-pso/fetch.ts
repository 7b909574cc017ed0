import type { BrowserPage, FetchContext, Fetched, RawDocument, ScrapeTarget } from '../../adapter'
import { inBrowser, showDocument, visit } from '../../browser/visit'
import { portalUrl } from '../../http/portal-url'
import { decodeLink } from '../../reading/link'
import { expectPage } from '../../reading/page/expect-page'
import { readPage } from '../../reading/page/read-page'
import { wordsOf } from '../../reading/text'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** Matches accounts, or the notice that there are none. */
const SEARCHED = 'a.hel_account-link, :text-matches("no (accounts|records|results)|0 results|nothing found", "i")'
const NOTHING = /\bno (?:accounts|records|results)\b|\b0 results\b|nothing found/i

/** Fetches the account's page, which its scripts fill, and the two dialogs of its Taxes tab if it has those buttons. */
export const fetchAccount = async (
  target: ScrapeTarget,
  config: Config,
  { openPage }: FetchContext,
): Promise<Fetched> => {
  if (openPage === null) throw new Error('helion-pso is scraped by workers, which have a browser')
  const page = await openPage()
  const found: RawDocument[] = []
  let account = target.overrides.vendorKey
  if (account === undefined && config.parcel_id === 'account') account = target.sourceParcelId
  if (account === undefined) {
    const url = searchUrl(target, config)
    const results = expectPage(await visit(page, { name: 'results', url, ready: SEARCHED }))
    found.push(results)
    account = readAccount(results, target.sourceParcelId)
  }
  const path = `detail/${encodeURIComponent(account)}/${encodeURIComponent(config.roll_type)}`
  const detail = expectPage(
    await visit(page, {
      name: 'detail',
      url: portalUrl(target.baseUrl, path),
      ready: '#account span.font-weight-bold',
    }),
  )
  return {
    documents: [
      ...found,
      detail,
      ...(await openDialog(page, 'calculator', /Payment (?:Options )?Calculator/i)),
      ...(await openDialog(page, 'payments', /Payment History/i)),
    ],
  }
}

const searchUrl = (target: ScrapeTarget, { search_option }: Config): string => {
  if (search_option === undefined) {
    throw new ScrapeError('bad_config', 'vendor_config.search_option is needed to search for Map and Taxlot')
  }
  return portalUrl(target.baseUrl, 'search', {
    searchOption: search_option,
    searchValue: target.sourceParcelId,
    pageNumber: 1,
  })
}

/**
 * The one account in the results with this Map and Taxlot.
 *
 * @throws ScrapeError `not_found`; `bad_config` when several accounts match and `vendorKey` is needed
 */
export const readAccount = (results: RawDocument, mapTaxlot: string): string => {
  const page = readPage([results], 'results')
  const unknown = new ScrapeError('not_found', `the portal knows no Map and Taxlot "${mapTaxlot}"`)
  if (page.find('a.hel_account-link') === undefined) {
    if (page.says(NOTHING)) throw unknown
    page.get('a.hel_account-link', 'accounts')
  }
  const accounts = page
    .all('.row.border.rounded')
    .filter((card) => card.all('p').some(({ shortText = '' }) => wordsOf(shortText) === wordsOf(mapTaxlot)))
    .flatMap((card) => /detail\/([^/]+)\//i.exec(card.find('a.hel_account-link')?.attribute('href') ?? '')?.[1] ?? [])
  const [account, ...others] = new Set(accounts)
  if (account === undefined) throw unknown
  if (others.length > 0) {
    throw new ScrapeError(
      'bad_config',
      `${others.length + 1} accounts share "${mapTaxlot}": set vendorKey to choose one`,
    )
  }
  return decodeLink(account)
}

/** Does nothing if there is no button: some counties have none. */
const openDialog = async (page: BrowserPage, name: string, label: RegExp): Promise<RawDocument[]> => {
  const button = page.locator('#taxes button').filter({ hasText: label }).first()
  if ((await inBrowser(page, button.count())) === 0) return []
  const dialog = page.locator('[role="dialog"]').filter({ hasText: label }).first()
  await inBrowser(page, page.locator('a[href="#taxes"]').first().click())
  await inBrowser(page, button.click())
  await inBrowser(page, dialog.waitFor({ state: 'visible' }))
  const shown = await showDocument(page, name)
  await inBrowser(page, dialog.locator('button[aria-label="Close"], button:has-text("Close")').first().click())
  await inBrowser(page, dialog.waitFor({ state: 'hidden' }))
  return [shown]
}
