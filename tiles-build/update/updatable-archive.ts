import type { Bbox } from '../../core/geometry/bbox'
import type { Sql } from '../../core/postgres/database'
import { countChangesSince } from '../../drizzle/queries/tiles/changed-parcels'
import type { TileParcelFilter } from '../../drizzle/queries/tiles/tile-parcels'
import { resolveFilter } from '../archive/resolve-filter'
import { describeArchive, type TileOptions } from '../archive/write-tiles'
import { IDENTITY } from '../encode/record'
import { type FormerArchive, readTiles, type StoredTile, takeArchive } from './former-archive'

/** The file of a published archive that can be updated. */
export interface UpdatableArchive {
  path: string
  /** By id, in the order of their ids. */
  tiles: ReadonlyMap<number, StoredTile>
  /** Which parcels it draws. */
  filter: TileParcelFilter
}

/** With more changes, most tiles change, and memory holds all changed parcels: the archive is built from all parcels. */
const MAX_CHANGES = 100_000
/** The settings of an archive do not include where its parcels are. */
const NOWHERE: Bbox = [0, 0, 0, 0]

/**
 * Finds out whether the published archive can be updated, and opens it. `copyPath`: where an archive in a bucket is copied to. Null: it
 * is damaged or has other settings, too much has changed, or the filter compares what the change log does not have. A source that came
 * to a place of the filter, or left it, counts as another setting.
 */
export const openUpdatable = async (
  sql: Sql,
  options: TileOptions,
  former: FormerArchive,
  copyPath: string,
): Promise<UpdatableArchive | null> => {
  if (!IDENTITY.every((column) => options.properties.includes(column))) return null
  // The log has the changes of every value that filters compare, but not all changes of the time of a record.
  if (options.filter.changedSince !== null) return null
  if ((await countChangesSince(sql, former.datasetVersion, MAX_CHANGES)) >= MAX_CHANGES) return null
  const path = await takeArchive(former, copyPath)
  if (path === null) return null
  const filter = await resolveFilter(sql, options)
  const { tiles, metadata } = await readTiles(path)
  const wanted = describeArchive(options, filter, { bounds: NOWHERE, parcelBounds: NOWHERE })
  if (settingsOf(metadata) !== settingsOf(wanted.metadata)) return null
  return { path, tiles: new Map(tiles.map((tile) => [tile.tileId, tile])), filter }
}

/** What must be equal in two archives for one to be an update of the other. */
const settingsOf = (metadata: Record<string, unknown>): string => JSON.stringify({ ...metadata, parcel_bounds: null })
