import type { CookieJar } from 'tough-cookie'
import { ROBOTS_BOUNDS } from '../../core/bounds'
import type { RawDocument } from '../adapter'
import { ScrapeError } from '../scrape-error'
import { cookieHeader, storeCookies } from './cookies'
import { fetchAt } from './fetch-at'
import { networkFailureClass, networkProblem, tookTooLong } from './network-problem'
import { readBody } from './read-body'
import type { Sent } from './sent-request'

export interface FetchOptions {
  userAgent: string
  /** Limit for the request and its response, body included. */
  timeoutMs: number
  maxBodyBytes: number
  /** Called with the status and the headers, before the body is read. */
  onHeaders: (status: number, headers: Readonly<Record<string, string>>) => void
}

/**
 * Sends one request to `address` with the cookies of `jar`, and reads the response. Redirects are returned, not followed.
 *
 * @throws ScrapeError `timeout`, `network`, and those of `readBody`; the signal's reason
 */
export const fetchDocument = async (
  { url, name, method, headers: own, body: content, isRobots }: Sent,
  address: string,
  jar: CookieJar,
  signal: AbortSignal,
  { userAgent, timeoutMs, maxBodyBytes, onHeaders }: FetchOptions,
): Promise<RawDocument> => {
  const timeout = AbortSignal.timeout(timeoutMs)
  let status: number | null = null
  try {
    const response = await fetchAt(url, address, {
      method,
      headers: {
        accept: 'text/html,application/xhtml+xml,application/json;q=0.9,*/*;q=0.8',
        'accept-language': 'en-US,en',
        ...own,
        'user-agent': userAgent,
        ...(await cookieHeader(jar, url.href)),
      },
      ...(content === null ? {} : { body: content }),
      signal: AbortSignal.any([signal, timeout]),
    })
    await storeCookies(jar, response.headers.getSetCookie(), url.href)
    const headers = Object.fromEntries(response.headers)
    onHeaders(response.status, headers)
    status = response.status
    const limits = isRobots ? { maxBytes: ROBOTS_BOUNDS.bytes, isStartEnough: true } : { maxBytes: maxBodyBytes }
    const body = await readBody(response, url.host, limits)
    return { name, url: url.href, status: response.status, headers, body, fetchedAt: new Date().toISOString() }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof ScrapeError) throw error
    if (timeout.aborted) throw new ScrapeError('timeout', tookTooLong(url.host, timeoutMs), { cause: error })
    throw new ScrapeError('network', `${networkProblem(url.host, error)}${withStatus(status)}`, {
      cause: error,
      failureClass: networkFailureClass(error),
    })
  }
}

/** The status that the portal sent before the response failed. */
const withStatus = (status: number | null): string => (status === null ? '' : ` (status ${status})`)
