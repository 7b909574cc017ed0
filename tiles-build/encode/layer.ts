import { createTagEncoder, type ValueTable } from './tags'
import { EXTENT } from './tile-math'
import { MAX_INT, sizeOfInt, varint, withRoom, writeInt } from './varint'

export interface LayerEncoder {
  /** Begins a tile whose values are in this table. */
  begin: (table: ValueTable) => void
  /** Adds a feature: its id, its values (tags.ts), and its geometry: some of `bytes`, which must stay until `finish`. */
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
const TYPE = 0x18
const GEOMETRY = 0x22
const [POINT, POLYGON] = [1, 3]
/** MoveTo, x and y. A polygon has at least nine. */
const POINT_INTS = 3

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
  const geometryOf: Uint8Array[] = []
  const geometryStart: number[] = []
  const geometryEnd: number[] = []
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
      geometryOf[count] = bytes
      geometryStart[count] = start
      geometryEnd[count] = end
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
        const from = geometryStart[feature] as number
        const geometryBytes = (geometryEnd[feature] as number) - from
        const tagBytes = tags.draw(valuesOf[feature] as Int32Array, valuesFrom[feature] as number)
        tile = withRoom(tile, at, geometryBytes + tagBytes + 6 * MAX_INT)
        const size =
          1 + sizeOfInt(id) + 1 + sizeOfInt(tagBytes) + tagBytes + 2 + 1 + sizeOfInt(geometryBytes) + geometryBytes
        tile[at++] = FEATURES
        at = writeInt(tile, at, size)
        tile[at++] = FEATURE_ID
        at = writeInt(tile, at, id)
        tile[at++] = TAGS
        at = writeInt(tile, at, tagBytes)
        for (let byte = 0; byte < tagBytes; byte++) tile[at++] = tags.bytes[byte] as number
        tile[at++] = TYPE
        tile[at++] = typeOf(geometryOf[feature] as Uint8Array, from, from + geometryBytes)
        tile[at++] = GEOMETRY
        at = writeInt(tile, at, geometryBytes)
        const geometry = geometryOf[feature] as Uint8Array
        if (geometryBytes > 200) tile.set(geometry.subarray(from, from + geometryBytes), at)
        else for (let byte = 0; byte < geometryBytes; byte++) tile[at + byte] = geometry[from + byte] as number
        at += geometryBytes
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

/** The type of an encoded geometry, by the number of its integers. Copied geometries of an update have it, too. */
const typeOf = (bytes: Uint8Array, start: number, end: number): number => {
  if (end - start > POINT_INTS * MAX_INT) return POLYGON
  let ints = 0
  for (let at = start; at < end; at++) if ((bytes[at] as number) < 0x80) ints++
  return ints === POINT_INTS ? POINT : POLYGON
}

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
