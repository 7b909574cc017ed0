import { withSpan } from '../../core/observe/with-span'
import type { Db } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { enqueueJobs, type JobOrder, type QueuedJob } from '../../drizzle/queries/jobs/order/enqueue-jobs'
import type { Requester } from '../../drizzle/queries/jobs/order/watchers'
import { findUnscrapable } from '../../drizzle/queries/sources/sources'

/** Callers do not watch a larger order parcel by parcel, so it gets the priority of refreshes. */
const MAX_FIRST = 100

/**
 * Queues one scrape per distinct parcel and returns the jobs in the order of the input. Orders of up to 100 parcels run before refreshes
 * and larger orders. A parcel that is already queued keeps its job. Either all parcels are queued or none.
 *
 * @throws ServiceError `not_found` naming an unknown source; `conflict` naming one without a portal, or a retired one
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
  await refuseUnscrapable(db, [...new Set(orders.map(({ source }) => source))])
  const priority = byKey.size <= MAX_FIRST ? 'high' : 'normal'
  const { jobs, unknownSource } = await withSpan('enqueue scrapes', { 'jobs.count': byKey.size }, () =>
    enqueueJobs(db, [...byKey.values()], requester, priority),
  )
  if (unknownSource !== null) throw new ServiceError('not_found', `unknown source: ${unknownSource}`)
  const queued = new Map(jobs.map((job) => [keyOf(job), job]))
  return [...byKey.keys()].flatMap((key) => queued.get(key) ?? [])
}

/** @throws ServiceError `not_found` if one of these sources is unknown; `conflict` if one is retired, or its parcels come from files */
export const refuseUnscrapable = async (db: Db, sources: readonly string[]): Promise<void> => {
  const found = await findUnscrapable(db, sources)
  if (found === null) return
  const { source, reason } = found
  if (reason === 'unknown') throw new ServiceError('not_found', `unknown source: ${source}`)
  throw new ServiceError(
    'conflict',
    `${source} ${reason === 'retired' ? 'is retired' : 'has no portal: its parcels come from files'}`,
  )
}

/** Unique, because a slug contains no slash. */
const keyOf = ({ source, sourceParcelId }: { source: string; sourceParcelId: string }): string =>
  `${source}/${sourceParcelId}`
