import { ParcelDataError } from './error.js'
import type { Alert, Change } from './generated/openapi.js'

/** The alerts of one rule that were raised, or that ended, in the same minute. */
export interface AlertsMessage extends Pick<Alert, 'rule' | 'state' | 'console_url'> {
  watch_id: string
  title: string
  /** What the rule means. */
  means: string
  /** What to do. */
  advice: string
  /** How many alerts there are. `alerts` has the first 50. */
  count: number
  alerts: Omit<Alert, 'told_at' | 'silenced_until' | 'silenced_by' | 'silence_reason'>[]
}

/** The content of a webhook. */
export type WebhookEvent = {
  /** Id of the delivery. If you get it twice, ignore the second one. */
  id: string
  timestamp: string
} & (
  | { type: 'parcel.changed'; data: { watch_id: string; change: Change } }
  /** For watches of the kind `alerts`. */
  | { type: 'alerts'; data: AlertsMessage }
  /** A test that someone requested. */
  | { type: 'watch.test'; data: { watch_id: string } }
)

/** The parts of a request that are signed, for servers that do not have a `Request`. The body must be as received, not parsed. */
export interface ReceivedWebhook {
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  body: string | Uint8Array<ArrayBuffer>
}

const TOLERANCE_S = 300

/**
 * Reads a webhook of a watch, after checking its signature and its age (Standard Webhooks 1.0). `secret` is the `webhook_secret` of the watch;
 * while you change it, pass the old and the new one.
 *
 * @throws ParcelDataError `invalid_webhook`: answer 401, and do nothing
 */
export const verifyWebhook = async (
  received: Request | ReceivedWebhook,
  secret: string | readonly string[],
  { toleranceS = TOLERANCE_S, now = () => Date.now() }: { toleranceS?: number; now?: () => number } = {},
): Promise<WebhookEvent> => {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(received.headers, name),
  )
  if (!id || !timestamp || !signatures)
    throw invalid('a header is missing: webhook-id, webhook-timestamp or webhook-signature')
  if (!/^\d+$/.test(timestamp) || Math.abs(now() / 1_000 - Number(timestamp)) > toleranceS)
    throw invalid(`the timestamp is more than ${toleranceS} s away from now`)
  const content = received instanceof Request ? new Uint8Array(await received.arrayBuffer()) : received.body
  const body = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const signed = join(new TextEncoder().encode(`${id}.${timestamp}.`), body)
  const given = signatures.split(' ').flatMap((part) => (part.startsWith('v1,') ? [decodeBase64(part.slice(3))] : []))
  for (const one of [secret].flat()) {
    const key = await crypto.subtle.importKey('raw', keyOf(one), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
    for (const signature of given) {
      // `verify` compares in constant time.
      if (signature !== null && (await crypto.subtle.verify('HMAC', key, signature, signed)))
        return { ...JSON.parse(new TextDecoder().decode(body)), id }
    }
  }
  throw invalid('the signature is wrong')
}

const invalid = (reason: string): ParcelDataError => new ParcelDataError('invalid_webhook', reason)

const headerOf = (headers: ReceivedWebhook['headers'], name: string): string | undefined => {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof value === 'object' ? value[0] : value
}

const keyOf = (secret: string): Uint8Array<ArrayBuffer> => {
  const key = decodeBase64(secret.replace(/^whsec_/, ''))
  // An empty key would let anybody sign.
  if (key === null || key.byteLength === 0) throw new TypeError('the secret must be the webhook_secret of a watch')
  return key
}

const decodeBase64 = (text: string): Uint8Array<ArrayBuffer> | null => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

const join = (one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> => {
  const both = new Uint8Array(one.byteLength + other.byteLength)
  both.set(one)
  both.set(other, one.byteLength)
  return both
}
