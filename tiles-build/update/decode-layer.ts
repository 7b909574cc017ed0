import { PbfReader } from 'pbf'
import type { ValueTable } from '../encode/tags'

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

/** Reads a tile that `createLayerEncoder` wrote. It copies and decodes neither values nor geometries. */
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
  const reader = new PbfReader(bytes)
  const readLength = (): number => reader.readVarint() + reader.pos

  const readFeature = (end: number): void => {
    while (reader.pos < end) {
      const field = reader.readVarint() >> 3
      if (field === FEATURE_ID) ids[count] = reader.readVarint()
      else if (field === TAGS) {
        const tagsEnd = readLength()
        while (reader.pos < tagsEnd) {
          const key = reader.readVarint()
          values[count * keyCount + key] = reader.readVarint()
        }
      } else if (field === GEOMETRY) {
        const geometry = readLength()
        geometryStart[count] = reader.pos
        geometryEnd[count] = geometry
        reader.pos = geometry
      } else reader.readVarint()
    }
    count++
  }

  if (reader.readVarint() >> 3 !== LAYER) throw new Error('a tile does not begin with a layer')
  const end = readLength()
  while (reader.pos < end) {
    const tag = reader.readVarint()
    if (tag >> 3 === FEATURE) readFeature(readLength())
    else if (tag >> 3 === VALUE) {
      const valueEnd = readLength()
      valueStart[valueCount] = reader.pos
      valueLength[valueCount++] = valueEnd - reader.pos
      reader.pos = valueEnd
    } else reader.skip(tag)
  }
  return {
    ...{ bytes, count, ids, geometryStart, geometryEnd, values },
    valueStart: valueStart.subarray(0, valueCount),
    valueLength: valueLength.subarray(0, valueCount),
  }
}
