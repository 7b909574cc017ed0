import { runEach } from '../../core/concurrency/run-each'
import type { Sql, Transaction } from '../../core/postgres/database'
import type { Lead } from '../../core/postgres/leader/lead'
import { ServiceError } from '../../core/service-error'
import { forgetTileBuilds, listKeptTiles, listTileHashes } from '../../drizzle/queries/tiles/kept-tiles'
import { findPublishedTiles } from '../../drizzle/queries/tiles/published-tiles'
import {
  endUnchangedTileBuild,
  publishTileBuild,
  type ReadState,
  setTileBuildArchive,
  type TileBuild,
} from '../../drizzle/queries/tiles/tile-builds'
import { lockWork } from '../../drizzle/queries/work/advance-work'
import type { TileStore } from '../store/tile-store'

/** How many retired archives to keep, however old they are. */
export const KEPT_ARCHIVES = 2

export interface BuiltArchive extends ReadState {
  path: string
  hash: string
  sizeBytes: number
}

/**
 * Publishes a verified archive: moves it into the store, then points the manifest to it in one transaction. Until that commits, the old
 * archive stays published. If the process crashes, the next build removes its files from the store. Returns false and publishes nothing
 * when this archive is already the published one.
 *
 * @throws ServiceError `lead_lost` when another process may be building by now; `cancelled`
 */
export const publishArchive = async (
  lead: Lead,
  sql: Sql,
  store: TileStore,
  build: TileBuild,
  { path, hash, sizeBytes, ...read }: BuiltArchive,
): Promise<boolean> => {
  const { layer } = build
  const name = { layer, hash }
  const published = await findPublishedTiles(sql, layer)
  // A damaged archive is replaced.
  const isStored = await store.isWhole(name)
  if (published?.hash === hash && isStored) {
    await lead.begin(sql, async (tx) => {
      await refuseCancelled(tx, build)
      await endUnchangedTileBuild(tx, build, { hash, sizeBytes, ...read })
    })
    return false
  }
  // Record the hash first: if the process dies after storing the archive, the next build knows that it may remove it.
  await lead.begin(sql, (tx) => setTileBuildArchive(tx, build, { hash, sizeBytes }))
  if (!isStored) await store.put(name, path)
  await lead.begin(sql, async (tx) => {
    await refuseCancelled(tx, build)
    await publishTileBuild(tx, build, { hash, ...read })
  })
  return true
}

/** Throws if the build was cancelled. It cannot be cancelled until the transaction ends. */
const refuseCancelled = async (tx: Transaction, { work }: TileBuild): Promise<void> => {
  if ((await lockWork(tx, work)) === null) throw buildCancelled()
}

export const buildCancelled = () => new ServiceError('cancelled', 'the build was cancelled')

/** Removes the layer's archives that builds of this database stored and that are no longer kept. Then deletes the records of old builds. */
export const removeOldArchives = async (lead: Lead, sql: Sql, store: TileStore, layer: string): Promise<void> => {
  const [ours, kept, stored] = await Promise.all([
    listTileHashes(sql, layer),
    listKeptTiles(sql, layer, KEPT_ARCHIVES),
    store.list(layer),
  ])
  const retired = stored.filter(({ hash }) => ours.includes(hash) && !kept.includes(hash))
  await runEach(retired, async ({ hash }) => {
    lead.check()
    await store.remove({ layer, hash })
  })
  await lead.begin(sql, (tx) => forgetTileBuilds(tx, layer, kept))
}
