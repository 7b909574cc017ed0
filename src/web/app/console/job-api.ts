import { callPending } from '../account-api'
import { api, ask, at } from '../api'

export interface Attempt {
  attempt: number
  /** Null: it runs. */
  outcome: string | null
  error_message: string | null
  started_at: string | null
  ended_at: string | null
  duration_ms: number | null
}

export const getJob = (id: string, signal: AbortSignal) =>
  ask(api.v1['scrape-jobs']({ id: at(id) }).get({ fetch: { signal } }))
export type Job = Awaited<ReturnType<typeof getJob>>
export const cancelJob = (id: string) => ask(api.v1['scrape-jobs']({ id: at(id) }).delete({}))
/** The job that waits now: another one. */
export const retryJob = (id: string) => callPending<{ id: string }>('POST', `/v1/scrape-jobs/${at(id)}/retry`, {})
export const listAttempts = (id: string, signal: AbortSignal) =>
  callPending<{ attempts: Attempt[] }>('GET', `/v1/scrape-jobs/${at(id)}/attempts`, undefined, signal)
