import { zxyToTileId } from 'pmtiles'
import type { Bucket } from './bucket'
import { createTileEncoder } from './encode'
import { RECORD } from './record'
import { firstDescendant, setTileRange, type TileRange } from './tile-math'

export interface BucketTiles {
  baseZoom: number
  /** The bucket's tile. */
  x: number
  y: number
  zooms: readonly number[]
  maxZoom: number
}

/**
 * Makes all tiles of the bucket's parcels at the given zooms, zoom by zoom and in the order of PMTiles within each, and hands
 * each over, not compressed. The bytes are only good during the call. `onZoom` hears of each zoom's end.
 */
export const makeTiles = (
  bucket: Bucket,
  layer: string,
  keys: readonly string[],
  { baseZoom, x, y, zooms, maxZoom }: BucketTiles,
  emit: (tileId: number, tile: Uint8Array<ArrayBuffer>) => void,
  onZoom: () => void,
): void => {
  const encoder = createTileEncoder(layer, keys, bucket)
  for (const z of zooms) {
    const { starts, records, tiles, firstId } = sortByTile(bucket, { baseZoom, x, y }, z)
    for (let position = 0; position < tiles.length; position++) {
      const [from, to] = [starts[position] as number, starts[position + 1] as number]
      if (from === to) continue
      const tile = tiles[position] as number
      const side = 2 ** (z - baseZoom)
      encoder.begin(z, x * side + (tile % side), y * side + Math.floor(tile / side), z === maxZoom)
      for (let at = from; at < to; at++) encoder.add(records[at] as number)
      const encoded = encoder.finish()
      if (encoded !== null) emit(firstId + position, encoded)
    }
    onZoom()
  }
}

/** Sorts the records into the bucket's tiles of a zoom, each into all tiles that its box touches, by counting. */
const sortByTile = (
  { words, starts: recordStarts }: Bucket,
  base: { baseZoom: number; x: number; y: number },
  z: number,
) => {
  const side = 2 ** (z - base.baseZoom)
  const [left, top] = [base.x * side, base.y * side]
  const firstId = firstDescendant(zxyToTileId(base.baseZoom, base.x, base.y), base.baseZoom, z)
  /** Of each tile, by rows, its position in the order of PMTiles; and the other way round. */
  const positions = new Uint32Array(side * side)
  const tiles = new Uint32Array(side * side)
  for (let tile = 0; tile < tiles.length; tile++) {
    const position = zxyToTileId(z, left + (tile % side), top + Math.floor(tile / side)) - firstId
    positions[tile] = position
    tiles[position] = tile
  }

  const range: TileRange = { minX: 0, minY: 0, maxX: 0, maxY: 0 }
  const eachTile = (record: number, handle: (position: number, record: number) => void): void => {
    const box = (recordStarts[record] as number) + RECORD.box
    const at = (side: number) => words[box + side] as number
    setTileRange(range, z, at(0), at(1), at(2), at(3))
    const [fromX, toX] = [Math.max(range.minX - left, 0), Math.min(range.maxX - left, side - 1)]
    const [fromY, toY] = [Math.max(range.minY - top, 0), Math.min(range.maxY - top, side - 1)]
    for (let row = fromY; row <= toY; row++) {
      for (let column = fromX; column <= toX; column++) handle(positions[row * side + column] as number, record)
    }
  }

  const starts = new Uint32Array(side * side + 1)
  for (let record = 0; record < recordStarts.length; record++) {
    eachTile(record, (position) => {
      starts[position + 1] = (starts[position + 1] as number) + 1
    })
  }
  for (let position = 0; position < tiles.length; position++) {
    starts[position + 1] = (starts[position + 1] as number) + (starts[position] as number)
  }
  const next = starts.slice(0, -1)
  const records = new Uint32Array(starts[tiles.length] as number)
  for (let record = 0; record < recordStarts.length; record++) {
    eachTile(record, (position) => {
      records[next[position] as number] = record
      next[position] = (next[position] as number) + 1
    })
  }
  return { starts, records, tiles, firstId }
}
