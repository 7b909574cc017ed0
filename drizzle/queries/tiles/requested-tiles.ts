import { LISTED_PARCELS, type ParcelFilter } from '../../../core/parcels/filter'
import type { Db } from '../../../core/postgres/database'
import { orderWork } from '../work/order-work'
import { sweepLostWork } from '../work/sweep-lost-work'
import { WORK_KINDS } from '../work/work-kinds'
import { payloadOf, TILE_BUILD } from './tile-builds'

/**
 * Requests a build from the tiles role. Returns false if a build is already requested or running. A build into a file, and a build that
 * has already published its archive, do not count: the request waits for them.
 */
export const requestTileBuild = async (
  db: Db,
  layer: string,
  requestedBy: string,
  filter: ParcelFilter = LISTED_PARCELS,
): Promise<boolean> => {
  await sweepLostWork(db, { kind: TILE_BUILD, subject: layer, mostFailures: 1 })
  const payload = payloadOf({ filter, sources: null })
  const { isNew } = await orderWork(db, { kind: WORK_KINDS.tileBuild, subject: layer, payload, requestedBy })
  return isNew
}

export interface RequestedTiles {
  layer: string
  filter: ParcelFilter
}

/** The requested builds that are queued and due, or were left by a process that no longer leads; the oldest first. */
export const listRequestedTiles = async (db: Db): Promise<RequestedTiles[]> => {
  const rows = await db<{ layer: string; filter: Partial<ParcelFilter> | null }[]>`
    select subject as layer, payload -> 'parcel_filter' as filter from work
    where kind = ${TILE_BUILD}
      and (status = 'queued' and not_before <= now() or status = 'running' and requested_by is not null and lease_expires_at < now())
    order by id`
  return rows.map(({ layer, filter }) => ({ layer, filter: { ...LISTED_PARCELS, ...filter } }))
}
