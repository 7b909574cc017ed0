import { MAX_INT, withRoom, writeInt } from './varint'

const VALUES = 0x22

/** Encoded Values, by number. */
export interface ValueTable {
  bytes: Uint8Array
  /** The offset in `bytes` of each value. */
  valueStart: Uint32Array
  valueLength: Uint32Array
}

export interface TagEncoder {
  /** Begins a tile whose values are in this table. */
  begin: (table: ValueTable) => void
  /** Adds the values of a feature to the tile's: `values` has one number for each column from `from` on; -1 for null. */
  add: (values: Int32Array, from: number) => void
  /** Encodes the tags of a feature into `bytes`, once all features are added. Returns their length. */
  draw: (values: Int32Array, from: number) => number
  bytes: Uint8Array<ArrayBuffer>
  /** The values of the tile, encoded as fields of its layer. */
  values: () => Uint8Array<ArrayBuffer>
}

const EMPTY: ValueTable = { bytes: new Uint8Array(), valueStart: new Uint32Array(), valueLength: new Uint32Array() }

/**
 * Encodes the properties of features. `columns` has the column of each key. The values of a tile are grouped by key: texts of one kind
 * next to each other compress better, by 6% of an archive.
 */
export const createTagEncoder = (columns: readonly number[]): TagEncoder => {
  const tags = new Uint8Array(columns.length * (MAX_INT + 1))
  let tileValues = new Uint8Array(1 << 16)
  /** For each value, its place among those of its key, in the last tile that used it; `lastTileOf` has that tile's serial. */
  let placeOf = new Uint32Array()
  let lastTileOf = new Uint32Array()
  let { bytes, valueStart, valueLength }: ValueTable = EMPTY
  let used: number[][] = []
  let serial = 0

  return {
    bytes: tags,
    begin: (table) => {
      ;({ bytes, valueStart, valueLength } = table)
      if (placeOf.length < valueStart.length) {
        placeOf = new Uint32Array(2 * valueStart.length)
        lastTileOf = new Uint32Array(2 * valueStart.length)
      }
      serial++
      used = columns.map(() => [])
    },
    add: (values, from) => {
      for (let key = 0; key < columns.length; key++) {
        const value = values[from + (columns[key] as number)] as number
        if (value < 0 || lastTileOf[value] === serial) continue
        const group = used[key] as number[]
        lastTileOf[value] = serial
        placeOf[value] = group.length
        group.push(value)
      }
    },
    draw: (values, from) => {
      let at = 0
      let first = 0
      for (let key = 0; key < columns.length; key++) {
        const value = values[from + (columns[key] as number)] as number
        if (value >= 0) {
          tags[at++] = key
          at = writeInt(tags, at, first + (placeOf[value] as number))
        }
        first += (used[key] as number[]).length
      }
      return at
    },
    values: () => {
      let end = 0
      for (const group of used) {
        for (const value of group) {
          const length = valueLength[value] as number
          const from = valueStart[value] as number
          tileValues = withRoom(tileValues, end, length + 1 + MAX_INT)
          tileValues[end++] = VALUES
          end = writeInt(tileValues, end, length)
          for (let byte = 0; byte < length; byte++) tileValues[end + byte] = bytes[from + byte] as number
          end += length
        }
      }
      return tileValues.subarray(0, end)
    },
  }
}
