import { readSync } from 'node:fs'
import { RECORD, readLong } from './record'

/** All parcels that one tile may draw, in tile order. */
export interface Bucket {
  words: Uint32Array
  bytes: Uint8Array
  /** The first word of each record. */
  starts: Uint32Array
  /** The value number of each property of each record; -1 for null. */
  values: Int32Array
  /** The offset in `bytes` of each value. Equal values share one number. */
  valueStart: Uint32Array
  valueLength: Uint32Array
}

export interface BucketChunk {
  file: number
  offsetBytes: number
  sizeBytes: number
}

/** Reads a bucket's records from the spill files and sorts them. `unique` is the index of a property with unique values, or -1. */
export const readBucket = (
  files: readonly number[],
  chunks: readonly BucketChunk[],
  propertyCount: number,
  unique: number,
): Bucket => {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.sizeBytes, 0))
  let filled = 0
  for (const { file, offsetBytes, sizeBytes } of chunks) {
    for (let done = 0; done < sizeBytes; ) {
      const read = readSync(files[file] as number, bytes, filled + done, sizeBytes - done, offsetBytes + done)
      if (read === 0) throw new Error(`spill file ${file} ends before byte ${offsetBytes + sizeBytes}`)
      done += read
    }
    filled += sizeBytes
  }
  const words = new Uint32Array(bytes.buffer)
  const starts = orderRecords(words)
  return { words, bytes, starts, ...numberValues(words, bytes, starts, propertyCount, unique) }
}

const orderRecords = (words: Uint32Array): Uint32Array => {
  let count = 0
  for (let at = 0; at < words.length; at += words[at] as number) count++
  const starts = new Uint32Array(count)
  const orders = new Float64Array(count)
  const heads = new Float64Array(count)
  const tails = new Float64Array(count)
  const sequence = new Uint32Array(count)
  for (let at = 0, record = 0; record < count; record++, at += words[at] as number) {
    starts[record] = at
    orders[record] = readLong(words, at + RECORD.order)
    heads[record] = readLong(words, at + RECORD.uuidHead)
    tails[record] = readLong(words, at + RECORD.featureId)
    sequence[record] = record
  }
  sequence.sort(
    (a, b) =>
      (orders[a] as number) - (orders[b] as number) ||
      (heads[a] as number) - (heads[b] as number) ||
      (tails[a] as number) - (tails[b] as number),
  )
  return sequence.map((record) => starts[record] as number)
}

/** Numbers the distinct values in record order, so that drawing a tile does not have to compare bytes. */
const numberValues = (
  words: Uint32Array,
  bytes: Uint8Array,
  starts: Uint32Array,
  propertyCount: number,
  unique: number,
): Pick<Bucket, 'values' | 'valueStart' | 'valueLength'> => {
  const most = starts.length * propertyCount
  const values = new Int32Array(most)
  const valueStart = new Uint32Array(most)
  const valueLength = new Uint32Array(most)
  // A hash table with open addressing, at most half full. An entry is a value number + 1.
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * most + 2)))
  const mask = slots.length - 1
  let count = 0
  for (let record = 0; record < starts.length; record++) {
    const start = starts[record] as number
    let word = start + RECORD.geometry + (words[start + RECORD.geometryWords] as number)
    for (let property = 0; property < propertyCount; property++) {
      const length = words[word] as number
      const at = (word + 1) * 4
      word += 1 + ((length + 3) >> 2)
      let value = -1
      if (length > 0 && property !== unique) {
        // FNV-1a
        let hash = 0x811c9dc5
        for (let byte = at; byte < at + length; byte++) hash = Math.imul(hash ^ (bytes[byte] as number), 0x01000193)
        let slot = (hash ^ (hash >>> 15)) & mask
        for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
          const candidate = (slots[slot] as number) - 1
          if (valueLength[candidate] !== length) continue
          const other = valueStart[candidate] as number
          let same = 0
          while (same < length && bytes[other + same] === bytes[at + same]) same++
          if (same === length) {
            value = candidate
            break
          }
        }
        if (value < 0) slots[slot] = count + 1
      }
      if (length > 0 && value < 0) {
        value = count++
        valueStart[value] = at
        valueLength[value] = length
      }
      values[record * propertyCount + property] = value
    }
  }
  return { values, valueStart: valueStart.slice(0, count), valueLength: valueLength.slice(0, count) }
}
