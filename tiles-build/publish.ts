import type { Sql } from '../drizzle/database'
import {
  endUnchangedTileBuild,
  findPublishedTiles,
  forgetTileBuilds,
  listKeptTiles,
  listTileHashes,
  publishTileBuild,
  setTileBuildArchive,
  tryLockTileBuild,
} from '../drizzle/queries/tile-builds'
import { ServiceError } from '../src/service-error'
import type { TileStore } from './tile-store'

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
 * `sql` is the one connection that holds the layer's lock.
 *
 * @throws ServiceError `build_running` when the lock went to another build while the connection was lost
 */
export const publishArchive = async (
  sql: Sql,
  store: TileStore,
  layer: string,
  buildId: string,
  { path, hash, sizeBytes, drawnChanges }: BuiltArchive,
): Promise<boolean> => {
  const name = { layer, hash }
  const published = await findPublishedTiles(sql, layer)
  const isStored = (await store.find(name)) !== null
  if (published?.hash === hash && isStored) {
    await endUnchangedTileBuild(sql, buildId, layer, { hash, sizeBytes, drawnChanges })
    return false
  }
  // Named before it is stored, so that it is known whose it is if nothing comes after.
  await setTileBuildArchive(sql, buildId, { hash, sizeBytes })
  if (!isStored) await store.put(name, path)
  await sql.begin(async (tx) => {
    if (!(await tryLockTileBuild(tx, layer))) throw buildRunning(layer)
    await publishTileBuild(tx, buildId, layer, drawnChanges)
  })
  return true
}

export const buildRunning = (layer: string): ServiceError =>
  new ServiceError('build_running', `a build of the layer ${layer} is running: wait for it to end`)

/** Removes the layer's archives that nobody needs: those that builds of this database stored, and that are not kept. Then what is long ended is forgotten. */
export const removeOldArchives = async (sql: Sql, store: TileStore, layer: string): Promise<void> => {
  const [ours, kept, stored] = await Promise.all([
    listTileHashes(sql, layer),
    listKeptTiles(sql, layer, KEPT_ARCHIVES),
    store.list(layer),
  ])
  for (const { hash } of stored) {
    if (ours.includes(hash) && !kept.includes(hash)) await store.remove({ layer, hash })
  }
  await forgetTileBuilds(sql, layer, kept)
}
