import { SpanKind } from '@opentelemetry/api'
import { Webhook } from 'standardwebhooks'
import { fetchAt } from '../../adapters/http/fetch-at'
import { networkProblem, tookTooLong } from '../../adapters/http/network-problem'
import { resolvePublicAddress } from '../../adapters/http/public-address'
import { readBody } from '../../adapters/http/read-body'
import { readRetryAfter } from '../../adapters/http/retry-after'
import { ScrapeError } from '../../adapters/scrape-error'
import { toMessage, WATCH_BOUNDS } from '../../core/bounds'
import { untilAborted } from '../../core/concurrency/until-aborted'
import { withSpan } from '../../core/observe/with-span'
import type { DueDelivery } from '../../drizzle/queries/watches/due-deliveries'
import type { WebhookResponse } from '../../drizzle/queries/watches/record-response'

export interface SendOptions {
  userAgent: string
  /** Allows receivers on this machine and its network. For tests. */
  allowPrivate: boolean
  /** Limit for one request and the beginning of its response. */
  timeoutMs: number
  /** Aborts when the process stops. */
  signal: AbortSignal
}

export interface Sent {
  response: WebhookResponse
  /** Why the request failed. Null: the receiver accepted it, with a status from 200 to 299. */
  error: string | null
  /** How long the receiver wants no requests. Null: it did not say. */
  retryAfterMs: number | null
  /** The receiver wants no more requests (status 410). */
  isGone: boolean
}

/** The body of a request: the change and the watch that it matches, or a message about alerts. Without either, it is a test. */
const webhookBody = ({
  watchId,
  change,
  alerts,
  at,
}: Pick<DueDelivery, 'watchId' | 'change' | 'alerts' | 'at'>): string => {
  const type = alerts !== null ? 'alerts' : change === null ? 'watch.test' : 'parcel.changed'
  const data = alerts !== null ? `,${alerts.slice(1, -1)}` : change === null ? '' : `,"change":${change}`
  return `{"type":"${type}","timestamp":"${at}","data":{"watch_id":"${watchId}"${data}}}`
}

/**
 * Sends one delivery, signed by Standard Webhooks 1.0 (https://github.com/standard-webhooks/standard-webhooks). Redirects are not followed,
 * and only the beginning of the response is read. Never requests a private address.
 *
 * @throws the signal's reason, when the process stops before there is a result
 */
export const sendWebhook = (delivery: DueDelivery, options: SendOptions): Promise<Sent> => {
  const about = { 'server.address': new URL(delivery.url).hostname, 'webhook.id': delivery.id }
  return withSpan('webhook', about, () => send(delivery, options), { kind: SpanKind.CLIENT })
}

const send = async (delivery: DueDelivery, options: SendOptions): Promise<Sent> => {
  const { userAgent, allowPrivate, timeoutMs } = options
  const url = new URL(delivery.url)
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = AbortSignal.any([options.signal, timeout])
  const startedAt = performance.now()
  const ended = (status: number | null, text: string | null): WebhookResponse => ({
    status,
    text,
    durationMs: Math.round(performance.now() - startedAt),
  })
  let status: number | null = null
  let retryAfterMs: number | null = null
  try {
    const address = await untilAborted(signal, resolvePublicAddress(url, { allowPrivate }))
    const body = webhookBody(delivery)
    const now = new Date()
    const response = await fetchAt(url, address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': userAgent,
        'webhook-id': delivery.id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': new Webhook(delivery.secret).sign(delivery.id, now, body),
      },
      body,
      signal,
    })
    status = response.status
    retryAfterMs = readRetryAfter(response.headers.get('retry-after') ?? undefined)
    const text = await readBody(response, url.host, { maxBytes: WATCH_BOUNDS.responseBytes, isStartEnough: true })
    return { ...judge(url, status), retryAfterMs, response: ended(status, toMessage(text)) }
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason
    // Only the status decides. The body is just for people.
    if (status !== null) return { ...judge(url, status), retryAfterMs, response: ended(status, null) }
    const problem = timeout.aborted ? tookTooLong(url.host, timeoutMs) : describe(url, error)
    return { error: problem, isGone: false, retryAfterMs: null, response: ended(null, null) }
  }
}

const judge = (url: URL, status: number): { error: string | null; isGone: boolean } => {
  if (status >= 200 && status < 300) return { error: null, isGone: false }
  const isRedirect = status >= 300 && status < 400
  const why = isRedirect ? 'a redirect, which is not followed' : `status ${status}`
  return { error: `${url.host} responded with ${why}`, isGone: status === 410 }
}

/** Does not reveal private names and addresses, because these errors are for the owner of the watch. */
const describe = (url: URL, error: unknown): string => {
  if (!(error instanceof ScrapeError)) return networkProblem(url.host, error)
  return error.code === 'bad_config' ? `${url.host} is not on the public internet` : error.message
}
