import type { Place } from '../../../adapters/browser/visits'
import { ScrapeError } from '../../../adapters/scrape-error'

/**
 * If the last response came from another URL than requested, that explains why a page could not be read. Then returns the error
 * with the class `redirected`, otherwise unchanged. Redirects within one host count only if they end at its start page or a login.
 */
export const noteRedirect = (error: unknown, last: Place | null): unknown => {
  if (!(error instanceof ScrapeError) || last === null || !isExplained(error)) return error
  const [from, to] = [placeOf(last.asked), placeOf(last.url)]
  if (from === null || to === null) return error
  const place = from.site !== to.site ? to.site : from.page !== to.page ? to.page : null
  if (place === null) return error
  const { code, message, retryAfterMs } = error
  return new ScrapeError(code, `${from.site} redirected to ${place}: ${message}`, {
    cause: error,
    retryAfterMs,
    failureClass: 'redirected',
  })
}

/** A refusal or a pause already explains itself. */
const isExplained = ({ code, failureClass }: ScrapeError): boolean =>
  ['page_changed', 'not_found', 'wrong_parcel'].includes(code) || failureClass === 'server_error'

const LOGIN = /\/(?:log[-_]?[io]n|sign[-_]?in)(?:[./]|$)/i

/** `page`: a page that is not a parcel's, by its URL; null for others. */
const placeOf = (url: string): { site: string; page: 'its start page' | 'its login' | null } | null => {
  if (!URL.canParse(url)) return null
  const { hostname, pathname, search } = new URL(url)
  const page = pathname === '/' && search === '' ? 'its start page' : LOGIN.test(pathname) ? 'its login' : null
  return { site: hostname.replace(/^www\./, ''), page }
}
