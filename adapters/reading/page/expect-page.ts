import type { RawDocument } from '../../adapter'
import { readRetryAfter } from '../../http/retry-after'
import { ScrapeError } from '../../scrape-error'
import { expectNoNotice } from './expect-no-notice'

/** Only the beginning is examined, because such pages are short. */
const LOOK_AT = 20_000

const MAINTENANCE =
  /(?:down|closed|offline|unavailable) for (?:\w+ )?maintenance|(?:under(?:going)?|scheduled|system|site) maintenance|\bperforming (?:\w+ )?maintenance|temporarily (?:unavailable|out of service|down)|<title>[^<]*\bmaintenance\b/i
/** Notices that are on every page, hidden until they are needed. */
const HIDDEN_NOTICE = /<(\w+)\b[^<>]*(?:\bdisplay\s*:\s*none\b|\shidden(?=[\s=>]))[^<>]*>[^<>]*<\/\1>/gi
/** Pages of parcels may mention maintenance too ("road maintenance"), but a maintenance notice is short. */
const MAX_WORDS_OF_A_NOTICE = 250

/**
 * Returns the document if it is a normal page.
 *
 * @throws ScrapeError `blocked`, `throttled`, `maintenance`, `not_found`, or `network` for any status other than 200
 */
export const expectPage = (document: RawDocument): RawDocument => {
  const start = document.body.slice(0, LOOK_AT)
  const { status, headers } = document
  const where = `the ${document.name} page of ${hostOf(document.url)}`
  const visible = start.replace(HIDDEN_NOTICE, '')
  const text = isJson(start) ? null : textOf(visible)
  const words = text === null ? Number.POSITIVE_INFINITY : countWords(text)
  if (headers['cf-mitigated'] === 'challenge' || headers['x-amzn-waf-action'] !== undefined) {
    throw new ScrapeError('blocked', `${where} is a bot check`, { failureClass: 'challenge' })
  }
  expectNoNotice({ html: start, text, words }, document, where)
  const retryAfterMs = readRetryAfter(headers['retry-after'])
  if (status === 429)
    throw new ScrapeError('throttled', `${where} returned status 429: too many requests`, { retryAfterMs })
  if (words <= MAX_WORDS_OF_A_NOTICE && MAINTENANCE.test(visible)) {
    throw new ScrapeError('maintenance', `${where} says that the portal is down for maintenance`, { retryAfterMs })
  }
  if (status === 200) return document
  if (status === 503 && retryAfterMs !== null) {
    throw new ScrapeError('throttled', `${where} returned status 503 with Retry-After`, { retryAfterMs })
  }
  if (status === 401 || status === 403) throw new ScrapeError('blocked', `${where} is refused (status ${status})`)
  if (status === 404 || status === 410) {
    throw new ScrapeError('not_found', `${where} does not exist (status ${status})`, { failureClass: 'page_missing' })
  }
  throw new ScrapeError('network', `${where} returned status ${status}`, { failureClass: 'server_error' })
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'the portal')

/** Status 304: unchanged for the validators that were sent. */
export const isNotModified = ({ status }: RawDocument): boolean => status === 304

/** `\s` includes the byte order mark. */
const isJson = (start: string): boolean => /^\s*[[{]/.test(start)

const textOf = (html: string): string => html.replace(/<(script|style)\b[\s\S]*?(?:<\/\1>|$)|<[^<>]*>/gi, ' ')

const countWords = (text: string): number => text.match(/\p{L}{2,}/gu)?.length ?? 0
