import type { FetchContext, Fetched, ScrapeTarget } from '../../adapter'
import { approach } from '../../browser/approach'
import { captureAnswer, getElement, inBrowser, visit } from '../../browser/visit'
import { portalUrl } from '../../http/portal-url'
import { expectPage } from '../../reading/page/expect-page'
import { readPage } from '../../reading/page/read-page'
import type { Config } from './config'
import { type FoundAccount, readFoundAccount } from './found-account'
import { refuseOtherSkins } from './other-skins'

/** The ends of the URLs that the pages' scripts request. The module's number (`_m`) differs by site. */
const API = {
  search: '/api/module/getdata',
  bills: '/api/paymentbill/bill/getdata',
  payments: '/api/datadisplay/datasources/getdata',
}

/** Fetches the search response, the account's page, and the bills and payments that its scripts load. It listens for all of them before it opens the page. */
export const fetchAccount = async (
  target: ScrapeTarget,
  config: Config,
  { openPage }: FetchContext,
): Promise<Fetched> => {
  if (openPage === null) throw new Error('aumentum-public-access is scraped by workers, which have a browser')
  const page = await openPage()
  const searchPage = await visit(page, { name: 'search-page', url: target.baseUrl, ready: config.search_input })
  refuseOtherSkins(readPage([searchPage], 'search-page'))
  await inBrowser(page, (await getElement(page, config.search_input, 'search_input')).fill(target.sourceParcelId))
  const button = await getElement(page, config.search_button, 'search_button')
  const [found] = await Promise.all([
    captureAnswer(page, 'search', isCallOf(API.search)),
    inBrowser(page, button.click()),
  ])
  const search = expectPage(found)
  const account = readFoundAccount([search], target, config)

  const { payments_module } = config
  const url = accountUrl(target.baseUrl, account, config)
  await approach(page, url)
  const answers = Promise.all([
    captureAnswer(page, 'bills', isCallOf(API.bills)),
    ...(payments_module === undefined
      ? []
      : [captureAnswer(page, 'payments', isCallOf(API.payments, payments_module))]),
  ])
  // If a notice replaces the page, its scripts load nothing, so read the page before waiting for them.
  answers.catch(() => {})
  const shown = await visit(page, {
    name: 'account',
    url,
    ready: '.ModPublicAccessPaymentsAccountSummaryC :is(.font-weight-bold, .breakRow)',
  })
  return { documents: [search, expectPage(shown), ...(await answers).map(expectPage)] }
}

const isCallOf =
  (path: string, module?: number) =>
  ({ pathname, searchParams }: URL): boolean =>
    pathname.toLowerCase().endsWith(path) && (module === undefined || searchParams.get('_m') === String(module))

const accountUrl = (
  baseUrl: string,
  { Account, AlternateKey, Year }: FoundAccount,
  { account_page }: Config,
): string => {
  const searchPage = /([^/]+)\.aspx$/i.exec(new URL(baseUrl).pathname)?.[1] ?? '.'
  return portalUrl(baseUrl, account_page ?? `${searchPage}/Account.aspx`, { p: Account, a: AlternateKey, y: Year })
}
