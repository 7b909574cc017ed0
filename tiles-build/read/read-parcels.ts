import { zxyToTileId } from 'pmtiles'
import type { Sql, Transaction } from '../../core/postgres/database'
import { forEachTileParcel, type TileParcelFilter } from '../../drizzle/queries/tiles/tile-parcels'
import type { Spill } from '../archive/spill'
import { WORLD_SIZE } from '../encode/project'
import { featureId, IDENTITY, RECORD } from '../encode/record'
import { hasAreaOnGrid } from '../encode/simplify'
import { setTileRange, type TileRange } from '../encode/tile-math'
import { createGeometryBox, parseGeometry } from './parse-geometry'
import { mostValueBytes, TILE_PROPERTIES, type TileProperty, writeValue } from './property-value'

/** The columns of a record: those that identify a parcel, then the other properties. */
export const listColumns = (properties: readonly TileProperty[]): TileProperty[] => [
  ...new Set([...IDENTITY, ...properties]),
]

export interface ReadOptions {
  /** As `listColumns` returns them. */
  columns: readonly TileProperty[]
  minZoom: number
  /** The zoom of the buckets that hold every parcel (write-tiles.ts). */
  baseZoom: number
  maxZoom: number
  filter: TileParcelFilter
}

export interface ReadCounts {
  parcels: number
  /** Parcels without a position. Not counted elsewhere. */
  withoutPosition: number
  /** A parcel counts once when it is read, and once per zoom for which it is too small. */
  steps: number
}

/**
 * Reads a range of the table and adds each parcel, as a record, to the bucket of every tile of the base zoom that draws it; and, for
 * each lower zoom, to the bucket of every tile in which part of it may still be visible on the grid.
 */
export const readParcels = async (
  tx: Transaction | Sql,
  range: { firstBlock: number; blocks: number },
  options: ReadOptions,
  spill: Spill,
): Promise<ReadCounts> => {
  const counts: ReadCounts = { parcels: 0, withoutPosition: 0, steps: 0 }
  const writeRecord = createRecordWriter(options.columns)
  const tiles: TileRange = { minX: 0, minY: 0, maxX: 0, maxY: 0 }
  const box = createGeometryBox()
  await forEachTileParcel(tx, options.filter, range, options.columns, (geometry, texts) => {
    const record = writeRecord(geometry, texts, box)
    if (record === null) {
      counts.withoutPosition++
      return
    }
    counts.parcels++
    counts.steps++
    const { minX, minY, maxX, maxY } = box
    const spans = listSpans(record, box)
    for (let z = options.minZoom; z <= options.baseZoom; z++) {
      if (z < options.baseZoom && !hasAreaOnGrid(z, minX, minY, maxX, maxY)) {
        counts.steps++
        continue
      }
      let next = 0
      for (const [west, east] of spans) {
        setTileRange(tiles, z, west, minY, east, maxY)
        // At low zooms, both spans are in the same tile.
        for (let x = Math.max(next, tiles.minX); x <= tiles.maxX; x++) {
          for (let y = tiles.minY; y <= tiles.maxY; y++) spill.add(zxyToTileId(z, x, y), record)
        }
        next = tiles.maxX + 1
      }
    }
  })
  return counts
}

/**
 * From where to where the parcel is, in world steps. A parcel with polygons on both sides of the antimeridian has two spans: its box
 * goes around the Earth, and would be in the buckets of all tiles at its latitude.
 */
const listSpans = (record: Uint32Array, { minX, maxX }: { minX: number; maxX: number }): [number, number][] => {
  const middle = WORLD_SIZE / 2
  if (maxX - minX <= middle) return [[minX, maxX]]
  let [west, east] = [minX, maxX]
  let at = RECORD.geometry
  for (let polygons = record[at++] as number; polygons > 0; polygons--) {
    let [first, last] = [WORLD_SIZE, 0]
    for (let rings = record[at++] as number; rings > 0; rings--) {
      for (let points = record[at++] as number; points > 0; points--, at += 2) {
        const x = record[at] as number
        if (x < first) first = x
        if (x > last) last = x
      }
    }
    if (last < middle) west = Math.max(west, last)
    else if (first >= middle) east = Math.min(east, first)
    // It is on both sides of the middle: there is no gap.
    else return [[minX, maxX]]
  }
  return [
    [minX, west],
    [east, maxX],
  ]
}

/** Converts a row to a record (record.ts), valid until the next row; null for a geometry without a position. */
export const createRecordWriter = (columns: readonly TileProperty[]) => {
  let words = new Uint32Array(1 << 14)
  let bytes = new Uint8Array(words.buffer)
  const types = columns.map((column) => TILE_PROPERTIES[column])

  return (
    geometry: Uint8Array,
    texts: readonly (Uint8Array | null)[],
    box: ReturnType<typeof createGeometryBox>,
  ): Uint32Array | null => {
    const room = texts.reduce(
      (sum, text) => sum + 2 + (text === null ? 0 : mostValueBytes(text.length) / 4),
      RECORD.geometry + geometry.length,
    )
    if (words.length < room) {
      words = new Uint32Array(Math.ceil(2 * room))
      bytes = new Uint8Array(words.buffer)
    }
    let end = parseGeometry(geometry, words, RECORD.geometry, box)
    if (end === RECORD.geometry) return null
    words[RECORD.geometryWords] = end - RECORD.geometry
    for (let column = 0; column < texts.length; column++) {
      const text = texts[column] as Uint8Array | null
      const start = (end + 1) * 4
      const length = text === null ? 0 : writeValue(text, types[column] ?? 'String', bytes, start) - start
      words[end] = length
      for (let byte = start + length; byte % 4 !== 0; byte++) bytes[byte] = 0
      end += 1 + ((length + 3) >> 2)
    }
    words[0] = end
    words[RECORD.featureId] = featureId(texts[0] as Uint8Array, texts[1] as Uint8Array)
    words[RECORD.box] = box.minX
    words[RECORD.box + 1] = box.minY
    words[RECORD.box + 2] = box.maxX
    words[RECORD.box + 3] = box.maxY
    return words.subarray(0, end)
  }
}
