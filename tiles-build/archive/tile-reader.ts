import { PMTiles, ResolvedValueCache, type Source } from 'pmtiles'
import { ServiceError } from '../../core/service-error'
import type { ArchiveName } from '../store/archive-name'
import type { TileStore } from '../store/tile-store'

/** TileJSON 3.0.0, as far as the archive itself has the data. Unknown members are undefined. */
export interface TileJson {
  tilejson: '3.0.0'
  scheme: 'xyz'
  tiles: string[]
  minzoom: number
  maxzoom: number
  bounds: [west: number, south: number, east: number, north: number]
  center: [lon: number, lat: number, zoom: number]
  vector_layers: unknown[]
  name?: string
  description?: string
  attribution?: string
  version?: string
}

export interface TileReader {
  /** @throws ServiceError `not_found`: there is no such archive. */
  describe: (archive: ArchiveName, tilesUrl: string) => Promise<TileJson>
  /**
   * A tile as stored in the archive: MVT, gzipped. `empty`: the archive has no such tile. `outside`: not a valid tile, or a
   * zoom that the archive does not have.
   *
   * @throws ServiceError `not_found`: there is no such archive.
   */
  readTile: (archive: ArchiveName, tile: TileCoordinates) => Promise<Uint8Array<ArrayBuffer> | 'empty' | 'outside'>
}

export interface TileCoordinates {
  z: number
  x: number
  y: number
}

/** Cached directories over all archives: at most 4,096 entries each, so about 25 MB in total. */
const DIRECTORIES = 100

/** Reads single tiles from stored archives, for callers that cannot read PMTiles. */
export const createTileReader = (store: TileStore): TileReader => {
  // Not the cache that shares promises: it would remember the failure of an archive that appears later.
  const directories = new ResolvedValueCache(DIRECTORIES)
  const sourceOf = (archive: ArchiveName): Source => ({
    getKey: () => `${archive.layer}/${archive.hash}`,
    getBytes: async (offset, length) => {
      // Read through an open archive, so that a damaged one is refused.
      if ((await store.open(archive)) === null) throw new ServiceError('not_found', 'there is no such tile archive')
      const bytes = await store.read(archive, offset, offset + length)
      return { data: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer }
    },
  })

  return {
    describe: async (archive, tilesUrl) => {
      const description = await new PMTiles(sourceOf(archive), directories).getTileJson('')
      return { ...(description as TileJson), tiles: [tilesUrl] }
    },
    readTile: async (archive, { z, x, y }) => {
      const stored = new PMTiles(sourceOf(archive), directories, async (bytes) => bytes)
      const { minZoom, maxZoom } = await stored.getHeader()
      if (z < minZoom || z > maxZoom || x >= 2 ** z || y >= 2 ** z) return 'outside'
      const tile = await stored.getZxy(z, x, y)
      return tile === undefined ? 'empty' : new Uint8Array(tile.data)
    },
  }
}
