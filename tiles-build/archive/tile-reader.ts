import { PMTiles, ResolvedValueCache, type Source } from 'pmtiles'
import { ServiceError } from '../../core/service-error'
import type { ArchiveName, TileStore } from './tile-store'

/** What TileJSON 3.0.0 says of an archive, as far as the archive knows it itself. Members that it does not know are undefined. */
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
   * A tile as it lies in the archive: MVT, gzipped. `empty`: the archive has nothing there. `outside`: it is no tile, or of a
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

/** Directories kept in memory, over all archives: at most 4,096 entries each, so some 25 MB in all. */
const DIRECTORIES = 100

/** Single tiles out of stored archives, for callers that cannot read PMTiles themselves. */
export const createTileReader = (store: TileStore): TileReader => {
  // Not the cache that shares promises: it would keep the failure of an archive that comes later.
  const directories = new ResolvedValueCache(DIRECTORIES)
  const sourceOf = (archive: ArchiveName): Source => ({
    getKey: () => `${archive.layer}/${archive.hash}`,
    getBytes: async (offset, length) => {
      // Read through an open archive, so that nothing is taken from a damaged one.
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
