import { cutText, MESSAGE_CHARACTERS } from '../core/bounds'
import { type ErrorCode, ServiceError } from '../core/service-error'
import type { FailureClassName } from '../core/sources/failure-classes'

/**
 * How a scrape can fail, by name.
 *
 * - `blocked`: a challenge page or a refusal (captcha, bot check, 403); reported, never evaded
 * - `throttled`: 429, or 503 with Retry-After
 * - `not_found`: the portal answered that it does not know the parcel
 * - `wrong_parcel`: the page belongs to another parcel
 * - `page_changed`: a required label or table is missing; the message names it
 * - `too_large`: a response beyond the limits in `bounds.ts`, or one that exceeded the time or memory limit while being read
 * - `maintenance`: the portal says that it is down for maintenance
 * - `timeout`, `network`: no complete response arrived
 * - `bad_config`: `vendor_config` does not match the vendor's schema, or names something that the portal does not have
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

/** Whether to retry. Other errors would occur again, or (`blocked`) must not be repeated. */
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

export interface ScrapeErrorOptions {
  retryAfterMs?: number | null
  failureClass?: FailureClassName | null
}

export class ScrapeError extends ServiceError {
  declare readonly code: ScrapeErrorCode
  /** The portal's `Retry-After`; null when it sent none. */
  readonly retryAfterMs: number | null

  /** More specific than the code (core/sources/failure-classes.ts). Null: the code is specific enough. */
  readonly failureClass: FailureClassName | null

  constructor(code: ScrapeErrorCode, message: string, options: ErrorOptions & ScrapeErrorOptions = {}) {
    // Messages quote pages, and they are stored, logged and sent to callers.
    super(code, cutText(message, MESSAGE_CHARACTERS), options)
    this.name = 'ScrapeError'
    this.retryAfterMs = options.retryAfterMs ?? null
    this.failureClass = options.failureClass ?? null
  }
}
