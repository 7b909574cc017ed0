import type { Db } from '../../../core/postgres/database'
import { listKeptTiles } from './kept-tiles'
import { TILE_BUILD } from './tile-builds'

/** The layers that have been built or are requested, in order. */
export const listTileLayers = async (db: Db): Promise<string[]> => {
  const rows = await db<{ layer: string }[]>`
    select layer from tile_builds
    union select subject from work where kind = ${TILE_BUILD} and status in ('queued', 'running')
    order by layer`
  return rows.map(({ layer }) => layer)
}

/** `w` is a row of `work`. */
const requestedFilter = (db: Db) => db`coalesce(w.payload -> 'filter', '{}')`

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
