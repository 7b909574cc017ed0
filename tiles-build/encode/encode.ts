import type { Bucket } from '../publish/bucket'
import { RECORD, readLong } from '../publish/record'
import { createGeometryEncoder } from './geometry'
import { createTagEncoder } from './tags'
import { EXTENT } from './tile-math'
import { MAX_INT, MAX_LONG, sizeOfInt, sizeOfLong, varint, withRoom, writeInt, writeLongInt } from './varint'

export interface TileEncoder {
  /** Begins a tile. With `keepsAll` nothing is simplified, and no small parcel is dropped. */
  begin: (z: number, x: number, y: number, keepsAll: boolean) => void
  /** Draws the part of a bucket's record that is in the tile. */
  add: (record: number) => void
  /** The encoded vector tile, or null if nothing was drawn. Valid until the next `begin`. */
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
const POLYGON = 3
/**
 * Encodes the parcels of one bucket as tiles of one layer (Mapbox Vector Tile 2.1). It reuses buffers between tiles and copies values
 * as bytes from the bucket, so it creates no objects for parcels and no strings for values.
 */
export const createTileEncoder = (layer: string, keys: readonly string[], bucket: Bucket): TileEncoder => {
  const { words, starts } = bucket
  const head = encodeHead(layer)
  const tail = encodeTail(keys)
  const geometries = createGeometryEncoder(words)
  const tags = createTagEncoder(keys, bucket)
  let features = new Uint8Array(1 << 16)
  let featureBytes = 0

  const begin = (z: number, x: number, y: number, keepsAll: boolean): void => {
    geometries.begin(z, x, y, keepsAll)
    tags.begin()
    featureBytes = head.length
  }

  const add = (record: number): void => {
    const start = starts[record] as number
    const geometryBytes = geometries.draw(start)
    if (geometryBytes === 0) return
    const tagBytes = tags.draw(record)
    const geometry = geometries.bytes()
    const tagged = tags.bytes
    features = withRoom(features, featureBytes, geometryBytes + tagBytes + 5 * MAX_INT + MAX_LONG)

    let size = 1 + 1 + sizeOfInt(tagBytes) + tagBytes + 2 + 1 + sizeOfInt(geometryBytes) + geometryBytes
    const id = readLong(words, start + RECORD.featureId)
    size += sizeOfLong(id)
    let at = featureBytes
    features[at++] = FEATURES
    at = writeInt(features, at, size)
    features[at++] = FEATURE_ID
    at = writeLongInt(features, at, id)
    features[at++] = TAGS
    at = writeInt(features, at, tagBytes)
    for (let byte = 0; byte < tagBytes; byte++) features[at++] = tagged[byte] as number
    features[at++] = TYPE
    features[at++] = POLYGON
    features[at++] = GEOMETRY
    at = writeInt(features, at, geometryBytes)
    if (geometryBytes > 64) features.set(geometry.subarray(0, geometryBytes), at)
    else for (let byte = 0; byte < geometryBytes; byte++) features[at + byte] = geometry[byte] as number
    featureBytes = at + geometryBytes
  }

  const finish = (): Uint8Array<ArrayBuffer> | null => {
    if (featureBytes === head.length) return null
    const values = tags.values()
    features = withRoom(features, featureBytes, values.length + tail.length)
    features.set(values, featureBytes)
    features.set(tail, featureBytes + values.length)
    const end = featureBytes + values.length + tail.length
    // The layer's length comes first but is known last: it is written into the room left before the rest.
    const length = end - LAYER_ROOM
    const start = LAYER_ROOM - 1 - sizeOfInt(length)
    features[start] = LAYER
    writeInt(features, start + 1, length)
    features.set(head.subarray(LAYER_ROOM), LAYER_ROOM)
    return features.subarray(start, end)
  }

  return { begin, add, finish }
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
