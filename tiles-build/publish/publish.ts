import type { Sql } from '../../core/postgres/database'
import type { Lead } from '../../core/postgres/leader'
import {
  endUnchangedTileBuild,
  findPublishedTiles,
  forgetTileBuilds,
  listKeptTiles,
  listTileHashes,
  publishTileBuild,
  setTileBuildArchive,
} from '../../drizzle/queries/tiles/tile-builds'
import type { TileStore } from '../archive/tile-store'

/** Archives that stay besides the published one, however old they are. */
export const KEPT_ARCHIVES = 2

export interface BuiltArchive {
  path: string
  hash: string
  sizeBytes: number
  /** `findDrawnChanges` before its rows were read. */
  drawnChanges: number
}

/**
 * Makes a verified archive the one that the manifest names: it is moved into the store, then one transaction moves the
 * manifest. Until that is committed the old archive stays the published one; what a crash leaves in the store is removed by
 * the next build. Returns false, and changes nothing, when the published archive is this one already.
 *
 * @throws ServiceError `lead_lost` when another process may build by now
 */
export const publishArchive = async (
  lead: Lead,
  sql: Sql,
  store: TileStore,
  layer: string,
  buildId: string,
  { path, hash, sizeBytes, drawnChanges }: BuiltArchive,
): Promise<boolean> => {
  const name = { layer, hash }
  const published = await findPublishedTiles(sql, layer)
  // One that is damaged is replaced.
  const isStored = await store.isWhole(name)
  if (published?.hash === hash && isStored) {
    await lead.begin(sql, (tx) => endUnchangedTileBuild(tx, buildId, layer, { hash, sizeBytes, drawnChanges }))
    return false
  }
  // Named before it is stored, so that it is known whose it is if nothing comes after.
  await lead.begin(sql, (tx) => setTileBuildArchive(tx, buildId, { hash, sizeBytes }))
  if (!isStored) await store.put(name, path)
  await lead.begin(sql, (tx) => publishTileBuild(tx, buildId, layer, drawnChanges))
  return true
}

/** Removes the layer's archives that nobody needs: those that builds of this database stored, and that are not kept. Then what is long ended is forgotten. */
export const removeOldArchives = async (lead: Lead, sql: Sql, store: TileStore, layer: string): Promise<void> => {
  const [ours, kept, stored] = await Promise.all([
    listTileHashes(sql, layer),
    listKeptTiles(sql, layer, KEPT_ARCHIVES),
    store.list(layer),
  ])
  for (const { hash } of stored) {
    if (!ours.includes(hash) || kept.includes(hash)) continue
    lead.check()
    await store.remove({ layer, hash })
  }
  await lead.begin(sql, (tx) => forgetTileBuilds(tx, layer, kept))
}
