import { withSpan } from '../../core/observe/with-span'
import type { ParcelFilter } from '../../core/parcels/filter'
import type { Db } from '../../core/postgres/database'
import { type JobScope, listVendorPaces, type VendorPace } from '../../drizzle/queries/jobs/job-totals'
import { countFiltered, type EnqueuedCounts, enqueueFiltered } from '../../drizzle/queries/jobs/order/enqueue-filtered'
import type { Requester } from '../../drizzle/queries/jobs/order/watchers'
import { refuseUnscrapable } from './enqueue-scrapes'

/** The most parcels that one request queues. */
export const MAX_PARCELS = 100_000

export interface Refresh {
  filter: ParcelFilter
  limit?: number | undefined
  skipFresh?: boolean | undefined
}

/**
 * Queues scrapes of the parcels of a filter. Parcels scraped within their source's cadence are skipped unless `skipFresh` is false. A
 * repeated request adds nothing.
 *
 * @throws ServiceError as `refuseUnscrapable`
 */
export const orderRefresh = async (
  db: Db,
  { filter, limit = MAX_PARCELS, skipFresh = true }: Refresh,
  requester: Requester,
): Promise<EnqueuedCounts> => {
  if (filter.source !== null) await refuseUnscrapable(db, [filter.source])
  return withSpan('order refresh', {}, () => enqueueFiltered(db, { filter, limit, skipFresh }, requester))
}

/** The effect that an order would have. */
export interface RefreshEstimate {
  parcels: number
  skippedFresh: number
  /**
   * Time until all of them are scraped, including the jobs that are already queued; null: a vendor is paused or has not been scraped in
   * the last 30 days.
   */
  seconds: number | null
}

/** @throws ServiceError as `orderRefresh` */
export const estimateRefresh = async (
  db: Db,
  { filter, limit = MAX_PARCELS, skipFresh = true }: Refresh,
): Promise<RefreshEstimate> => {
  if (filter.source !== null) await refuseUnscrapable(db, [filter.source])
  const counted = await countFiltered(db, { filter, skipFresh })
  const paces = await listVendorPaces(db, {})
  const times = counted
    .filter(({ parcels }) => parcels > 0)
    .map(({ vendor, parcels }) =>
      secondsOf(
        paces.find((pace) => pace.vendor === vendor),
        Math.min(limit, parcels),
      ),
    )
  return {
    parcels: Math.min(
      limit,
      counted.reduce((sum, { parcels }) => sum + parcels, 0),
    ),
    skippedFresh: counted.reduce((sum, { skippedFresh }) => sum + skippedFresh, 0),
    seconds: slowest(times),
  }
}

/**
 * About how many seconds the vendors of a scope need for their queues. A source shares its vendor with others, so its jobs may end
 * earlier. Null: unknown, because a vendor is paused or has not been scraped in the last 30 days.
 */
export const estimateSecondsLeft = async (db: Db, scope: JobScope): Promise<number | null> =>
  slowest((await listVendorPaces(db, scope)).filter(({ open }) => open > 0).map((pace) => secondsOf(pace, 0)))

const secondsOf = (pace: VendorPace | undefined, added: number): number | null =>
  pace === undefined || pace.target === 0 || pace.averageMs === null
    ? null
    : Math.ceil(((pace.open + added) * pace.averageMs) / pace.target / 1_000)

const slowest = (times: readonly (number | null)[]): number | null =>
  times.reduce((most, time) => (most === null || time === null ? null : Math.max(most, time)), 0)
