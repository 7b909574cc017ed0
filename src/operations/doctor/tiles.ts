import type { Sql } from '../../../core/postgres/database'
import { findPublishedTiles } from '../../../drizzle/queries/tiles/published-tiles'
import { hasTileParcels } from '../../../drizzle/queries/tiles/tile-parcels'
import { findRunningWork } from '../../../drizzle/queries/work/find-running-work'
import { WORK_KINDS } from '../../../drizzle/queries/work/work-kinds'
import { createTileReader } from '../../../tiles-build/archive/tile-reader'
import { hashArchive } from '../../../tiles-build/store/hash-archive'
import type { TileStore } from '../../../tiles-build/store/tile-store'
import { type Diagnosis, fault, ok, warn } from './diagnosis'

const LAYER = 'parcels'
const BUILD = 'bun run tiles:build'
/** Larger archives are opened but not read completely. */
const MAX_READ_BYTES = 1024 ** 3

/** Checks the archive in the manifest: that it exists, that its hash matches its name, and that a map can read it. */
export const examineTiles = async (sql: Sql, store: TileStore): Promise<Diagnosis[]> => {
  const published = await findPublishedTiles(sql, LAYER)
  if (published === null) {
    const build = await findRunningWork(sql, WORK_KINDS.tileBuild.name)
    if (build?.subject === LAYER)
      return [warn('tiles', 'the first archive is being built', 'wait: the page Tiles shows the progress')]
    return (await hasTileParcels(sql))
      ? [warn('tiles', 'no archive has been built', `${BUILD}, or bun start tiles`)]
      : [ok('tiles', 'no parcels to draw')]
  }
  const archive = { layer: LAYER, hash: published.hash }
  const name = `${LAYER}/${published.hash}`
  const stored = await store.find(archive)
  if (stored === null) {
    return [
      fault(
        'tiles',
        `${name} is missing from ${store.location}`,
        `check that TILES_URL is the same as for the tiles role; if it is, ${BUILD}`,
      ),
    ]
  }
  const advice = `the tiles role rebuilds it within a minute; if no process has that role: ${BUILD}`
  if (stored.sizeBytes !== published.size_bytes) {
    return [fault('tiles', `${name} has ${stored.sizeBytes} bytes, but ${published.size_bytes} were built`, advice)]
  }
  const isRead = stored.sizeBytes <= MAX_READ_BYTES
  if (isRead && (await hashArchive(store.read, archive, stored.sizeBytes)) !== published.hash) {
    return [fault('tiles', `${name} is damaged: its bytes have changed since the build`, advice)]
  }
  const { minzoom, maxzoom } = await createTileReader(store).describe(archive, '')
  const what = `${name}, ${(stored.sizeBytes / 1e6).toFixed(1)} MB, zoom ${minzoom} to ${maxzoom}, of ${published.updated_at}`
  return [ok('tiles', isRead ? what : `${what}; not read completely`)]
}
