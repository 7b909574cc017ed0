import type { RawDocument } from '../adapter'
import { ScrapeError } from '../scrape-error'
import { redirected, type Sent } from './sent-request'

const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** The host redirects on and on. */
export class EndlessRedirects extends ScrapeError {}

/**
 * Calls `exchange` with the first request and then with each redirect, until a response is not a redirect.
 *
 * @throws ScrapeError `network` with the class `redirected`, after MAX_REDIRECTS as EndlessRedirects; what `exchange` throws
 */
export const followRedirects = async (
  first: Sent,
  exchange: (sent: Sent) => Promise<RawDocument>,
): Promise<RawDocument> => {
  let sent = first
  for (let redirects = 0; ; redirects++) {
    const document = await exchange(sent).catch((error) => {
      throw redirects === 0 ? error : noteRedirect(error, first.url, sent.url)
    })
    const location = REDIRECTS.has(document.status) ? document.headers.location : undefined
    if (location === undefined) return document
    if (redirects === MAX_REDIRECTS) {
      throw new EndlessRedirects('network', `${first.url.host} redirects more than ${MAX_REDIRECTS} times`, {
        failureClass: 'redirected',
      })
    }
    if (!URL.canParse(location, sent.url.href)) {
      throw new ScrapeError('network', `${sent.url.host} sent a redirect without a valid URL`, {
        failureClass: 'redirected',
      })
    }
    sent = redirected(sent, new URL(location, sent.url), document.status)
  }
}

/**
 * If a portal redirected to a URL that is not allowed, or to another host that cannot be reached, the error names the redirect: the
 * settings and the host of the source are not the cause.
 */
const noteRedirect = (error: unknown, from: URL, to: URL): unknown => {
  if (!(error instanceof ScrapeError)) return error
  const { code, message, retryAfterMs } = error
  const isElsewhere = code === 'network' && from.hostname !== to.hostname
  if (code !== 'bad_config' && !isElsewhere) return error
  return new ScrapeError(code, `${from.host} redirected elsewhere: ${message}`, {
    cause: error,
    retryAfterMs,
    failureClass: 'redirected',
  })
}
