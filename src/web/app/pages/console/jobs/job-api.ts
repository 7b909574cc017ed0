import { useQuery } from '@tanstack/react-query'
import type { FailureClassName } from '../../../../../../core/sources/failure-classes'
import { api, ask, at } from '../../../api/api'

export interface JobFilter {
  status?: 'queued' | 'running' | 'done' | 'error'
  source?: string
  parcel_id?: string
  /** Needs `source`. */
  failure_class?: FailureClassName
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

export interface JobScope {
  source?: string
  vendor?: string
}

const TOTALS_MS = 3_000

/** How many jobs are open, how many ended since then (by default in the last hour), and how long the rest takes. */
export const useJobTotals = (scope: JobScope & { since?: string }) =>
  useQuery({
    queryKey: ['jobs', 'totals', scope],
    queryFn: ({ signal }) => ask(api.v1['scrape-jobs'].totals.get({ query: scope, fetch: { signal } })),
    refetchInterval: TOTALS_MS,
    placeholderData: (before) => before,
  })

/** Sources in which jobs can be found. */
export const useSourceNames = () =>
  useQuery({
    queryKey: ['sources'],
    queryFn: ({ signal }) => ask(api.v1.sources.get({ query: {}, fetch: { signal } })),
    select: ({ sources }) =>
      sources.map(({ source, county_name, state }) => [source, `${county_name}, ${state}`] as const),
  })

/** The county of a source, by name. Its slug until the names are known. */
export const useSourceName = (source: string): string =>
  useSourceNames().data?.find(([slug]) => slug === source)?.[1] ?? source

/** Cancels the open jobs of a source, in as many requests as it takes. `onStep` gets how many are left. */
export const cancelJobs = async (source: string, onStep: (left: number) => void): Promise<number> => {
  for (let cancelled = 0; ; ) {
    const step = await ask(api.v1['scrape-jobs'].cancel.post({ source }))
    cancelled += step.cancelled
    onStep(step.left)
    if (step.left === 0 || step.cancelled === 0) return cancelled
  }
}

export const retryJobs = (source: string, failureClass: FailureClassName) =>
  ask(api.v1['scrape-jobs'].retry.post({ source, failure_class: failureClass }))

export type RefreshFilter = Record<string, string | number | boolean>

export const estimateRefresh = async (filter: RefreshFilter, skipFresh: boolean) => {
  const answer = await ask(api.v1['scrape-jobs'].refresh.post({ filter, skip_fresh: skipFresh, dry_run: true }))
  if (!('parcels' in answer)) throw new Error('the service answered a dry run by queueing jobs')
  return answer
}
export type RefreshEstimate = Awaited<ReturnType<typeof estimateRefresh>>

export const orderRefresh = async (filter: RefreshFilter, skipFresh: boolean) => {
  const answer = await ask(api.v1['scrape-jobs'].refresh.post({ filter, skip_fresh: skipFresh }))
  if (!('enqueued' in answer)) throw new Error('the service answered a request for scrapes with an estimate')
  return answer
}

export const orderParcels = (source: string, ids: readonly string[]) =>
  ask(api.v1['scrape-jobs'].post(ids.map((id) => ({ source, source_parcel_id: id }))))
