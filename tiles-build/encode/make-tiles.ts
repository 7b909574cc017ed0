import { zxyToTileId } from 'pmtiles'
import type { Bucket } from './bucket'
import { createGeometryEncoder } from './geometry'
import { createLayerEncoder } from './layer'
import { RECORD } from './record'
import { firstDescendant, setTileRange, type TileRange } from './tile-math'

export interface BucketTiles {
  /** The bucket's tile. */
  z: number
  x: number
  y: number
  zooms: readonly number[]
  maxZoom: number
}

/**
 * Encodes all tiles of the bucket's parcels, with the properties `keys` among their `columns`, zoom by zoom, in PMTiles order within each zoom. `emit` receives each tile uncompressed;
 * the bytes are valid only during the call. `onZoom` is called after each zoom.
 */
export const makeTiles = (
  bucket: Bucket,
  layer: string,
  keys: readonly string[],
  columns: readonly string[],
  { z: baseZoom, x, y, zooms, maxZoom }: BucketTiles,
  emit: (tileId: number, tile: Uint8Array<ArrayBuffer>) => void,
  onZoom: () => void,
): void => {
  const encoder = createLayerEncoder(
    layer,
    keys,
    keys.map((key) => columns.indexOf(key)),
  )
  const geometries = createGeometryEncoder(bucket.words)
  for (const z of zooms) {
    const { starts, records, tiles, firstId } = sortByTile(bucket, { baseZoom, x, y }, z)
    for (let position = 0; position < tiles.length; position++) {
      const from = starts[position] as number
      const to = starts[position + 1] as number
      if (from === to) continue
      const tile = tiles[position] as number
      const side = 2 ** (z - baseZoom)
      encoder.begin(bucket)
      geometries.begin(z, x * side + (tile % side), y * side + Math.floor(tile / side), z === maxZoom)
      for (let at = from; at < to; at++) {
        const record = records[at] as number
        const start = bucket.starts[record] as number
        if (!geometries.draw(start)) continue
        const id = bucket.words[start + RECORD.featureId] as number
        const { bytes, start: first, end } = geometries.last
        encoder.add(id, bucket.values, record * bucket.columnCount, bytes, first, end)
      }
      const encoded = encoder.finish()
      if (encoded !== null) emit(firstId + position, encoded)
    }
    onZoom()
  }
}

/** Sorts the records into the bucket's tiles of one zoom (counting sort): each into every tile that its box touches, buffers included. */
const sortByTile = (
  { words, starts: recordStarts }: Bucket,
  base: { baseZoom: number; x: number; y: number },
  z: number,
) => {
  const side = 2 ** (z - base.baseZoom)
  const left = base.x * side
  const top = base.y * side
  const firstId = firstDescendant(zxyToTileId(base.baseZoom, base.x, base.y), base.baseZoom, z)
  /** Maps a tile, numbered by rows, to its position in PMTiles order; `tiles` is the inverse. */
  const positions = new Uint32Array(side * side)
  const tiles = new Uint32Array(side * side)
  for (let tile = 0; tile < tiles.length; tile++) {
    const position = zxyToTileId(z, left + (tile % side), top + Math.floor(tile / side)) - firstId
    positions[tile] = position
    tiles[position] = tile
  }

  /** For each record, the first and last column and row of its tiles in the bucket. Last before first: it is in none of them. */
  const ranges = new Int16Array(4 * recordStarts.length)
  const starts = new Uint32Array(side * side + 1)
  const range: TileRange = { minX: 0, minY: 0, maxX: 0, maxY: 0 }
  for (let record = 0; record < recordStarts.length; record++) {
    const box = (recordStarts[record] as number) + RECORD.box
    setTileRange(
      range,
      z,
      words[box] as number,
      words[box + 1] as number,
      words[box + 2] as number,
      words[box + 3] as number,
    )
    const minColumn = Math.max(range.minX - left, 0)
    const maxColumn = Math.min(range.maxX - left, side - 1)
    const minRow = Math.max(range.minY - top, 0)
    const maxRow = Math.min(range.maxY - top, side - 1)
    ranges[4 * record] = minColumn
    ranges[4 * record + 1] = maxColumn
    ranges[4 * record + 2] = minRow
    ranges[4 * record + 3] = maxRow
    for (let row = minRow; row <= maxRow; row++) {
      for (let column = minColumn; column <= maxColumn; column++) {
        const position = positions[row * side + column] as number
        starts[position + 1] = (starts[position + 1] as number) + 1
      }
    }
  }
  for (let position = 0; position < tiles.length; position++) {
    starts[position + 1] = (starts[position + 1] as number) + (starts[position] as number)
  }

  const next = starts.slice(0, -1)
  const records = new Uint32Array(starts[tiles.length] as number)
  for (let record = 0; record < recordStarts.length; record++) {
    const maxColumn = ranges[4 * record + 1] as number
    const maxRow = ranges[4 * record + 3] as number
    for (let row = ranges[4 * record + 2] as number; row <= maxRow; row++) {
      for (let column = ranges[4 * record] as number; column <= maxColumn; column++) {
        const position = positions[row * side + column] as number
        const at = next[position] as number
        records[at] = record
        next[position] = at + 1
      }
    }
  }
  return { starts, records, tiles, firstId }
}
