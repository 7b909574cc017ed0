import { sortKey } from '../encode/bucket'
import type { ValueTable } from '../encode/tags'
import { readInt, sizeOfInt } from '../encode/varint'

/** The features of a tile of parcels, as positions in its bytes. */
export interface DecodedLayer extends ValueTable {
  bytes: Uint8Array<ArrayBuffer>
  count: number
  ids: Uint32Array
  /** Where the type and the geometry of each feature are. */
  shapeStart: Uint32Array
  shapeEnd: Uint32Array
  /** The value number of each key of each feature; -1 for null. */
  values: Int32Array
  /** The key of each value. */
  keyOf: Uint8Array
}

/** The fields of a Tile, a Layer and a Feature, with their wire types (Mapbox Vector Tile 2.1). */
const [LAYER, FEATURE, VALUE] = [0x1a, 0x12, 0x22]
const LENGTH_DELIMITED = 2

/**
 * Creates a function that reads a tile that `createLayerEncoder` wrote. It copies and decodes neither values nor geometries, and reuses its
 * arrays: a layer is valid until the next call. An update spends much of its time here, so varints are read in place, not with `pbf`.
 */
export const createLayerDecoder = (keyCount: number): ((bytes: Uint8Array<ArrayBuffer>) => DecodedLayer) => {
  let ids = new Uint32Array()
  let shapeStart = new Uint32Array()
  let shapeEnd = new Uint32Array()
  let values = new Int32Array()
  let valueStart = new Uint32Array()
  let valueLength = new Uint32Array()
  let keyOf = new Uint8Array()

  const makeRoom = (sizeBytes: number): void => {
    // A feature has at least 12 bytes, and a value at least 3.
    const [features, all] = [Math.ceil(sizeBytes / 12), Math.ceil(sizeBytes / 3)]
    if (features <= ids.length) return
    ids = new Uint32Array(features)
    shapeStart = new Uint32Array(features)
    shapeEnd = new Uint32Array(features)
    values = new Int32Array(features * keyCount)
    valueStart = new Uint32Array(all)
    valueLength = new Uint32Array(all)
    keyOf = new Uint8Array(all)
  }

  return (bytes) => {
    makeRoom(bytes.length)
    let [count, valueCount] = [0, 0]
    if (bytes[0] !== LAYER) throw new Error('a tile does not begin with a layer')
    let at = 1 + sizeOfInt(readInt(bytes, 1))
    while (at < bytes.length) {
      // Numbers of fields and keys take one byte.
      const field = bytes[at++] as number
      // The length of what follows, or a number.
      const length = readInt(bytes, at)
      at += sizeOfInt(length)
      if (field === FEATURE) {
        const end = at + length
        const id = readInt(bytes, at + 1)
        at += 2 + sizeOfInt(id)
        const tagBytes = readInt(bytes, at)
        at += sizeOfInt(tagBytes)
        const from = count * keyCount
        for (let key = 0; key < keyCount; key++) values[from + key] = -1
        for (const tagsEnd = at + tagBytes; at < tagsEnd; ) {
          const key = bytes[at++] as number
          const value = readInt(bytes, at)
          at += sizeOfInt(value)
          values[from + key] = value
          keyOf[value] = key
        }
        ids[count] = id
        shapeStart[count] = at
        shapeEnd[count++] = end
        at = end
      } else if (field === VALUE) {
        valueStart[valueCount] = at
        valueLength[valueCount++] = length
        at += length
      } else if ((field & 7) === LENGTH_DELIMITED) at += length
    }
    return {
      bytes,
      count,
      ids,
      shapeStart,
      shapeEnd,
      values,
      keyOf,
      valueStart: valueStart.subarray(0, valueCount),
      valueLength: valueLength.subarray(0, valueCount),
    }
  }
}

/** Returns the sort key (bucket.ts) of a feature. `keys` are the names of the layer's keys. */
export const createSortKeys = (
  { bytes, values, valueStart, valueLength }: DecodedLayer,
  keys: readonly string[],
): ((feature: number) => string) => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [source, sourceParcelId] = [keys.indexOf('source'), keys.indexOf('source_parcel_id')]
  const rangeOf = (feature: number, key: number) => {
    const value = values[feature * keys.length + key] as number
    return { start: valueStart[value] as number, length: valueLength[value] as number }
  }
  return (feature) => sortKey(buffer, rangeOf(feature, source), rangeOf(feature, sourceParcelId))
}
