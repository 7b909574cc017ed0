import type { BrowserPage, FetchContext, Fetched, ScrapeTarget } from '../../adapter'
import { getElement, inBrowser, showDocument, visit } from '../../browser/visit'
import { resolveLink } from '../../reading/link'
import { expectPage } from '../../reading/page/expect-page'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

const SEARCH = 'input[role="searchbox"]'
/** The portal's own spelling. */
const SUGGESTION = '.vbt-autcomplete-list a'
const CONTENT = 'iframe[title="Main Content"]'

/** Fetches the account's page, which the portal shows in a frame. Its address is opaque; if it is not known, the adapter searches for it. */
export const fetchAccount = async (
  target: ScrapeTarget,
  _config: Config,
  { openPage }: FetchContext,
): Promise<Fetched> => {
  if (openPage === null) throw new Error('grant-street-taxsys is scraped by workers, which have a browser')
  const page = await openPage()
  const { vendorKey } = target.overrides
  if (vendorKey === undefined) await search(page, target)
  else {
    const url = `${portalOf(target)}/${encodeURIComponent(vendorKey)}`
    expectPage(await visit(page, { name: 'portal', url, ready: CONTENT }))
  }
  const address = await inBrowser(page, (await getElement(page, CONTENT, 'Main Content')).getAttribute('src'))
  if (address === null) throw new ScrapeError('page_changed', 'the frame "Main Content" has no address')
  const account = await visit(page, {
    name: 'account',
    url: resolveLink(address, page.url()).href,
    ready: '#bill-history-content table',
  })
  return { documents: [expectPage(account)] }
}

const portalOf = ({ baseUrl }: ScrapeTarget): string => {
  const { origin, pathname } = new URL(baseUrl)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}

/** Types the number and clicks the only suggestion. Without a suggestion, it reads what the portal shows. */
const search = async (page: BrowserPage, target: ScrapeTarget): Promise<void> => {
  expectPage(await visit(page, { name: 'portal', url: target.baseUrl, ready: SEARCH }))
  await inBrowser(page, (await getElement(page, SEARCH, 'search box')).fill(target.sourceParcelId))
  const shown = expectPage(await showDocument(page, 'search', { ready: `${SUGGESTION}, ${CONTENT}` }))
  const suggestions = await inBrowser(page, page.locator(SUGGESTION).count())
  if (suggestions > 1) {
    throw new ScrapeError(
      'bad_config',
      `${suggestions} suggestions for "${target.sourceParcelId}": set vendorKey to choose one`,
    )
  }
  if (suggestions === 0 && !shown.body.includes('title="Main Content"')) {
    throw new ScrapeError('not_found', `the search suggests nothing for "${target.sourceParcelId}"`)
  }
  if (suggestions === 1) await inBrowser(page, page.locator(SUGGESTION).first().click())
  await inBrowser(page, page.locator(CONTENT).first().waitFor({ state: 'attached' }))
}
