import { closeSync, openSync } from 'node:fs'
import { writeAll } from '../../core/files/all-bytes'

/** The position of a run of one bucket's records in a spill file. */
export interface Chunk {
  bucket: number
  offsetBytes: number
  sizeBytes: number
}

export interface Spill {
  /** Appends a copy of the record to the bucket. */
  add: (bucket: number, record: Uint32Array) => void
  /** Writes the buffered records and closes the file. */
  end: () => Chunk[]
}

const BUFFER_WORDS = 16_384
/** Buckets buffered at a time: 16 MB. Parcels are read in table order, so few buckets are active at a time. */
const MAX_BUCKETS = 256

/** Sorts records into buckets of one file, with little memory. */
export const createSpill = (path: string): Spill => {
  const file = openSync(path, 'w')
  const open = new Map<number, { words: Uint32Array; used: number }>()
  const chunks: Chunk[] = []
  let sizeBytes = 0

  const write = (bucket: number, words: Uint32Array): void => {
    const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength)
    writeAll(file, bytes)
    chunks.push({ bucket, offsetBytes: sizeBytes, sizeBytes: bytes.length })
    sizeBytes += bytes.length
  }
  const flushAll = (): void => {
    for (const [bucket, { words, used }] of open) if (used > 0) write(bucket, words.subarray(0, used))
    open.clear()
  }

  return {
    add: (bucket, record) => {
      let buffer = open.get(bucket)
      if (buffer === undefined) {
        if (open.size >= MAX_BUCKETS) flushAll()
        buffer = { words: new Uint32Array(BUFFER_WORDS), used: 0 }
        open.set(bucket, buffer)
      }
      if (buffer.used + record.length > BUFFER_WORDS) {
        if (buffer.used > 0) write(bucket, buffer.words.subarray(0, buffer.used))
        buffer.used = 0
      }
      if (record.length > BUFFER_WORDS) return write(bucket, record)
      buffer.words.set(record, buffer.used)
      buffer.used += record.length
    },
    end: () => {
      flushAll()
      closeSync(file)
      return chunks
    },
  }
}
