import { readAll } from '../../core/files/all-bytes'
import { RECORD } from './record'

/** All parcels that one tile may draw, in the order of the columns that identify them. */
export interface Bucket {
  words: Uint32Array
  bytes: Uint8Array<ArrayBuffer>
  /** The first word of each record. */
  starts: Uint32Array
  columnCount: number
  /** The value number of each column of each record; -1 for null. */
  values: Int32Array
  /** The offset in `bytes` of each value. Equal values of a column share one number. */
  valueStart: Uint32Array
  valueLength: Uint32Array
}

export interface BucketChunk {
  file: number
  offsetBytes: number
  sizeBytes: number
}

/** Reads a bucket's records from the spill files and sorts them. */
export const readBucket = (files: readonly number[], chunks: readonly BucketChunk[], columnCount: number): Bucket => {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.sizeBytes, 0))
  let filled = 0
  for (const { file, offsetBytes, sizeBytes } of chunks) {
    const chunk = bytes.subarray(filled, filled + sizeBytes)
    readAll(files[file] as number, chunk, offsetBytes, `spill file ${file}`)
    filled += sizeBytes
  }
  return createBucket(bytes, columnCount)
}

/** Sorts records, which are in `bytes` one after another. */
export const createBucket = (bytes: Uint8Array<ArrayBuffer>, columnCount: number): Bucket => {
  const words = new Uint32Array(bytes.buffer)
  const starts = orderRecords(words, bytes)
  return { words, bytes, starts, columnCount, ...numberValues(words, bytes, starts, columnCount) }
}

/** The key that records are sorted by: the values that identify a parcel, as bytes. */
export const sortKey = (bytes: Buffer, source: ByteRange, sourceParcelId: ByteRange): string =>
  `${textOf(bytes, source)}\0${textOf(bytes, sourceParcelId)}`

export const sortKeyOfParcel = (source: string, sourceParcelId: string): string =>
  Buffer.from(`${source}\0${sourceParcelId}`).toString('latin1')

interface ByteRange {
  start: number
  length: number
}

/** The text of a Value: one character per byte, so that texts sort by their bytes. */
const textOf = (bytes: Buffer, { start, length }: ByteRange): string => {
  // The tag, then the length as a varint.
  const head = length < 130 ? 2 : 3
  return bytes.toString('latin1', start + head, start + length)
}

/** The sort key of the record that starts at this word. */
const sortKeyOf = (words: Uint32Array, bytes: Buffer, start: number): string => {
  const range = (word: number): ByteRange => ({ start: (word + 1) * 4, length: words[word] as number })
  const source = start + RECORD.geometry + (words[start + RECORD.geometryWords] as number)
  const sourceParcelId = source + 1 + (((words[source] as number) + 3) >> 2)
  return sortKey(bytes, range(source), range(sourceParcelId))
}

/** The sort keys of all records, in order. */
export const listSortKeys = ({ words, bytes, starts }: Bucket): string[] => {
  const buffer = Buffer.from(bytes.buffer)
  return Array.from(starts, (start) => sortKeyOf(words, buffer, start))
}

const orderRecords = (words: Uint32Array, bytes: Uint8Array<ArrayBuffer>): Uint32Array => {
  const buffer = Buffer.from(bytes.buffer)
  const found: number[] = []
  const keys: string[] = []
  for (let at = 0; at < words.length; at += words[at] as number) {
    found.push(at)
    keys.push(sortKeyOf(words, buffer, at))
  }
  const sequence = Uint32Array.from(keys, (_, record) => record)
  sequence.sort((a, b) => ((keys[a] as string) < (keys[b] as string) ? -1 : 1))
  return sequence.map((record) => found[record] as number)
}

/** Numbers the distinct values of each column, so that drawing a tile does not have to compare bytes. */
const numberValues = (
  words: Uint32Array,
  bytes: Uint8Array,
  starts: Uint32Array,
  columnCount: number,
): Pick<Bucket, 'values' | 'valueStart' | 'valueLength'> => {
  const values = new Int32Array(starts.length * columnCount)
  const numbers = createValueNumbers(bytes, values.length)
  for (let record = 0; record < starts.length; record++) {
    const start = starts[record] as number
    let word = start + RECORD.geometry + (words[start + RECORD.geometryWords] as number)
    for (let column = 0; column < columnCount; column++) {
      const length = words[word] as number
      values[record * columnCount + column] = length === 0 ? -1 : numbers.add((word + 1) * 4, length, column)
      word += 1 + ((length + 3) >> 2)
    }
  }
  return { values, ...numbers.list() }
}

/** Returns a function that finds the number of the column's value with these bytes of `from`; -1 if no record of the bucket has it. */
export const createValueFinder = ({ bytes, columnCount, values, valueStart, valueLength }: Bucket) => {
  const columnOf = new Uint8Array(valueStart.length)
  for (const [at, value] of values.entries()) if (value >= 0) columnOf[value] = at % columnCount
  // In their order, so that they get the same numbers again. A bucket does not keep the table, which is as large as its other numbers.
  const numbers = createValueNumbers(bytes, valueStart.length)
  for (const [value, column] of columnOf.entries()) {
    numbers.add(valueStart[value] as number, valueLength[value] as number, column)
  }
  return numbers.find
}

/** Numbers up to `most` values, which are in `bytes`. */
const createValueNumbers = (bytes: Uint8Array, most: number) => {
  const valueStart = new Uint32Array(most)
  const valueLength = new Uint32Array(most)
  const columnOf = new Uint8Array(most)
  // A hash table with open addressing, at most half full. An entry is a value number + 1.
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * most + 2)))
  const mask = slots.length - 1
  let count = 0
  /** The entry of a value, or the free one where it belongs. */
  const findSlot = (from: Uint8Array, at: number, length: number, column: number): number => {
    // FNV-1a
    let hash = 0x811c9dc5 ^ column
    for (let byte = at; byte < at + length; byte++) hash = Math.imul(hash ^ (from[byte] as number), 0x01000193)
    let slot = (hash ^ (hash >>> 15)) & mask
    for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const candidate = (slots[slot] as number) - 1
      if (valueLength[candidate] !== length || columnOf[candidate] !== column) continue
      const other = valueStart[candidate] as number
      let same = 0
      while (same < length && bytes[other + same] === from[at + same]) same++
      if (same === length) break
    }
    return slot
  }
  return {
    add: (at: number, length: number, column: number): number => {
      const slot = findSlot(bytes, at, length, column)
      if (slots[slot] === 0) {
        valueStart[count] = at
        valueLength[count] = length
        columnOf[count] = column
        slots[slot] = ++count
      }
      return (slots[slot] as number) - 1
    },
    find: (from: Uint8Array, at: number, length: number, column: number): number =>
      (slots[findSlot(from, at, length, column)] as number) - 1,
    list: () => ({ valueStart: valueStart.slice(0, count), valueLength: valueLength.slice(0, count) }),
  }
}
