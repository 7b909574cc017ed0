import { callPending } from '../account-api'
import { api, ask, at } from '../api'

export interface Attempt {
  attempt: number
  outcome: string
  duration_ms: number
  retry_after_ms: number | null
  ended_at: string
}

export const getJob = (id: string, signal: AbortSignal) =>
  ask(api.v1['scrape-jobs']({ id: at(id) }).get({ fetch: { signal } }))
export type Job = Awaited<ReturnType<typeof getJob>>
export const cancelJob = (id: string) => ask(api.v1['scrape-jobs']({ id: at(id) }).delete({}))
export const retryJob = (id: string) => callPending('POST', `/v1/scrape-jobs/${at(id)}/retry`, {})
export const listAttempts = (id: string, signal: AbortSignal) =>
  callPending<{ attempts: Attempt[] }>('GET', `/v1/scrape-jobs/${at(id)}/attempts`, undefined, signal)
