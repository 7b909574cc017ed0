import type { Db } from '../../../../core/postgres/database'

/**
 * Whether the parcel of job `j` has another, queued job. A parcel has at most one queued job. So when `j` fails, it cannot be queued
 * again; the other job does its work.
 */
export const hasWaitingJob = (db: Db) => db`exists (
  select from scrape_jobs q where q.source = j.source and q.source_parcel_id = j.source_parcel_id and q.status = 'queued'
)`
