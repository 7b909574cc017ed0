import { describeFilter, LISTED_PARCELS, type ParcelFilter } from '../../../core/parcels/filter'
import type { Db, Transaction } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import { advanceWork } from '../work/advance-work'
import { claimLedWork, type WorkAttempt } from '../work/claim-work'
import { failWork, finishWork } from '../work/end-work-attempt'
import { orderWork } from '../work/order-work'
import { sweepLostWork } from '../work/sweep-lost-work'
import { WORK_KINDS } from '../work/work-kinds'
import type { TileParcelFilter } from './tile-parcels'

export interface PublishedTiles {
  hash: string
  size_bytes: number
  updated_at: string
  /** Every change up to this version of the record is in the archive. Null: built before the change log. */
  dataset_version: number | null
}

/** The archive that a layer's manifest points at; null before the first build. */
export const findPublishedTiles = async (db: Db, layer: string): Promise<PublishedTiles | null> => {
  const [row] = await db<PublishedTiles[]>`
    select hash, size_bytes::float8 as size_bytes, iso_utc(published_at) as updated_at,
      dataset_version::float8 as dataset_version
    from tile_builds where layer = ${layer} and status = 'published'`
  return row ?? null
}

/** The duty of building a layer. Its leader runs one build at a time. */
export const tileDuty = (layer: string): string => `tiles-build-${layer}`

/** The kind of work that builds tiles. The subject is the layer. */
const TILE_BUILD = WORK_KINDS.tileBuild.name

const STOPPED = 'the process that ran it stopped'

/** A running build: its row in `tile_builds` and its attempt in `work`. */
export interface TileBuild {
  id: string
  layer: string
  work: WorkAttempt
}

const ALL: TileParcelFilter = { filter: LISTED_PARCELS, sources: null }

const payloadOf = ({ filter, sources }: TileParcelFilter) => {
  const conditions = { ...describeFilter(filter), ...(sources === null ? {} : { sources: [...sources] }) }
  return Object.keys(conditions).length === 0 ? {} : { filter: conditions, parcel_filter: { ...filter } }
}

/** `w` is a row of `work`. */
const requestedFilter = (db: Db) => db`coalesce(w.payload -> 'filter', '{}')`

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
  return { id: onlyRow(rows).id, layer, work }
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

export const failTileBuild = async (
  tx: Transaction,
  { id, work }: TileBuild,
  { code, message }: { code: string; message: string },
): Promise<void> => {
  await tx`
    update tile_builds set status = 'failed', error_message = ${message}, finished_at = clock_timestamp()
    where id = ${id} and status = 'building'`
  await failWork(tx, { ...work, code, message, retryAfterMs: null, retryInMs: null })
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

/** Hashes of the archives of all builds of the layer. */
export const listTileHashes = async (db: Db, layer: string): Promise<string[]> => {
  const rows = await db<{ hash: string }[]>`
    select distinct hash from tile_builds where layer = ${layer} and hash is not null`
  return rows.map(({ hash }) => hash)
}

/** Hashes of the archives that must not be removed: the published one, those retired in the last 24 hours, and the last `keep` retired. */
export const listKeptTiles = async (db: Db, layer: string, keep: number): Promise<string[]> => {
  const rows = await db<{ hash: string }[]>`
    select hash from tile_builds where layer = ${layer} and status = 'published'
    union select hash from tile_builds
      where layer = ${layer} and status = 'retired' and retired_at > now() - interval '24 hours'
    union (select hash from tile_builds where layer = ${layer} and status = 'retired'
      group by hash order by max(retired_at) desc limit ${keep})`
  return rows.map(({ hash }) => hash)
}

/** Number of builds to keep per layer: as many as a list shows. */
const REMEMBERED_BUILDS = 500

/**
 * Deletes finished builds except the layer's `newest` ones. A row stays as long as its archive may still be stored, because only the
 * row says which layer the archive belongs to. `kept`: the hashes of all stored archives; null if unknown.
 */
export const forgetTileBuilds = async (
  db: Db,
  layer: string,
  kept: readonly string[] | null,
  newest = REMEMBERED_BUILDS,
): Promise<void> => {
  const isStoredNoMore =
    kept === null
      ? db`exists (select from tile_builds newer where newer.layer = old.layer and newer.hash = old.hash and newer.id > old.id)`
      : db`hash <> all(${[...kept]}::text[])`
  await db`
    delete from tile_builds old
    where layer = ${layer} and status in ('failed', 'unchanged', 'retired') and (hash is null or ${isStoredNoMore})
      and id < (select id from tile_builds where layer = ${layer} order by id desc offset ${newest - 1} limit 1)`
}

/** The number of changes to drawn parcels so far. It includes changes that are not committed yet. */
export const findDrawnChanges = async (db: Db): Promise<number> => {
  const rows = await db<{ value: number }[]>`select last_value::float8 as value from drawn_changes_seq`
  return onlyRow(rows).value
}

export interface TilesAge {
  hash: string
  /** The number of changes that the archive does not show. */
  changes: number
  /** Whether a load was applied or undone since the archive was up to date. */
  hasLoad: boolean
  /** The time since the archive was last up to date. */
  ageMs: number
  /** How long its build took. */
  tookMs: number
}

/** The published archive of a layer. Null before the first build. */
export const findTilesAge = async (db: Db, layer: string): Promise<TilesAge | null> => {
  const [row] = await db<TilesAge[]>`
    select hash, (select last_value from drawn_changes_seq) - drawn_changes::float8 as changes,
      exists (select from loads where status in ('applied', 'undone') and coalesce(ended_at, applied_at) >= current_at) as "hasLoad",
      (extract(epoch from clock_timestamp() - current_at) * 1000)::float8 as "ageMs",
      (extract(epoch from published_at - started_at) * 1000)::float8 as "tookMs"
    from tile_builds where layer = ${layer} and status = 'published'`
  return row ?? null
}

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

/** Ends the builds whose processes stopped, such as a command that was killed. A requested build is not ended: it is taken over. */
export const endLostTileBuilds = async (db: Db): Promise<void> => {
  await sweepLostWork(db, { kind: TILE_BUILD, mostFailures: 1, unrequested: true })
  await db`
    update tile_builds set status = 'failed', error_message = ${STOPPED}, finished_at = clock_timestamp()
    where status = 'building'
      and work_id in (select id from work where kind = ${TILE_BUILD} and status = 'error' and error_code = 'worker_lost')`
}

export interface RequestedTiles {
  layer: string
  filter: ParcelFilter
}

/** The requested builds that are queued, or were left by a process that no longer leads; the oldest first. */
export const listRequestedTiles = async (db: Db): Promise<RequestedTiles[]> => {
  const rows = await db<{ layer: string; filter: Partial<ParcelFilter> | null }[]>`
    select subject as layer, payload -> 'parcel_filter' as filter from work
    where kind = ${TILE_BUILD}
      and (status = 'queued' or status = 'running' and requested_by is not null and lease_expires_at < now())
    order by id`
  return rows.map(({ layer, filter }) => ({ layer, filter: { ...LISTED_PARCELS, ...filter } }))
}

/** The layers that have been built or are requested, in order. */
export const listTileLayers = async (db: Db): Promise<string[]> => {
  const rows = await db<{ layer: string }[]>`
    select layer from tile_builds
    union select subject from work where kind = ${TILE_BUILD} and status in ('queued', 'running')
    order by layer`
  return rows.map(({ layer }) => layer)
}

/** Parcels drawn so far by the work `w`; null before it reports any. */
const drawnParcels = (db: Db) => db`case when w.result ? 'tiles' then w.done end`

/**
 * The requested build, the running build, and all builds, newest first, as JSON text. `requested` and `building` are null if there is
 * none. `hash` is the archive of a build, or null if the archive is no longer among the `kept` newest.
 */
export const listTileBuilds = async (
  db: Db,
  layer: string,
  { kept, limit }: { kept: number; limit: number },
): Promise<{ requested: string | null; building: string | null; builds: { hash: string | null; body: string }[] }> => {
  const [state] = await db<{ requested: string | null; building: string | null }[]>`
    select (
      select json_build_object('requested_at', iso_utc(w.created_at), 'requested_by', w.requested_by, 'filter', ${requestedFilter(db)})
      from work w where w.kind = ${TILE_BUILD} and w.subject = ${layer} and w.status = 'queued'
    )::text as requested, (
      select json_build_object('id', b.id, 'started_at', iso_utc(b.started_at), 'share', w.result -> 'share', 'parcels', ${drawnParcels(db)},
        'tiles', w.result -> 'tiles')
      from tile_builds b join work w on w.id = b.work_id
      where b.layer = ${layer} and b.status = 'building' and w.status = 'running' and w.lease_expires_at >= now()
      order by b.id desc limit 1
    )::text as building`
  const hashes = await listKeptTiles(db, layer, kept)
  // Each attempt at one piece of work has its own record. The figures are those of the last attempt.
  const builds = await db<{ hash: string | null; body: string }[]>`
    select case when b.status in ('published', 'retired', 'unchanged') and b.hash = any(${hashes}::text[]) then b.hash end as hash,
      row_to_json((select build from (select b.id, b.layer, b.status as state, iso_utc(b.started_at) as started_at,
        iso_utc(b.finished_at) as finished_at, b.requested_by,
        coalesce((select ${requestedFilter(db)} from work w where w.id = b.work_id), '{}') as filter, w.result -> 'share' as share, ${drawnParcels(db)} as parcels,
        w.result -> 'tiles' as tiles, b.size_bytes as bytes, b.error_message as error) build
      ))::text as body
    from tile_builds b
    left join work w on w.id = b.work_id and not exists (
      select from tile_builds later where later.work_id = b.work_id and later.id > b.id
    )
    where b.layer = ${layer} order by b.id desc limit ${limit}`
  return { requested: state?.requested ?? null, building: state?.building ?? null, builds }
}
