import type { Sql } from '../../core/postgres/database'
import { findPublishedTiles } from '../../drizzle/queries/tiles/tile-builds'
import { hasTileParcels } from '../../drizzle/queries/tiles/tile-parcels'
import { createTileReader } from '../../tiles-build/archive/tile-reader'
import { hashArchive, type TileStore } from '../../tiles-build/archive/tile-store'
import { type Diagnosis, fault, ok, warn } from './diagnosis'

const LAYER = 'parcels'
const BUILD = 'bun run tiles:build'
/** Larger archives are opened, and not read to the end. */
const MOST_READ_BYTES = 1024 ** 3

/** The archive that the manifest names: that it is there, that it is what its name says, and that a map could read it. */
export const examineTiles = async (sql: Sql, store: TileStore): Promise<Diagnosis[]> => {
  const published = await findPublishedTiles(sql, LAYER)
  if (published === null) {
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
        `${name} is not at ${store.location}`,
        `see that TILES_URL is that of the tiles role; else ${BUILD}`,
      ),
    ]
  }
  const mend = `the tiles role builds it again within a minute; where none runs: ${BUILD}`
  if (stored.sizeBytes !== published.size_bytes) {
    return [fault('tiles', `${name} has ${stored.sizeBytes} bytes, ${published.size_bytes} were built`, mend)]
  }
  const isRead = stored.sizeBytes <= MOST_READ_BYTES
  if (isRead && (await hashArchive(store.read, archive, stored.sizeBytes)) !== published.hash) {
    return [fault('tiles', `${name} is not what was built: its bytes have changed`, mend)]
  }
  const { minzoom, maxzoom } = await createTileReader(store).describe(archive, '')
  const what = `${name}, ${(stored.sizeBytes / 1e6).toFixed(1)} MB, zoom ${minzoom} to ${maxzoom}, of ${published.updated_at}`
  return [ok('tiles', isRead ? what : `${what}; not read to the end`)]
}
