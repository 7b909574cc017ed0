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
