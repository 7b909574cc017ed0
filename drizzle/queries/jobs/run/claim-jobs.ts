import type { Db } from '../../../../core/postgres/database'

export interface ClaimedJob {
  id: string
  /** The number of this attempt. Its writes are refused once it is no longer the current one. */
  attempt: number
  /** How many attempts count so far, this one included. */
  countedAttempts: number
  source: string
  sourceParcelId: string
  vendor: string
  overrides: Record<string, unknown>
  /** The span of the request; null: not traced. */
  traceparent: string | null
}

/** A job from a queue, with its number of attempts when it was dispatched. */
export interface JobToClaim {
  id: string
  attempts: number
}

export interface Claims {
  claimed: ClaimedJob[]
  /** Ids of jobs that could run, but their vendor is at its target. They stay queued. */
  full: string[]
}

/**
 * Claims queued jobs: each becomes running, with the next attempt number and a lease. Jobs are skipped if they were attempted after
 * the dispatch, have ended, or have a running job for the same parcel. Locked jobs are skipped too: a claim never waits for a lock on
 * a job, so it cannot be part of a deadlock. Jobs are looked up one by one, because with outdated statistics the planner would read
 * all queued jobs.
 *
 * A vendor never has more running jobs than its target. `vendor_room` (functions/vendor-room.sql) counts them, one claim at a time. It
 * is called inside this statement: a transaction of several statements halved the number of jobs per second (2026-11-22).
 */
export const claimJobs = async (db: Db, deliveries: readonly JobToClaim[], leaseMs: number): Promise<Claims> => {
  const rows = await db<(ClaimedJob & { isFull: boolean })[]>`
    with ready as (
      select found.id, found.vendor, wanted.place
      from unnest(${deliveries.map(({ id }) => id)}::uuid[], ${deliveries.map(({ attempts }) => attempts)}::int[])
        with ordinality as wanted (id, attempts, place)
      cross join lateral (
        select j.id, j.vendor from scrape_jobs j
        where j.id = wanted.id and j.attempts = wanted.attempts and j.status = 'queued' and not exists (
          select from scrape_jobs r
          where r.source = j.source and r.source_parcel_id = j.source_parcel_id and r.status = 'running'
        )
        for update of j skip locked
      ) found
    ), room as materialized (
      select vendor, vendor_room(vendor) as places from (select distinct vendor from ready order by vendor) vendors
    ), placed as (
      select id, row_number() over (partition by vendor order by place) > places as is_full
      from ready join room using (vendor)
    ), claimed as (
      update scrape_jobs j set status = 'running', attempts = attempts + 1, started_at = clock_timestamp(),
        updated_at = clock_timestamp(), dispatched_at = null,
        lease_expires_at = clock_timestamp() + ${leaseMs} * interval '1 ms'
      from placed where j.id = placed.id and not placed.is_full
      returning j.id, j.attempts as attempt, j.attempts - j.handed_back as "countedAttempts", j.source,
        j.source_parcel_id as "sourceParcelId", j.vendor, j.overrides, j.traceparent
    )
    select false as "isFull", * from claimed
    union all select true, id, null, null, null, null, null, null, null from placed where is_full`
  return {
    claimed: rows.filter(({ isFull }) => !isFull).map(({ isFull: _, ...job }) => job),
    full: rows.filter(({ isFull }) => isFull).map(({ id }) => id),
  }
}
