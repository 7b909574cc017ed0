import type { Place } from '../../../adapters/browser/visits'
import { ScrapeError } from '../../../adapters/scrape-error'

/**
 * If the last response came from another URL than requested, that explains why a page could not be read. Then returns the error
 * with the class `redirected`, otherwise unchanged. Redirects within one host count only if they end at its start page.
 */
export const noteRedirect = (error: unknown, last: Place | null): unknown => {
  if (!(error instanceof ScrapeError) || last === null || !isExplained(error)) return error
  const [from, to] = [placeOf(last.asked), placeOf(last.url)]
  if (from === null || to === null) return error
  const isElsewhere = from.site !== to.site || (to.isStart && !from.isStart)
  if (!isElsewhere) return error
  const where = from.site === to.site ? 'its start page' : to.site
  const { code, message, retryAfterMs } = error
  return new ScrapeError(code, `${from.site} redirected to ${where}: ${message}`, {
    ...{ cause: error, retryAfterMs, failureClass: 'redirected' },
  })
}

/** A refusal or a pause already explains itself. */
const isExplained = ({ code, failureClass }: ScrapeError): boolean =>
  ['page_changed', 'not_found', 'wrong_parcel'].includes(code) || failureClass === 'server_error'

const placeOf = (url: string): { site: string; isStart: boolean } | null => {
  if (!URL.canParse(url)) return null
  const { hostname, pathname, search } = new URL(url)
  return { site: hostname.replace(/^www\./, ''), isStart: pathname === '/' && search === '' }
}
