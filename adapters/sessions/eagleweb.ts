import type { HttpClient, HttpRequest, RawDocument } from '../adapter'
import { portalUrl } from '../http/portal-url'
import { decodeLink } from '../reading/link'
import { expectPage } from '../reading/page/expect-page'
import type { Region } from '../reading/region'
import { type Gate, passGate } from './pass-gate'

/*
 * Tyler's EagleWeb, used by assessors (`taxweb`) and treasurers (`treasurerweb`): a guest must log in
 * first, and an expired session gets a notice instead of the page.
 */

/** A URL of the portal, built from any of its URLs: `.../assessor`, `.../assessor/web/login.jsp`, `.../taxweb/search.jsp`. */
export const eagleWebUrl = (
  baseUrl: string,
  path: string,
  parameters: Readonly<Record<string, string | undefined>> = {},
): string => {
  const base = new URL(portalUrl(baseUrl, ''))
  base.pathname = base.pathname.replace(/\/(?:web|taxweb|treasurerweb)\/$/, '/')
  return portalUrl(base.href, path, parameters)
}

/** @throws ScrapeError `blocked` when guests may not log in; as `expectPage` */
export const requestAsGuest = async (http: HttpClient, baseUrl: string, request: HttpRequest): Promise<RawDocument> =>
  passGate(() => http.request(request), guestLogin(http, baseUrl))

/** The page after the guest login: the search. */
export const enterAsGuest = async (http: HttpClient, baseUrl: string): Promise<RawDocument> =>
  expectPage(
    await http.request({
      name: 'search',
      url: eagleWebUrl(baseUrl, 'web/loginPOST.jsp'),
      form: { submit: 'Login', guest: 'true' },
    }),
  )

const guestLogin = (http: HttpClient, baseUrl: string): Gate => ({
  name: 'the login for guests',
  isShown: ({ url, body }) =>
    /\/login\.jsp$/i.test(new URL(url).pathname) || /please log ?in|session is no longer active/i.test(body),
  open: () => enterAsGuest(http, baseUrl),
})

/** The page's account: every link to its parts contains it. */
export const findAccountInLinks = (page: Region, parameter: 'account' | 'accountNum'): string | undefined => {
  const accounts = page
    .all('a[href*="account.jsp"]')
    .flatMap((link) => new RegExp(`[?&]${parameter}=([^&#]+)`).exec(link.attribute('href') ?? '')?.[1] ?? [])
  return accounts[0] === undefined ? undefined : decodeLink(accounts[0])
}
