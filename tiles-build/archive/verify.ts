import { type FileHandle, open } from 'node:fs/promises'
import { VectorTile, type VectorTileFeature } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { PMTiles, SharedPromiseCache, type Source, tileIdToZxy } from 'pmtiles'
import type { Bbox } from '../../core/geometry/bbox'
import { ServiceError } from '../../core/service-error'
import { BUFFER, EXTENT } from '../encode/tile-math'
import { OVERVIEW_LAYERS } from '../overview/overview-tiles'
import type { WrittenArchive } from './archive'

export interface Expected extends WrittenArchive {
  layer: string
  /** The lowest zoom that draws parcels. Lower zooms have the layers of the overview. */
  parcelsMinZoom: number
  minZoom: number
  maxZoom: number
  bounds: Bbox
}

/** The number of tiles to decode, spread evenly over the archive. */
const SAMPLE_TILES = 100
/** Bounds are stored in ten-millionths of a degree. */
const DEGREES_OFF = 1e-7

/**
 * Reads an archive back with the reader that maps use: the header, every entry of every directory, and a sample of tiles, each
 * decoded completely.
 *
 * @throws ServiceError `bad_archive` with the reason
 */
export const verifyArchive = async (path: string, expected: Expected): Promise<void> => {
  const file = await open(path, 'r')
  try {
    const source = fileSource(file, path)
    const cache = new SharedPromiseCache()
    const archive = new PMTiles(source, cache)
    const header = await archive.getHeader()
    const sizeBytes = (await file.stat()).size
    check('size', sizeBytes, expected.sizeBytes)
    check('end of the tile data', header.tileDataOffset + (header.tileDataLength ?? 0), sizeBytes)
    check('clustered', header.clustered, true)
    check('zooms', `${header.minZoom}-${header.maxZoom}`, `${expected.minZoom}-${expected.maxZoom}`)
    const bounds = [header.minLon, header.minLat, header.maxLon, header.maxLat]
    if (bounds.some((degrees, side) => !(Math.abs(degrees - (expected.bounds[side] as number)) <= DEGREES_OFF))) {
      check('bounds', bounds.join(), expected.bounds.join())
    }

    const samples: number[] = []
    let [addressedTiles, tileEntries, lastId, stored] = [0, 0, -1, 0]
    const contents = new Set<number>()
    const sampleEvery = Math.max(1, Math.floor(expected.tileEntries / SAMPLE_TILES))
    const walk = async (offset: number, length: number, isRoot: boolean): Promise<void> => {
      for (const entry of await cache.getDirectory(source, offset, length, header)) {
        if (entry.runLength === 0) {
          check('a leaf directory below a leaf directory', isRoot, true)
          check(
            'a leaf directory within its section',
            entry.offset + entry.length <= (header.leafDirectoryLength ?? 0),
            true,
          )
          await walk(header.leafDirectoryOffset + entry.offset, entry.length, false)
          continue
        }
        if (entry.tileId <= lastId) check('order of the entries', entry.tileId, `above ${lastId}`)
        if (entry.length === 0 || entry.offset + entry.length > (header.tileDataLength ?? 0)) {
          check(`bytes of tile ${entry.tileId}`, `${entry.offset}+${entry.length}`, `up to ${header.tileDataLength}`)
        }
        if (!contents.has(entry.offset)) {
          // In a clustered archive, tiles are in the order of the entries, without gaps.
          check(`offset of tile ${entry.tileId}`, entry.offset, stored)
          contents.add(entry.offset)
          stored += entry.length
        }
        if (tileEntries % sampleEvery === 0) samples.push(entry.tileId)
        tileEntries++
        addressedTiles += entry.runLength
        lastId = entry.tileId + entry.runLength - 1
      }
    }
    await walk(header.rootDirectoryOffset, header.rootDirectoryLength, true)
    check('entries', tileEntries, expected.tileEntries)
    check('entries of the header', header.numTileEntries, expected.tileEntries)
    check('addressed tiles', addressedTiles, expected.addressedTiles)
    check('addressed tiles of the header', header.numAddressedTiles, expected.addressedTiles)
    check('tile contents', contents.size, expected.tileContents)
    check('tile contents of the header', header.numTileContents, expected.tileContents)
    check('bytes of tile contents', stored, header.tileDataLength ?? 0)

    for (const tileId of [...samples, lastId]) await verifyTile(archive, tileId, expected)
  } catch (error) {
    if (error instanceof ServiceError) throw error
    // Any error of the reader would also occur for its users.
    throw new ServiceError('bad_archive', `${path} cannot be read back: ${(error as Error).message}`, { cause: error })
  } finally {
    await file.close()
  }
}

const verifyTile = async (archive: PMTiles, tileId: number, expected: Expected): Promise<void> => {
  const [z, x, y] = tileIdToZxy(tileId)
  const name = `tile ${z}/${x}/${y}`
  if (z < expected.minZoom || z > expected.maxZoom)
    check(name, z, `a zoom from ${expected.minZoom} to ${expected.maxZoom}`)
  const tile = await archive.getZxy(z, x, y)
  if (tile === undefined) throw new ServiceError('bad_archive', `${name} is not found`)
  const { layers } = new VectorTile(new PbfReader(new Uint8Array(tile.data)))
  const names = z < expected.parcelsMinZoom ? Object.keys(OVERVIEW_LAYERS) : [expected.layer]
  check(`layers of ${name}`, Object.keys(layers).join(), names.filter((layer) => layers[layer] !== undefined).join())
  if (Object.keys(layers).length === 0) throw new ServiceError('bad_archive', `${name} is empty`)
  for (const layer of Object.values(layers)) {
    if (layer.length === 0) throw new ServiceError('bad_archive', `the layer ${layer.name} of ${name} is empty`)
    check(`extent of ${name}`, layer.extent, EXTENT)
    for (let index = 0; index < layer.length; index++) verifyFeature(layer.feature(index), name, layer.name)
  }
}

const [POINT, POLYGON] = [1, 3]
/** Layers that contain only points. `counties` has polygons, and parcels can be either. */
const POINT_LAYERS = Object.keys(OVERVIEW_LAYERS).filter((layer) => layer !== 'counties')

const verifyFeature = (feature: VectorTileFeature, tile: string, layer: string): void => {
  const isInside = feature
    .loadGeometry()
    .every((ring) =>
      ring.every((point) => Math.min(point.x, point.y) >= -BUFFER && Math.max(point.x, point.y) <= EXTENT + BUFFER),
    )
  const types = POINT_LAYERS.includes(layer) ? [POINT] : layer === 'counties' ? [POLYGON] : [POINT, POLYGON]
  if (!types.includes(feature.type) || !isInside) {
    throw new ServiceError(
      'bad_archive',
      `a feature of ${tile} in the layer ${layer} is not of its type or lies outside`,
    )
  }
}

const check = (what: string, found: unknown, expected: unknown): void => {
  if (found !== expected) throw new ServiceError('bad_archive', `${what}: ${found}, expected ${expected}`)
}

const fileSource = (file: FileHandle, path: string): Source => ({
  getKey: () => path,
  getBytes: async (offset, length) => {
    const data = new Uint8Array(length)
    const { bytesRead } = await file.read(data, 0, length, offset)
    return { data: data.buffer.slice(0, bytesRead) }
  },
})
