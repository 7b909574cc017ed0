import { treaty } from '@elysiajs/eden'
import type { App } from '../../../http/app'
import type { FindingDismissals } from '../../../http/routes/findings/finding-dismissals'
import { readKey } from '../session/key'
import { noteAnswer, noteNoAnswer } from './connection'
import { noteServerTime } from './server-clock'

/** The service sends the guide as HTML, and its own process has no address. It makes no requests then. */
const ORIGIN = typeof location === 'undefined' ? 'http://localhost' : location.origin

/**
 * A client of this service, typed by its routes. It sends the key that a person typed in; without one, the session's cookie counts.
 * Callers percent-encode path parameters: see `at`.
 */
const OPTIONS = {
  // Timestamps stay strings, as the types say.
  parseDate: false,
  headers: (): Record<string, string> => {
    const key = readKey()
    return key === null ? {} : { 'x-service-key': key }
  },
}

export const api = treaty<App>(ORIGIN, OPTIONS)
/** The routes that the type of the app does not have (finding-dismissals.ts). */
export const dismissals = treaty<FindingDismissals>(`${ORIGIN}/v1`, OPTIONS)

/** Encodes a path parameter, because Eden does not. */
export const at = encodeURIComponent

/** An error response, with the service's message. Status 0: there was no response. */
export class Refusal extends Error {
  readonly status: number
  readonly body: unknown

  constructor(status: number, message: string, body: unknown = null) {
    super(message)
    this.name = 'Refusal'
    this.status = status
    this.body = body
  }
}

export const isNotFound = (error: unknown): boolean => error instanceof Refusal && error.status === 404

/** A proxy in front of the service responds with these while the service is away, without the body of the service's own errors. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504])

type Answered<Data> =
  | { data: Data; error: null; response?: Response | undefined }
  | { data: null; error: { status: unknown; value: unknown }; response?: Response | undefined }

/**
 * The body of a successful response.
 *
 * @throws Refusal for any other answer, and when there is none
 */
export const ask = async <Data>(call: Promise<Answered<Data>>): Promise<Exclude<Data, Response | null>> => {
  const askedAt = Date.now()
  const answer = await call
  noteServerTime(answer.response?.headers.get('date'))
  if (answer.error === null) {
    noteAnswer(askedAt)
    return answer.data as Exclude<Data, Response | null>
  }
  const { status, value } = answer.error
  if (value instanceof Error) {
    if (value.name === 'AbortError') throw value
    noteNoAnswer()
    throw new Refusal(0, 'The service does not respond. Check your network.')
  }
  const told = value !== null && typeof value === 'object' && 'error' in value ? value.error : null
  if (told === null && GATEWAY_STATUSES.has(Number(status))) {
    noteNoAnswer()
    throw new Refusal(0, 'The service does not respond.')
  }
  noteAnswer(askedAt)
  throw new Refusal(Number(status), typeof told === 'string' ? told : `The service responded with ${status}.`, value)
}
