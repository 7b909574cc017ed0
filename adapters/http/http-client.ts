import { SpanKind } from '@opentelemetry/api'
import { CookieJar } from 'tough-cookie'
import { PAGE_BOUNDS } from '../../core/bounds'
import { untilAborted } from '../../core/concurrency/until-aborted'
import { withSpan } from '../../core/observe/with-span'
import type { HttpClient, RawDocument } from '../adapter'
import { ScrapeError } from '../scrape-error'
import { SCRAPE_LIMIT_MS } from '../scrape-limits'
import { createCookieJars } from './cookies'
import { fetchDocument } from './fetch-document'
import { EndlessRedirects, followRedirects } from './follow-redirects'
import { HostTurns, type Waiting } from './host-turns'
import { tookTooLong } from './network-problem'
import { resolvePublicAddress } from './public-address'
import { readRetryAfter } from './retry-after'
import { Robots } from './robots'
import { type Sent, toSent } from './sent-request'

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
  /** A request that ends without a whole response after this time counts as unanswered. */
  silentMs?: number
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

/** Slow portals answer in 10 s or less. */
const SILENT_MS = 20_000

export const createPortalAccess = ({
  userAgent,
  allowPrivate = false,
  ownOrigins = new Set(),
  spacingMs = 500,
  timeoutMs = SCRAPE_LIMIT_MS.plain,
  maxBodyBytes = PAGE_BOUNDS.bytes,
  silentMs = SILENT_MS,
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

  /** Sends one request when the portal allows it. Every redirect gets the same checks as the first request. */
  const exchange = async (sent: Sent, jar: CookieJar, job: Job): Promise<RawDocument> => {
    const { url, method, isRobots } = sent
    const address = await resolve(url)
    if (!isRobots) await approach(url, job)
    return withSpan(
      isRobots ? 'portal robots.txt' : 'portal request',
      { 'server.address': url.hostname, 'http.request.method': method },
      async (span) => {
        const document = await ask(sent, address, jar, job.signal)
        span.setAttribute('http.response.status_code', document.status)
        return document
      },
      { kind: SpanKind.CLIENT },
    )
  }

  /** Sends one request, and notes whether the host answers at all. */
  const ask = async (sent: Sent, address: string, jar: CookieJar, signal: AbortSignal): Promise<RawDocument> => {
    const { host } = sent.url
    const startedAt = performance.now()
    try {
      const document = await fetchDocument(sent, address, jar, signal, {
        userAgent,
        timeoutMs,
        maxBodyBytes,
        onHeaders: (status, headers) => heed(sent.url, status, headers, signal),
      })
      turns.noteAnswer(host)
      return document
    } catch (error) {
      const isAnswered = !signal.aborted && !(error instanceof ScrapeError && error.code === 'timeout')
      if (isAnswered) turns.noteAnswer(host)
      else if (!sent.isRobots && performance.now() - startedAt >= silentMs) turns.noteSilence(host)
      throw error
    }
  }

  const request = (first: Sent, jar: CookieJar, job: Job): Promise<RawDocument> =>
    followRedirects(first, (sent) => exchange(sent, jar, job))

  const robots = new Robots(async (url) => {
    const sent = { name: 'robots', url, method: 'GET', headers: {}, body: null, isRobots: true } as const
    const signal = AbortSignal.timeout(timeoutMs)
    const document = await request(sent, new CookieJar(), { signal }).catch((error) => {
      // RFC 9309, 2.3.1.2: after more than five redirects it counts as missing.
      if (error instanceof EndlessRedirects) return null
      throw signal.aborted ? new ScrapeError('timeout', tookTooLong(url.host, timeoutMs), { cause: error }) : error
    })
    if (document === null) return null
    if (document.status >= 500) {
      throw new ScrapeError('network', `${url.host} answered with status ${document.status}`, {
        failureClass: 'server_error',
      })
    }
    return document.status === 200 ? document.body : null
  }, userAgent)

  const clientWith = (jar: CookieJar, job: Job): HttpClient => ({
    request: async (wanted) => untilAborted(job.signal, request(toSent(wanted), jar, job)),
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
