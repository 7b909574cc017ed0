import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { hasCode } from '../../core/error-code'
import type { FileVersion } from './integrity'
import type { OpenArchive } from './tile-store'

/**
 * A range up to this size is read synchronously, as nginx does by default (`aio off`): the directories and tiles that maps read are a
 * few kilobytes, mostly in the page cache. Passing each to another thread, which reopens the file, more than doubles the CPU time of a
 * request (bench tile-ranges, 2026-11-21). Bun streams larger ranges.
 */
const AT_ONCE_BYTES = 64 * 1024

export type OpenFile = OpenArchive & FileVersion & { hasItsSize: () => boolean; close: () => void }

/** Null: there is no such file. */
export const openFile = (path: string): OpenFile | null => {
  let descriptor: number | null
  try {
    descriptor = openSync(path, 'r')
  } catch (error) {
    return nullWhenMissing(error)
  }
  const stats = fstatSync(descriptor)
  if (!stats.isFile()) {
    closeSync(descriptor)
    return null
  }
  const sizeBytes = stats.size
  return {
    sizeBytes,
    version: `${stats.ino} ${stats.size} ${stats.mtimeMs}`,
    hasItsSize: () => descriptor !== null && fstatSync(descriptor).size === sizeBytes,
    slice: (start, end) => {
      // Once closed, its descriptor may belong to another file.
      if (descriptor === null || end - start > AT_ONCE_BYTES) return Bun.file(path).slice(start, end)
      const bytes = Buffer.allocUnsafeSlow(end - start)
      const read = readSync(descriptor, bytes, 0, bytes.length, start)
      if (read < bytes.length) throw new Error(`${path} ends ${bytes.length - read} bytes before it should`)
      return bytes
    },
    close: () => {
      if (descriptor !== null) closeSync(descriptor)
      descriptor = null
    },
  }
}

/** Handles an error of the file system. @throws the error, unless it says that there is no such file */
export const nullWhenMissing = (error: unknown): null => {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null
  throw error
}
