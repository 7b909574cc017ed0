import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type BucketOptions, isBucket, openBucket, type StoredObject } from '../../core/bucket'
import { hasCode } from '../../core/error-code'
import { moveFile, removeIncoming } from '../../core/files/move-file'
import { namingFullDisk } from './disk-full'

/** Nobody has written to a copy for this long: its process was killed. */
const ABANDONED_MS = 60 * 60_000

/**
 * Stores the files of exports in a folder or an S3 bucket. Every method throws ServiceError: `server_unavailable` when a bucket does not
 * answer, `bad_config` when it denies access; `put` also `exports_full` when the disk of a folder is full.
 */
export interface ExportStore {
  /** Moves the file at `path` into the store, atomically; `path` is gone afterwards. */
  put: (name: string, path: string, mediaType: string) => Promise<void>
  /** Bytes from `start` up to but not including `end`, as a response body. Null: there is no such file, or it has another size. */
  open: (name: string, sizeBytes: number) => Promise<((start: number, end: number) => Blob | ReadableStream) | null>
  list: () => Promise<StoredObject[]>
  /** Removing a missing file does nothing. */
  remove: (name: string) => Promise<void>
}

/** Opens the store at `EXPORTS_URL`. `options` as in `openBucket`. */
export const createExportStore = (url: string, options: BucketOptions = {}): ExportStore =>
  isBucket(url) ? createBucketStore(url, options) : createFolderStore(url)

const createFolderStore = (folder: string): ExportStore => ({
  put: (name, path) =>
    namingFullDisk(async () => {
      await mkdir(folder, { recursive: true })
      await moveFile(path, join(folder, name))
    }),
  open: async (name, sizeBytes) => {
    const file = Bun.file(join(folder, name))
    return (await file.exists()) && file.size === sizeBytes ? (start, end) => file.slice(start, end) : null
  },
  list: async () => {
    try {
      await removeIncoming(folder, { youngestMs: ABANDONED_MS })
      const names = await readdir(folder)
      return (await Promise.all(names.map((name) => findStored(folder, name)))).filter((file) => file !== null)
    } catch (error) {
      // There is no folder yet.
      if (hasCode(error, 'ENOENT')) return []
      throw error
    }
  },
  remove: (name) => rm(join(folder, name), { force: true }),
})

/** Null: another process has removed it. */
const findStored = async (folder: string, key: string): Promise<StoredObject | null> => {
  try {
    const { size, mtime } = await stat(join(folder, key))
    return { key, sizeBytes: size, storedAt: mtime }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

const createBucketStore = (url: string, options: BucketOptions): ExportStore => {
  const { file, ask, list } = openBucket(url, 'the store of exports', options)
  return {
    put: async (name, path, type) => {
      const object = file(name)
      // A bucket shows an object only once it is complete.
      const source = Bun.file(path)
      await ask(() => object.write(source, { type }), source.size)
      await rm(path)
    },
    open: async (name, sizeBytes) => {
      const stats = await ask(() => file(name).stat())
      // A stream, because with the bucket's file as the body Bun would redirect callers to the bucket with a signed URL.
      return stats?.size === sizeBytes ? (start, end) => file(name).slice(start, end).stream() : null
    },
    list: () => list(''),
    remove: async (name) => {
      await ask(() => file(name).delete())
    },
  }
}
