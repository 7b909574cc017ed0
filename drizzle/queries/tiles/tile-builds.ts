import { describeFilter, LISTED_PARCELS } from '../../../core/parcels/filter'
import type { Db, Transaction } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import { advanceWork } from '../work/advance-work'
import { claimLedWork, type WorkAttempt } from '../work/claim-work'
import { failWork, finishWork, handBackWork } from '../work/end-work-attempt'
import { sweepLostWork } from '../work/sweep-lost-work'
import { WORK_KINDS } from '../work/work-kinds'
import type { TileParcelFilter } from './tile-parcels'

/** The duty of building a layer. Its leader runs one build at a time. */
export const tileDuty = (layer: string): string => `tiles-build-${layer}`

/** The kind of work that builds tiles. The subject is the layer. */
export const TILE_BUILD = WORK_KINDS.tileBuild.name

const STOPPED = 'the process that ran it stopped'

/** A running build: its row in `tile_builds` and its attempt in `work`. */
export interface TileBuild {
  id: string
  layer: string
  work: WorkAttempt
  /** Null: it was due. */
  requestedBy: string | null
}

const ALL: TileParcelFilter = { filter: LISTED_PARCELS, sources: null }

export const payloadOf = ({ filter, sources }: TileParcelFilter) => {
  const conditions = { ...describeFilter(filter), ...(sources === null ? {} : { sources: [...sources] }) }
  return Object.keys(conditions).length === 0 ? {} : { filter: conditions, parcel_filter: { ...filter } }
}

/**
 * Starts a build. It claims requested work or work that an earlier builder left behind, or else creates new work. Marks earlier
 * unfinished builds of the layer as failed, because their processes no longer lead.
 *
 * @throws ServiceError `conflict` when a build of the layer with another filter is requested
 */
export const beginTileBuild = async (
  tx: Transaction,
  layer: string,
  drawn: TileParcelFilter = ALL,
): Promise<TileBuild> => {
  await tx`
    update tile_builds set status = 'failed', error_message = ${STOPPED}, finished_at = clock_timestamp()
    where layer = ${layer} and status = 'building'`
  const { requestedBy, ...work } = await claimLedWork(tx, {
    kind: TILE_BUILD,
    subject: layer,
    payload: payloadOf(drawn),
  })
  const rows = await tx<{ id: string }[]>`
    insert into tile_builds (layer, work_id, requested_by) values (${layer}, ${work.id}, ${requestedBy}) returning id`
  return { id: onlyRow(rows).id, layer, work, requestedBy }
}

export interface TileBuildProgress {
  share: number
  parcels: number
  /** All parcels to draw. */
  totalParcels: number
  tiles: number
}

/** Returns false if the build was cancelled or another one has started. */
export const setTileBuildProgress = (
  db: Db,
  { work }: TileBuild,
  { share, parcels, totalParcels, tiles }: TileBuildProgress,
): Promise<boolean> => advanceWork(db, work, { done: parcels, total: totalParcels, result: { share, tiles } })

/** The state of the database before a build read its rows. */
export interface ReadState {
  /** The result of `findDrawnChanges`. */
  drawnChanges: number
  /** The result of `readWatermark`. */
  datasetVersion: number
}

/**
 * Ends a build that produced the same archive as the published one. The build's row is deleted, unless a caller requested the build.
 * The published archive counts as up to date from the time when this build started.
 */
export const endUnchangedTileBuild = async (
  tx: Transaction,
  { id, layer, work }: TileBuild,
  { hash, sizeBytes, drawnChanges, datasetVersion }: { hash: string; sizeBytes: number } & ReadState,
): Promise<void> => {
  // This goes first, because the events of the record show the figures of the work.
  await finishWork(tx, work, { share: 1, hash, is_new: false })
  await tx`
    with found as (
      update tile_builds set drawn_changes = ${drawnChanges}, dataset_version = ${datasetVersion},
        current_at = (select started_at from tile_builds where id = ${id})
      where layer = ${layer} and status = 'published'
    ), gone as (delete from tile_builds where id = ${id} and requested_by is null)
    update tile_builds set status = 'unchanged', hash = ${hash}, size_bytes = ${sizeBytes}, finished_at = clock_timestamp()
    where id = ${id} and requested_by is not null`
}

/** Why a build failed. */
interface Failure {
  code: string
  message: string
}

const endAsFailed = (tx: Transaction, { id }: TileBuild, message: string) => tx`
  update tile_builds set status = 'failed', error_message = ${message}, finished_at = clock_timestamp()
  where id = ${id} and status = 'building'`

export const failTileBuild = async (tx: Transaction, build: TileBuild, { code, message }: Failure): Promise<void> => {
  await endAsFailed(tx, build, message)
  await failWork(tx, { ...build.work, code, message, retryAfterMs: null, retryInMs: null })
}

/** Ends a build that was interrupted. If a caller requested it, the request returns to the queue, to be built in `inMs`. */
export const putOffTileBuild = async (
  tx: Transaction,
  build: TileBuild,
  failure: Failure,
  inMs: number,
): Promise<void> => {
  if (build.requestedBy === null) return failTileBuild(tx, build, failure)
  await endAsFailed(tx, build, failure.message)
  await handBackWork(tx, build.work, inMs)
}

/** Records the hash and size of the archive before it is stored. */
export const setTileBuildArchive = async (
  db: Db,
  { id, work }: TileBuild,
  { hash, sizeBytes }: { hash: string; sizeBytes: number },
): Promise<void> => {
  await db`update tile_builds set hash = ${hash}, size_bytes = ${sizeBytes} where id = ${id}`
  await db`
    update work set result = result || '{"share": 1}' where id = ${work.id} and attempts = ${work.attempt} and status = 'running'`
}

/** Points the manifest at the archive of this build, in the caller's transaction. If that fails, the old archive stays published. */
export const publishTileBuild = async (
  tx: Transaction,
  { id, layer, work }: TileBuild,
  { hash, drawnChanges, datasetVersion }: { hash: string } & ReadState,
): Promise<void> => {
  await finishWork(tx, work, { share: 1, hash, is_new: true })
  await tx`
    update tile_builds set status = 'retired', retired_at = clock_timestamp()
    where layer = ${layer} and status = 'published'`
  await tx`
    update tile_builds set status = 'published', published_at = clock_timestamp(), finished_at = clock_timestamp(),
      drawn_changes = ${drawnChanges}, dataset_version = ${datasetVersion}, current_at = started_at
    where id = ${id}`
}

/** Ends the builds whose processes stopped, such as a command that was killed. A requested build is not ended: it is taken over. */
export const endLostTileBuilds = async (db: Db): Promise<void> => {
  await sweepLostWork(db, { kind: TILE_BUILD, mostFailures: 1, unrequested: true })
  await db`
    update tile_builds set status = 'failed', error_message = ${STOPPED}, finished_at = clock_timestamp()
    where status = 'building'
      and work_id in (select id from work where kind = ${TILE_BUILD} and status = 'error' and error_code = 'worker_lost')`
}
