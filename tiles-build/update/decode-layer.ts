import type { ValueTable } from '../encode/tags'
import { sortKey } from '../publish/bucket'

/** The features of a tile of parcels, as positions in its bytes. */
export interface DecodedLayer extends ValueTable {
  bytes: Uint8Array<ArrayBuffer>
  count: number
  ids: Uint32Array
  geometryStart: Uint32Array
  geometryEnd: Uint32Array
  /** The value number of each key of each feature; -1 for null. */
  values: Int32Array
}

/** Fields of a Tile, a Layer and a Feature (Mapbox Vector Tile 2.1). */
const [LAYER, FEATURE, VALUE] = [3, 2, 4]
const [FEATURE_ID, TAGS, GEOMETRY] = [1, 2, 4]
const LENGTH_DELIMITED = 2

/**
 * Reads a tile that `createLayerEncoder` wrote. It copies and decodes neither values nor geometries. An update spends much of its time here,
 * so varints are read in place, not with `pbf`.
 */
export const decodeLayer = (bytes: Uint8Array<ArrayBuffer>, keyCount: number): DecodedLayer => {
  // A feature has at least 12 bytes, and a value at least 3.
  const most = Math.ceil(bytes.length / 12)
  const ids = new Uint32Array(most)
  const geometryStart = new Uint32Array(most)
  const geometryEnd = new Uint32Array(most)
  const values = new Int32Array(most * keyCount).fill(-1)
  const valueStart = new Uint32Array(Math.ceil(bytes.length / 3))
  const valueLength = new Uint32Array(valueStart.length)
  let [count, valueCount] = [0, 0]
  let pos = 0
  const readInt = (): number => {
    let byte = bytes[pos++] as number
    if (byte < 0x80) return byte
    let value = byte & 0x7f
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[pos++] as number
      value |= (byte & 0x7f) << shift
    }
    return value >>> 0
  }
  const readEnd = (): number => {
    const length = readInt()
    return pos + length
  }

  const readFeature = (end: number): void => {
    while (pos < end) {
      const field = readInt() >> 3
      if (field === FEATURE_ID) ids[count] = readInt()
      else if (field === TAGS) {
        const tagsEnd = readEnd()
        while (pos < tagsEnd) {
          const key = readInt()
          values[count * keyCount + key] = readInt()
        }
      } else if (field === GEOMETRY) {
        const geometry = readEnd()
        geometryStart[count] = pos
        geometryEnd[count] = geometry
        pos = geometry
      } else readInt()
    }
    count++
  }

  if (readInt() >> 3 !== LAYER) throw new Error('a tile does not begin with a layer')
  const end = readEnd()
  while (pos < end) {
    const tag = readInt()
    if (tag >> 3 === FEATURE) readFeature(readEnd())
    else if (tag >> 3 === VALUE) {
      const valueEnd = readEnd()
      valueStart[valueCount] = pos
      valueLength[valueCount++] = valueEnd - pos
      pos = valueEnd
    } else if ((tag & 7) === LENGTH_DELIMITED) pos = readEnd()
    else readInt()
  }
  return {
    ...{ bytes, count, ids, geometryStart, geometryEnd, values },
    valueStart: valueStart.subarray(0, valueCount),
    valueLength: valueLength.subarray(0, valueCount),
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
