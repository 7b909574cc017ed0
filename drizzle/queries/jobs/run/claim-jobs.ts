import type { Db } from '../../../../core/postgres/database'

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

/** A job that a queue delivered, and how often it had been tried then. */
export interface JobToClaim {
  id: string
  attempts: number
}

export interface Claims {
  claimed: ClaimedJob[]
  /** Ids of jobs that could run, but as many of their vendor's jobs run as its target allows. They stay queued. */
  full: string[]
}

/**
 * Turns queued jobs into running ones, each with the next number of try and a lease. Left alone are jobs that were tried since
 * they were handed over, those that ended, those whose parcel has a running job, and those that someone else is changing at this very
 * moment (never waiting for a lock on a job, claims cannot be part of a deadlock). Jobs are looked up one by one: left to choose, the
 * planner reads all that are queued where statistics are older than they are.
 *
 * No more of a vendor's jobs run than its target, whatever the queue delivers: `vendor_room` (0029_vendor_room.sql) counts them one
 * claim after the other. It is asked within the statement: with a transaction of several statements, half as many jobs a second
 * were done (2026-11-22).
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
      returning j.id, j.attempts as attempt, j.attempts - j.handed_back as tries, j.source,
        j.source_parcel_id as "sourceParcelId", j.vendor, j.overrides, j.traceparent
    )
    select false as "isFull", * from claimed
    union all select true, id, null, null, null, null, null, null, null from placed where is_full`
  return {
    claimed: rows.filter(({ isFull }) => !isFull).map(({ isFull: _, ...job }) => job),
    full: rows.filter(({ isFull }) => isFull).map(({ id }) => id),
  }
}
