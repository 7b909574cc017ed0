import { cutText, MESSAGE_CHARACTERS } from '../core/bounds'
import { type ErrorCode, ServiceError } from '../core/service-error'

/**
 * How a scrape can fail, by name.
 *
 * - `blocked`: a challenge page or a refusal (captcha, bot check, 403); reported, never evaded
 * - `throttled`: 429, or 503 with Retry-After
 * - `not_found`: the portal answers, and does not know the parcel
 * - `wrong_parcel`: the page is another parcel's
 * - `page_changed`: a required label or table is missing; the message names it
 * - `too_large`: an answer beyond the bounds of `bounds.ts`, or one that could not be read with the time and memory that a page may take
 * - `maintenance`: the portal says that it is down for a while
 * - `timeout`, `network`: no whole answer came
 * - `bad_config`: `vendor_config` does not fit the vendor's schema, or names what the portal does not have
 */
export const SCRAPE_ERROR_CODES = [
  'blocked',
  'throttled',
  'not_found',
  'wrong_parcel',
  'page_changed',
  'too_large',
  'maintenance',
  'timeout',
  'network',
  'bad_config',
] as const satisfies readonly ErrorCode[]
export type ScrapeErrorCode = (typeof SCRAPE_ERROR_CODES)[number]

/** Worth another try. The others would fail the same way again, or (`blocked`) must not be pressed. */
export const RETRYABLE: Readonly<Record<ScrapeErrorCode, boolean>> = {
  blocked: false,
  throttled: true,
  not_found: false,
  wrong_parcel: false,
  page_changed: false,
  too_large: false,
  maintenance: true,
  timeout: true,
  network: true,
  bad_config: false,
}

export class ScrapeError extends ServiceError {
  declare readonly code: ScrapeErrorCode
  /** How long the portal asked to be left alone (`Retry-After`); null when it did not say. */
  readonly retryAfterMs: number | null

  constructor(code: ScrapeErrorCode, message: string, options: ErrorOptions & { retryAfterMs?: number | null } = {}) {
    // Messages quote pages, and are stored, logged and sent to callers.
    super(code, cutText(message, MESSAGE_CHARACTERS), options)
    this.name = 'ScrapeError'
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}
