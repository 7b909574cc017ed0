import type { Bucket } from '../publish/bucket'
import { MAX_INT, withRoom, writeInt } from './varint'

const VALUES = 0x22

export interface TagEncoder {
  begin: () => void
  /** Encodes the tags of a record and adds its values to the tile's. Returns the length of the tags in bytes. */
  draw: (record: number) => number
  /** The buffer that `draw` wrote to, valid until its next call. It is longer than what was written. */
  bytes: Uint8Array<ArrayBuffer>
  /** The distinct values of the tile, encoded as fields of its layer. */
  values: () => Uint8Array<ArrayBuffer>
}

/** Encodes the properties of a bucket. Copies values as bytes, without making strings. */
export const createTagEncoder = (
  keys: readonly string[],
  { bytes, values, valueStart, valueLength }: Bucket,
): TagEncoder => {
  const tags = new Uint8Array(keys.length * (MAX_INT + 1))
  let tileValues = new Uint8Array(1 << 16)
  let valueBytes = 0
  /** For each value of the bucket, its number in the last tile that used it; `lastTileOf` has that tile's serial. */
  const tileValueOf = new Uint32Array(valueStart.length)
  const lastTileOf = new Uint32Array(valueStart.length)
  let valueCount = 0
  let serial = 0

  const begin = (): void => {
    valueBytes = valueCount = 0
    serial++
  }

  const draw = (record: number): number => {
    let at = 0
    for (let key = 0; key < keys.length; key++) {
      const value = values[record * keys.length + key] as number
      if (value < 0) continue
      if (lastTileOf[value] !== serial) {
        lastTileOf[value] = serial
        tileValueOf[value] = valueCount++
        const length = valueLength[value] as number
        const from = valueStart[value] as number
        tileValues = withRoom(tileValues, valueBytes, length + 1 + MAX_INT)
        tileValues[valueBytes++] = VALUES
        valueBytes = writeInt(tileValues, valueBytes, length)
        for (let byte = 0; byte < length; byte++) tileValues[valueBytes + byte] = bytes[from + byte] as number
        valueBytes += length
      }
      tags[at++] = key
      at = writeInt(tags, at, tileValueOf[value] as number)
    }
    return at
  }

  return { begin, draw, bytes: tags, values: () => tileValues.subarray(0, valueBytes) }
}
