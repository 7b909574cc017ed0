import type { Db } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'

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

/** The number of changes to drawn parcels so far. It includes changes that are not committed yet. */
export const findDrawnChanges = async (db: Db): Promise<number> => {
  const rows = await db<{ value: number }[]>`select last_value::float8 as value from drawn_changes_seq`
  return onlyRow(rows).value
}
