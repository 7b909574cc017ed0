import type { RawDocument } from '../../adapter'
import { readRetryAfter } from '../../http/retry-after'
import { ScrapeError } from '../../scrape-error'

/** Only the beginning is examined, because such pages are short. */
const LOOK_AT = 20_000

/** Titles of bot checks. */
const CHALLENGE_TITLE =
  /<title>\s*(?:Just a moment|Attention Required! \| Cloudflare|Human Verification|Are you (?:a )?(?:human|robot)|Pardon Our Interruption)/i
/** Scripts of bot checks. Portals load the same scripts beside their content, so it is a challenge only if the page has almost no text. */
const CHALLENGE_PART =
  /_cf_chl_opt|_Incapsula_Resource|captcha-delivery\.com|px-captcha|class=["'][^"']*\b(?:g-recaptcha|h-captcha|cf-turnstile)\b|recaptcha\/(?:api|enterprise)\.js/i
/** What robots read in place of a page, with any status. */
const WALL =
  /\b(?:request unsuccessful|incapsula|unusual traffic|access (?:to this page (?:has been|is) )?denied|you have been blocked|verify (?:that )?you are (?:a )?human)\b/i
const MAX_WORDS_OF_A_WALL = 120

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
  const text = isHtml(start) ? textOf(start) : null
  const words = text === null ? Number.POSITIVE_INFINITY : countWords(text)
  const isWall =
    text !== null &&
    words <= MAX_WORDS_OF_A_WALL &&
    (CHALLENGE_PART.test(start) || (!/<table\b/i.test(start) && WALL.test(text)))
  if (headers['cf-mitigated'] === 'challenge' || CHALLENGE_TITLE.test(start) || isWall) {
    throw new ScrapeError('blocked', `${where} is a bot check`, { failureClass: 'challenge' })
  }
  const retryAfterMs = readRetryAfter(headers['retry-after'])
  if (status === 429)
    throw new ScrapeError('throttled', `${where} returned status 429: too many requests`, { retryAfterMs })
  if (words <= MAX_WORDS_OF_A_NOTICE && MAINTENANCE.test(start.replace(HIDDEN_NOTICE, ''))) {
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

const isHtml = (start: string): boolean => /^\s*(?:<|\ufeff\s*<)/.test(start)

const textOf = (html: string): string => html.replace(/<(script|style)\b[\s\S]*?(?:<\/\1>|$)|<[^<>]*>/gi, ' ')

const countWords = (text: string): number => text.match(/\p{L}{2,}/gu)?.length ?? 0
