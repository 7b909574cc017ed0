import { SpanKind } from '@opentelemetry/api'
import { CookieJar } from 'tough-cookie'
import { PAGE_BOUNDS, ROBOTS_BOUNDS } from '../../core/bounds'
import { untilAborted } from '../../core/concurrency/until-aborted'
import { withSpan } from '../../core/observe/with-span'
import type { HttpClient, RawDocument } from '../adapter'
import { ScrapeError } from '../scrape-error'
import { SCRAPE_LIMIT_MS } from '../scrape-limits'
import { cookieHeader, createCookieJars, storeCookies } from './cookies'
import { fetchAt } from './fetch-at'
import { HostTurns, type Waiting } from './host-turns'
import { networkFailureClass, networkProblem, tookTooLong } from './network-problem'
import { resolvePublicAddress } from './public-address'
import { readBody } from './read-body'
import { readRetryAfter } from './retry-after'
import { Robots } from './robots'
import { redirected, type Sent, toSent } from './sent-request'

export interface HttpClientOptions {
  /** The User-Agent of every request, with an address where the operator can be reached. */
  userAgent: string
  /** Allows sources on this machine and its network. For tests. */
  allowPrivate?: boolean
  /** Origins of this process (`http://127.0.0.1:4711`): allowed although private, and requested without spacing or robots.txt. */
  ownOrigins?: ReadonlySet<string>
  /** Minimum time between the starts of two requests to one host. A longer Crawl-delay in robots.txt wins. */
  spacingMs?: number
  /** Limit for one request and its response, body included. */
  timeoutMs?: number
  maxBodyBytes?: number
}

/**
 * Access to portals, one per process. It keeps each host's queue and robots.txt, and the cookies of each source.
 */
export interface PortalAccess {
  /** The client of one job, identified by its signal. Aborting the signal ends running requests with its reason. */
  clientFor: (source: string, signal: AbortSignal, waiting?: Waiting) => HttpClient
  /**
   * Waits until a page may be requested; for callers that do not use this client. Pass the response to `heed`.
   *
   * @throws ScrapeError `bad_config`, `network`, `blocked`, `throttled`; the signal's reason
   */
  approach: (url: URL, signal: AbortSignal, waiting?: Waiting) => Promise<void>
  /** Reads from a response to the job of `signal` when its host allows the next request. */
  heed: (url: URL, status: number, headers: Readonly<Record<string, string>>, signal: AbortSignal) => void
  /**
   * The address behind a URL, if it may be requested.
   *
   * @throws ScrapeError `bad_config`, `network`
   */
  resolve: (url: URL) => Promise<string>
}

const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])

export const createPortalAccess = ({
  userAgent,
  allowPrivate = false,
  ownOrigins = new Set(),
  spacingMs = 500,
  timeoutMs = SCRAPE_LIMIT_MS.plain,
  maxBodyBytes = PAGE_BOUNDS.bytes,
}: HttpClientOptions): PortalAccess => {
  const turns = new HostTurns()
  const jarOf = createCookieJars()

  const resolve = (url: URL): Promise<string> =>
    resolvePublicAddress(url, { allowPrivate: allowPrivate || ownOrigins.has(url.origin) })

  const heed: PortalAccess['heed'] = (url, status, headers, signal) => {
    const retryAfterMs = readRetryAfter(headers['retry-after'])
    if (retryAfterMs !== null && [429, 503].includes(status)) turns.hold(url.host, retryAfterMs, signal)
  }

  /** Waits for a turn, and obeys the host's robots.txt. */
  const approach = async (url: URL, { signal, waiting }: Job): Promise<void> => {
    if (ownOrigins.has(url.origin)) return
    const rules = await robots.rulesOf(url.origin)
    if (!rules.isAllowed(url.href)) {
      throw new ScrapeError('blocked', `the robots.txt of ${url.host} disallows ${url.pathname}`)
    }
    await turns.take(url.host, Math.max(spacingMs, rules.crawlDelayMs ?? 0), signal, waiting)
  }

  /** One request and its response. Redirects are returned, not followed. */
  const exchange = async (sent: Sent, jar: CookieJar, job: Job): Promise<RawDocument> => {
    const { url, method } = sent
    const address = await resolve(url)
    if (!sent.isRobots) await approach(url, job)
    const about = { 'server.address': url.hostname, 'http.request.method': method }
    return withSpan(
      sent.isRobots ? 'portal robots.txt' : 'portal request',
      about,
      async (span) => {
        const document = await ask(sent, address, jar, job)
        span.setAttribute('http.response.status_code', document.status)
        return document
      },
      { kind: SpanKind.CLIENT },
    )
  }

  const ask = async (sent: Sent, address: string, jar: CookieJar, { signal }: Job): Promise<RawDocument> => {
    const { url, name } = sent
    const timeout = AbortSignal.timeout(timeoutMs)
    let status: number | null = null
    try {
      const response = await fetchAt(url, address, {
        method: sent.method,
        headers: {
          accept: 'text/html,application/xhtml+xml,application/json;q=0.9,*/*;q=0.8',
          'accept-language': 'en-US,en',
          ...sent.headers,
          'user-agent': userAgent,
          ...(await cookieHeader(jar, url.href)),
        },
        ...(sent.body === null ? {} : { body: sent.body }),
        signal: AbortSignal.any([signal, timeout]),
      })
      await storeCookies(jar, response.headers.getSetCookie(), url.href)
      const headers = Object.fromEntries(response.headers)
      heed(url, response.status, headers, signal)
      status = response.status
      const limits = sent.isRobots ? { maxBytes: ROBOTS_BOUNDS.bytes, isStartEnough: true } : { maxBytes: maxBodyBytes }
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

  /** Follows redirects, each checked like the first URL. */
  const follow = async (first: Sent, jar: CookieJar, job: Job): Promise<RawDocument> => {
    let sent = first
    for (let redirects = 0; ; redirects++) {
      const document = await exchange(sent, jar, job).catch((error) => {
        throw redirects === 0 ? error : noteRedirect(error, first.url, sent.url)
      })
      const location = REDIRECTS.has(document.status) ? document.headers.location : undefined
      if (location === undefined) return document
      if (redirects === MAX_REDIRECTS) {
        throw new ScrapeError('network', `${first.url.host} redirects more than ${MAX_REDIRECTS} times`, {
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

  const robots = new Robots(async (url) => {
    const sent = { name: 'robots', url, method: 'GET', headers: {}, body: null, isRobots: true } as const
    const signal = AbortSignal.timeout(timeoutMs)
    const document = await follow(sent, new CookieJar(), { signal }).catch((error) => {
      throw signal.aborted ? new ScrapeError('timeout', tookTooLong(url.host, timeoutMs), { cause: error }) : error
    })
    if (document.status >= 500) {
      throw new ScrapeError('network', `${url.host} answered with status ${document.status}`, {
        failureClass: 'server_error',
      })
    }
    return document.status === 200 ? document.body : null
  }, userAgent)

  const clientWith = (jar: CookieJar, job: Job): HttpClient => ({
    request: async (request) => untilAborted(job.signal, follow(toSent(request), jar, job)),
    withOwnCookies: () => clientWith(new CookieJar(), job),
  })

  return {
    clientFor: (source, signal, waiting) => clientWith(jarOf(source), { signal, waiting }),
    approach: async (url, signal, waiting) => {
      // DNS and robots.txt look-ups cannot be cancelled.
      await untilAborted(signal, resolve(url))
      await untilAborted(signal, approach(url, { signal, waiting }))
    },
    heed,
    resolve,
  }
}

interface Job {
  signal: AbortSignal
  waiting?: Waiting | undefined
}

/**
 * If a portal redirected to a URL that is not allowed, or to another host that cannot be reached, the settings and the host of the source
 * are not the reason.
 */
const noteRedirect = (error: unknown, from: URL, to: URL): unknown => {
  if (!(error instanceof ScrapeError)) return error
  const { code, message, retryAfterMs } = error
  const isElsewhere = code === 'network' && from.hostname !== to.hostname
  if (code !== 'bad_config' && !isElsewhere) return error
  return new ScrapeError(code, `${from.host} redirected elsewhere: ${message}`, {
    ...{ cause: error, retryAfterMs, failureClass: 'redirected' },
  })
}

/** The status that the portal sent before the response failed. */
const withStatus = (status: number | null): string => (status === null ? '' : ` (status ${status})`)
