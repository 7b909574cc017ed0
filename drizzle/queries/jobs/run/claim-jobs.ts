import type { Db } from '../../../../core/postgres/database'
import { type ScrapeTargetRow, scrapeTargets } from '../../sources/find-scrape-targets'
import { parcelHasJob } from '../parcel-has-job'

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
  /** Its source and its parcel as they are now. */
  target: ScrapeTargetRow
}

type ClaimedRow = Omit<ClaimedJob, 'vendor' | 'target'> & { isFull: boolean; jobVendor: string } & ScrapeTargetRow

/** A job from a queue, with its number of attempts when it was dispatched. */
export interface JobToClaim {
  id: string
  attempts: number
}

export interface Claims {
  claimed: ClaimedJob[]
  /** Ids of jobs that could run, except that their vendor is at its target. They stay queued. */
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
  const rows = await db<ClaimedRow[]>`
    with ready as (
      select found.id, found.vendor, wanted.place
      from unnest(${deliveries.map(({ id }) => id)}::uuid[], ${deliveries.map(({ attempts }) => attempts)}::int[])
        with ordinality as wanted (id, attempts, place)
      cross join lateral (
        select j.id, j.vendor from scrape_jobs j
        where j.id = wanted.id and j.attempts = wanted.attempts and j.status = 'queued' and not ${parcelHasJob(db, 'running')}
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
      returning j.id, j.attempts, j.attempts - j.handed_back as counted, j.source, j.source_parcel_id, j.vendor, j.overrides,
        j.traceparent
    ), target as materialized (${scrapeTargets(db, db`claimed as wanted`)})
    select placed.id, placed.is_full as "isFull", c.attempts as attempt, c.counted as "countedAttempts", c.vendor as "jobVendor",
      c.overrides, c.traceparent, target.*
    from placed left join claimed c using (id)
    left join target on target.source = c.source and target."sourceParcelId" = c.source_parcel_id
    where placed.is_full or c.id is not null`
  return {
    claimed: rows.filter(({ isFull }) => !isFull).map(toJob),
    full: rows.filter(({ isFull }) => isFull).map(({ id }) => id),
  }
}

const toJob = ({
  isFull: _,
  id,
  attempt,
  countedAttempts,
  jobVendor,
  overrides,
  traceparent,
  ...target
}: ClaimedRow): ClaimedJob => {
  const { source, sourceParcelId } = target
  return { id, attempt, countedAttempts, source, sourceParcelId, vendor: jobVendor, overrides, traceparent, target }
}
