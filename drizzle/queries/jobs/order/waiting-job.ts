import type { Db } from '../../../../core/postgres/database'

/**
 * Whether another job of the parcel of job `j` waits in the queue. A parcel has one queued job at most, so that a try of `j`
 * which came to nothing cannot be queued again beside it: the other one does its work.
 */
export const hasWaitingJob = (db: Db) => db`exists (
  select from scrape_jobs q where q.source = j.source and q.source_parcel_id = j.source_parcel_id and q.status = 'queued'
)`
