import type { Db } from '../database'

export interface ClaimedJob {
  id: string
  /** The number of this try: what is written for it is written only while it is the current one. */
  attempt: number
  /** How many tries count so far, this one included. */
  tries: number
  source: string
  sourceParcelId: string
  vendor: string
  overrides: Record<string, unknown>
  /** Of what asked for it; null: not traced. */
  traceparent: string | null
}

/**
 * Turns queued jobs into running ones, each with the next number of try and a lease. Left alone are jobs that were tried since
 * they were handed over, those that ended, those whose parcel has a running job, and those that someone else is changing at this very
 * moment (never waiting for a lock, claims cannot be part of a deadlock). Jobs are looked up one by one: left to choose, the
 * planner reads all that are queued where statistics are older than they are.
 */
export const claimJobs = (
  db: Db,
  deliveries: readonly { id: string; attempts: number }[],
  leaseMs: number,
): Promise<ClaimedJob[]> => db<ClaimedJob[]>`
  with ready as (
    select found.id
    from unnest(${deliveries.map(({ id }) => id)}::uuid[], ${deliveries.map(({ attempts }) => attempts)}::int[]) as wanted (id, attempts)
    cross join lateral (
      select j.id from scrape_jobs j
      where j.id = wanted.id and j.attempts = wanted.attempts and j.status = 'queued' and not exists (
        select from scrape_jobs r
        where r.source = j.source and r.source_parcel_id = j.source_parcel_id and r.status = 'running'
      )
      for update of j skip locked
    ) found
  )
  update scrape_jobs j set status = 'running', attempts = attempts + 1, started_at = now(), updated_at = now(),
    dispatched_at = null, lease_expires_at = now() + ${leaseMs} * interval '1 ms'
  from ready where j.id = ready.id
  returning j.id, j.attempts as attempt, j.attempts - j.handed_back as tries, j.source,
    j.source_parcel_id as "sourceParcelId", j.vendor, j.overrides, j.traceparent`
