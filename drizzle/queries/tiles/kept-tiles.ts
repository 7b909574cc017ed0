import type { Db } from '../../../core/postgres/database'

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
