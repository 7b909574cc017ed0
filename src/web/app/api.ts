import { treaty } from '@elysiajs/eden'
import type { App } from '../../http/app'
import { readKey } from './session/key'

/**
 * Calls of this service, typed by its own routes. A key that was typed in goes along; without one the session's cookie speaks.
 * Path parameters are percent-encoded by the caller: see `at`.
 */
export const api = treaty<App>(location.origin, {
  // Timestamps stay texts, as the types say.
  parseDate: false,
  headers: () => {
    const key = readKey()
    return key === null ? {} : { 'x-service-key': key }
  },
})

/** A path parameter: Eden joins paths of what it is given as it is. */
export const at = encodeURIComponent

/** An answer that is no success, in the service's own words. Status 0: there was none. */
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

type Answered<Data> =
  | { data: Data; error: null }
  | { data: null; error: { status: unknown; value: unknown }; response?: Response | undefined }

/**
 * The body of a call's success.
 *
 * @throws Refusal for any other answer, and when there is none
 */
export const ask = async <Data>(call: Promise<Answered<Data>>): Promise<Exclude<Data, Response | null>> => {
  const answer = await call
  if (answer.error === null) return answer.data as Exclude<Data, Response | null>
  const { status, value } = answer.error
  if (value instanceof Error) {
    if (value.name === 'AbortError') throw value
    throw new Refusal(0, 'The service does not answer. Is the network there?')
  }
  const told = value !== null && typeof value === 'object' && 'error' in value ? value.error : null
  throw new Refusal(Number(status), typeof told === 'string' ? told : `The service answered ${status}.`, value)
}
