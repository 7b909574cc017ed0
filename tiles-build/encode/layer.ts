import { createTagEncoder, type ValueTable } from './tags'
import { EXTENT } from './tile-math'
import { MAX_INT, sizeOfInt, varint, withRoom, writeInt } from './varint'

export interface LayerEncoder {
  /** Begins a tile whose values are in this table. */
  begin: (table: ValueTable) => void
  /** Adds a feature: its id, its values (tags.ts), and its shape (geometry.ts): some of `bytes`, which must stay until `finish`. */
  add: (id: number, values: Int32Array, from: number, bytes: Uint8Array, start: number, end: number) => void
  /** The encoded vector tile, or null if nothing was added. Valid until the next `begin`. */
  finish: () => Uint8Array<ArrayBuffer> | null
}

/** Fields of a Tile, a Layer and a Feature, with their wire types. */
const LAYER = 0x1a
const NAME = 0x0a
const FEATURES = 0x12
const KEYS = 0x1a
const LAYER_EXTENT = 0x28
const VERSION = 0x78
const FEATURE_ID = 0x08
const TAGS = 0x12

/**
 * Encodes tiles of one layer of polygons and points (Mapbox Vector Tile 2.1). `columns` has the place of each key among the values of a feature. It
 * reuses buffers between tiles, and copies values as bytes.
 */
export const createLayerEncoder = (
  layer: string,
  keys: readonly string[],
  columns: readonly number[],
): LayerEncoder => {
  const head = encodeHead(layer)
  const tail = encodeTail(keys)
  const tags = createTagEncoder(columns)
  const ids: number[] = []
  const shapeOf: Uint8Array[] = []
  const shapeStart: number[] = []
  const shapeEnd: number[] = []
  const valuesOf: Int32Array[] = []
  const valuesFrom: number[] = []
  let count = 0
  let tile = new Uint8Array(1 << 16)

  return {
    begin: (table) => {
      tags.begin(table)
      count = 0
    },
    add: (id, values, from, bytes, start, end) => {
      ids[count] = id
      shapeOf[count] = bytes
      shapeStart[count] = start
      shapeEnd[count] = end
      valuesOf[count] = values
      valuesFrom[count] = from
      count++
      tags.add(values, from)
    },
    finish: () => {
      if (count === 0) return null
      let at = head.length
      for (let feature = 0; feature < count; feature++) {
        const id = ids[feature] as number
        const shape = shapeOf[feature] as Uint8Array
        const start = shapeStart[feature] as number
        const shapeBytes = (shapeEnd[feature] as number) - start
        const tagBytes = tags.draw(valuesOf[feature] as Int32Array, valuesFrom[feature] as number)
        tile = withRoom(tile, at, shapeBytes + tagBytes + 6 * MAX_INT)
        tile[at++] = FEATURES
        at = writeInt(tile, at, 1 + sizeOfInt(id) + 1 + sizeOfInt(tagBytes) + tagBytes + shapeBytes)
        tile[at++] = FEATURE_ID
        at = writeInt(tile, at, id)
        tile[at++] = TAGS
        at = writeInt(tile, at, tagBytes)
        for (let byte = 0; byte < tagBytes; byte++) tile[at++] = tags.bytes[byte] as number
        if (shapeBytes > 200) tile.set(shape.subarray(start, start + shapeBytes), at)
        else for (let byte = 0; byte < shapeBytes; byte++) tile[at + byte] = shape[start + byte] as number
        at += shapeBytes
      }
      const values = tags.values()
      tile = withRoom(tile, at, values.length + tail.length)
      tile.set(values, at)
      tile.set(tail, at + values.length)
      const end = at + values.length + tail.length
      // The layer's length comes first but is known last: it is written into the room left before the rest.
      const length = end - LAYER_ROOM
      const start = LAYER_ROOM - 1 - sizeOfInt(length)
      tile[start] = LAYER
      writeInt(tile, start + 1, length)
      tile.set(head.subarray(LAYER_ROOM), LAYER_ROOM)
      return tile.subarray(start, end)
    },
  }
}

const LAYER_ROOM = 1 + MAX_INT

const encodeHead = (layer: string): Uint8Array => {
  const name = new TextEncoder().encode(layer)
  return new Uint8Array([...new Uint8Array(LAYER_ROOM), VERSION, 2, NAME, ...varint(name.length), ...name])
}

const encodeTail = (keys: readonly string[]): Uint8Array => {
  const parts: number[] = []
  for (const key of keys) {
    const name = new TextEncoder().encode(key)
    parts.push(KEYS, ...varint(name.length), ...name)
  }
  return new Uint8Array([...parts, LAYER_EXTENT, ...varint(EXTENT)])
}
