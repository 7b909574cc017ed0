import type { Db } from '../database'

export interface PublishedTiles {
  hash: string
  size_bytes: number
  updated_at: string
}

/** The archive that a layer's manifest points at; null before the first build. */
export const findPublishedTiles = async (db: Db, layer: string): Promise<PublishedTiles | null> => {
  const [row] = await db<PublishedTiles[]>`
    select hash, size_bytes::float8 as size_bytes, iso_utc(published_at) as updated_at
    from tile_builds where layer = ${layer} and status = 'published'`
  return row ?? null
}

/**
 * Keeps other builds of the layer out for as long as the connection lasts: false when one runs. Asked again on the same
 * connection it answers true.
 */
export const tryLockTileBuild = async (db: Db, layer: string): Promise<boolean> => {
  const [row] = await db<{ locked: boolean }[]>`
    select pg_try_advisory_lock(hashtext('tile build'), hashtext(${layer})) as locked`
  return row?.locked ?? false
}

/** Begins the record of a build. What earlier builds of the layer left unfinished is marked as failed: the lock says that none runs. */
export const insertTileBuild = async (db: Db, layer: string): Promise<string> => {
  await db`
    update tile_builds set status = 'failed', error_message = 'ended without a word'
    where layer = ${layer} and status = 'building'`
  const [row] = await db<{ id: string }[]>`insert into tile_builds (layer) values (${layer}) returning id`
  return row?.id ?? ''
}

/** A build that ended with the archive that is published already leaves no record. */
export const dropTileBuild = async (db: Db, id: string): Promise<void> => {
  await db`delete from tile_builds where id = ${id}`
}

export const failTileBuild = async (db: Db, id: string, message: string): Promise<void> => {
  await db`update tile_builds set status = 'failed', error_message = ${message} where id = ${id} and status = 'building'`
}

/** Names the archive of a build that is about to be stored. */
export const setTileBuildArchive = async (
  db: Db,
  id: string,
  { hash, sizeBytes }: { hash: string; sizeBytes: number },
): Promise<void> => {
  await db`update tile_builds set hash = ${hash}, size_bytes = ${sizeBytes} where id = ${id}`
}

/** Points the manifest to the archive of this build. Part of a transaction: before it, and if it fails, the old one stays. */
export const publishTileBuild = async (tx: Db, id: string, layer: string): Promise<void> => {
  await tx`
    update tile_builds set status = 'retired', retired_at = clock_timestamp()
    where layer = ${layer} and status = 'published'`
  await tx`update tile_builds set status = 'published', published_at = clock_timestamp() where id = ${id}`
}

/** Hashes of all archives that builds of the layer have named. */
export const listTileHashes = async (db: Db, layer: string): Promise<string[]> => {
  const rows = await db<{ hash: string }[]>`
    select distinct hash from tile_builds where layer = ${layer} and hash is not null`
  return rows.map(({ hash }) => hash)
}

/** Hashes of the archives that may not be removed: the published one, those retired in the last 24 hours, and the last `keep` retired. */
export const listKeptTiles = async (db: Db, layer: string, keep: number): Promise<string[]> => {
  const rows = await db<{ hash: string }[]>`
    select hash from tile_builds where layer = ${layer} and status = 'published'
    union select hash from tile_builds
      where layer = ${layer} and status = 'retired' and retired_at > now() - interval '24 hours'
    union (select hash from tile_builds where layer = ${layer} and status = 'retired'
      group by hash order by max(retired_at) desc limit ${keep})`
  return rows.map(({ hash }) => hash)
}

/** When the newest build of the layer began that did not fail; null: none did. */
export const findLastTileBuild = async (db: Db, layer: string): Promise<Date | null> => {
  const [row] = await db<{ at: Date | null }[]>`
    select max(started_at) as at from tile_builds where layer = ${layer} and status in ('published', 'retired')`
  return row?.at ?? null
}
