import type { Db } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { withSpan } from '../../core/with-span'
import { enqueueJobs, type JobOrder, type QueuedJob } from '../../drizzle/queries/jobs/order/enqueue-jobs'
import type { Requester } from '../../drizzle/queries/jobs/order/watchers'

/** Of an order of more parcels nobody waits for the first: it takes its place among the refreshes. */
const MOST_FIRST = 100

/**
 * Queues a scrape of each parcel, once however often it is named, and returns the jobs in the order in which parcels were first
 * named. An order of up to 100 parcels goes before refreshes and larger ones. A parcel that is queued already keeps its job. All
 * are queued or none.
 *
 * @throws ServiceError `not_found` naming a source that is unknown
 */
export const enqueueScrapes = async (
  db: Db,
  orders: readonly JobOrder[],
  requester: Requester | null,
): Promise<QueuedJob[]> => {
  const byKey = new Map<string, JobOrder>()
  for (const order of orders) {
    const key = keyOf(order)
    if (!byKey.has(key)) byKey.set(key, order)
  }
  const priority = byKey.size <= MOST_FIRST ? 'high' : 'normal'
  const { jobs, unknownSource } = await withSpan('enqueue scrapes', { 'jobs.count': byKey.size }, () =>
    enqueueJobs(db, [...byKey.values()], requester, priority),
  )
  if (unknownSource !== null) throw new ServiceError('not_found', `unknown source: ${unknownSource}`)
  const queued = new Map(jobs.map((job) => [keyOf(job), job]))
  return [...byKey.keys()].flatMap((key) => queued.get(key) ?? [])
}

/** A slug has no slash. */
const keyOf = ({ source, sourceParcelId }: { source: string; sourceParcelId: string }): string =>
  `${source}/${sourceParcelId}`
