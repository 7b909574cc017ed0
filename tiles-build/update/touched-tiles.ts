import { zxyToTileId } from 'pmtiles'
import type { ChangedBox } from '../../drizzle/queries/tiles/changed-parcels'
import type { Bucket } from '../encode/bucket'
import { latToY, lonToX } from '../encode/project'
import { RECORD } from '../encode/record'
import { setTileRange, type TileRange } from '../encode/tile-math'

/** With more, most tiles change: a full build takes less time and memory. One large box can touch millions. */
const MAX_TILES = 100_000
/** Tiles of all boxes together; boxes share tiles. These take about a second. */
const MAX_VISITS = 50 * MAX_TILES

/**
 * The tiles where a changed parcel is or was, in the order of their ids, each with the records of the bucket that it may draw. Null: there
 * are too many.
 */
export const listTouchedTiles = (
  boxes: readonly ChangedBox[],
  { words, starts }: Bucket,
  { minZoom, maxZoom }: { minZoom: number; maxZoom: number },
): { tileId: number; records: number[] }[] | null => {
  /** The tiles of each zoom, by `x * 2 ** z + y`: ids take long to compute, and most tiles are in many boxes. */
  const zooms = Array.from({ length: maxZoom - minZoom + 1 }, (_, step) => ({
    z: minZoom + step,
    tiles: new Map<number, number[]>(),
  }))
  const range: TileRange = { minX: 0, minY: 0, maxX: 0, maxY: 0 }
  let [visits, count] = [0, 0]
  /** Returns false if there are too many. */
  const touch = (minX: number, minY: number, maxX: number, maxY: number, record: number | null): boolean => {
    for (const { z, tiles: touched } of zooms) {
      setTileRange(range, z, minX, minY, maxX, maxY)
      const tiles = (range.maxX - range.minX + 1) * (range.maxY - range.minY + 1)
      visits += tiles
      if (tiles > MAX_TILES || visits > MAX_VISITS) return false
      for (let x = range.minX; x <= range.maxX; x++) {
        for (let y = range.minY; y <= range.maxY; y++) {
          const tile = x * 2 ** z + y
          let records = touched.get(tile)
          if (records === undefined) {
            records = []
            touched.set(tile, records)
            count++
          }
          if (record !== null) records.push(record)
        }
      }
    }
    return count <= MAX_TILES
  }
  for (const { bbox } of boxes) {
    if (bbox === null) continue
    const [west, south, east, north] = bbox
    if (!touch(lonToX(west), latToY(north), lonToX(east), latToY(south), null)) return null
  }
  for (const [record, start] of starts.entries()) {
    const [minX = 0, minY = 0, maxX = 0, maxY = 0] = words.subarray(start + RECORD.box, start + RECORD.box + 4)
    if (!touch(minX, minY, maxX, maxY, record)) return null
  }
  const idOf = (z: number, tile: number) => zxyToTileId(z, Math.floor(tile / 2 ** z), tile % 2 ** z)
  return zooms
    .flatMap(({ z, tiles }) => Array.from(tiles, ([tile, records]) => ({ tileId: idOf(z, tile), records })))
    .sort((a, b) => a.tileId - b.tileId)
}
