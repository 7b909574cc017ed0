import { api, ask, at } from '../../api/api'

export interface JobFilter {
  status?: 'queued' | 'running' | 'done' | 'error'
  source?: string
  parcel_id?: string
}

export const listJobs = (filter: JobFilter, page: { limit: number; after?: string }, signal: AbortSignal) =>
  ask(api.v1['scrape-jobs'].get({ query: { ...filter, ...page }, fetch: { signal } }))
export type JobPage = Awaited<ReturnType<typeof listJobs>>

export const getJob = (id: string, signal: AbortSignal) =>
  ask(api.v1['scrape-jobs']({ id: at(id) }).get({ fetch: { signal } }))
export type Job = Awaited<ReturnType<typeof getJob>>

export const cancelJob = (id: string) => ask(api.v1['scrape-jobs']({ id: at(id) }).delete())
/** Returns the new job. */
export const retryJob = (id: string) => ask(api.v1['scrape-jobs']({ id: at(id) }).retry.post())
export const listAttempts = (id: string, signal: AbortSignal) =>
  ask(api.v1['scrape-jobs']({ id: at(id) }).attempts.get({ fetch: { signal } }))
