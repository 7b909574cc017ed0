import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type BucketOptions, hasCode, isBucket, openBucket } from '../../core/bucket'
import { moveFile, removeIncoming } from '../../core/files/move-file'
import { ServiceError } from '../../core/service-error'

/** The name of an archive. It identifies the bytes: `hash` is the beginning of their SHA-256. */
export interface ArchiveName {
  layer: string
  /** 16 lower-case hex digits. */
  hash: string
}

export interface StoredArchive extends ArchiveName {
  sizeBytes: number
  storedAt: Date
}

export interface OpenArchive {
  sizeBytes: number
  /** Bytes from `start` up to but not including `end`, as a response body. */
  slice: (start: number, end: number) => Uint8Array<ArrayBuffer> | Blob | ReadableStream
}

/**
 * Stores tile archives, each as `<layer>/<hash>.pmtiles`, in a folder or an S3 bucket. Archives never change; they are
 * stored, read and removed. Every method throws ServiceError: `bad_input` for an invalid name,
 * `server_unavailable` when a bucket does not answer, `bad_config` when it denies access.
 */
export interface TileStore {
  /** The folder or the bucket, for messages. */
  readonly location: string
  /**
   * Moves the file at `path` into the store, atomically; `path` is gone afterwards.
   * An existing archive with that name is the same one. One caller at a time per layer.
   */
  put: (archive: ArchiveName, path: string) => Promise<void>
  /** Null: there is no such archive. */
  find: (archive: ArchiveName) => Promise<StoredArchive | null>
  /**
   * Bytes from `start` up to but not including `end`; fewer at the archive's end.
   *
   * @throws ServiceError `not_found`
   */
  read: (archive: ArchiveName, start: number, end: number) => Promise<Uint8Array>
  /**
   * Opens an archive for responses without loading it into memory; synchronously if possible. Null: there is no such archive.
   *
   * @throws ServiceError `archive_damaged` when its bytes do not match its hash. All bytes are read once, and again when
   *   the file looks different; its size is checked each time.
   */
  open: (archive: ArchiveName) => OpenArchive | null | Promise<OpenArchive | null>
  /** The archive's file; null in a bucket. */
  fileOf: (archive: ArchiveName) => string | null
  /** Whether the archive exists and its bytes match its hash. Reads all bytes the first time. */
  isWhole: (archive: ArchiveName) => Promise<boolean>
  /** The archives of a layer, in no particular order. */
  list: (layer: string) => Promise<StoredArchive[]>
  /** Removing a missing archive does nothing. */
  remove: (archive: ArchiveName) => Promise<void>
}

/**
 * Opens the store at `TILES_URL`: a folder, or `s3://bucket/prefix`. A bucket's endpoint, region
 * and credentials come from `options`, else from the environment, under the usual names (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL`, ...).
 */
export const createTileStore = (url: string, options: BucketOptions = {}): TileStore =>
  isBucket(url) ? createBucketStore(url, options) : createFolderStore(url)

/** One folder of the store: a short word that cannot lead elsewhere. */
const LAYER = /^[a-z][a-z0-9_-]{0,62}$/
const HASH = /^[0-9a-f]{16}$/
const FILE = /^([0-9a-f]{16})\.pmtiles$/

/** Whether a layer can have this name. `/tiles/manifest.json` is the manifest. */
export const isLayerName = (name: string): boolean => LAYER.test(name) && name !== 'manifest'

export const isArchiveName = ({ layer, hash }: ArchiveName): boolean => LAYER.test(layer) && HASH.test(hash)

/** @throws ServiceError `bad_input` */
const archivePath = (archive: ArchiveName): string => {
  if (!isArchiveName(archive)) {
    throw new ServiceError('bad_input', `no archive is called ${JSON.stringify(`${archive.layer}/${archive.hash}`)}`)
  }
  return `${archive.layer}/${archive.hash}.pmtiles`
}

const notThere = (archive: ArchiveName, cause: unknown) =>
  new ServiceError('not_found', `there is no tile archive ${archive.layer}/${archive.hash}`, { cause })

const damaged = ({ layer, hash }: ArchiveName) =>
  new ServiceError('archive_damaged', `the tile archive ${layer}/${hash} is damaged and must be rebuilt, try later`)

const nullWhenMissing = (error: unknown): null => {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null
  throw error
}

/** How long a file is kept open. The time is short, so that the disk space of a removed archive is soon free. */
const OPEN_MS = 1_000

/**
 * A range up to this size is read synchronously, as nginx does by default (`aio off`): the directories and tiles that maps read are a
 * few kilobytes, mostly in the page cache. Passing each to another thread, which reopens the file, more than doubles the CPU time of a
 * request (bench tile-ranges, 2026-11-21). Bun streams larger ranges.
 */
const AT_ONCE_BYTES = 64 * 1024

const createFolderStore = (folder: string): TileStore => {
  const pathOf = (archive: ArchiveName) => join(folder, archivePath(archive))

  /** A map reads an archive in hundreds of ranges. */
  const opened = new Map<string, OpenFile>()

  const read: TileStore['read'] = async (archive, start, end) => {
    try {
      return await Bun.file(pathOf(archive)).slice(start, end).bytes()
    } catch (error) {
      throw hasCode(error, 'ENOENT', 'ENOTDIR') ? notThere(archive, error) : error
    }
  }
  const verdicts = createVerdicts(read)

  const keepOpen = (name: string, file: OpenFile): OpenFile => {
    opened.get(name)?.close()
    opened.set(name, file)
    setTimeout(() => {
      if (opened.get(name) === file) opened.delete(name)
      file.close()
    }, OPEN_MS).unref()
    return file
  }

  const find: TileStore['find'] = async (archive) => {
    const stats = await stat(pathOf(archive)).catch(nullWhenMissing)
    return stats?.isFile() ? { ...archive, sizeBytes: stats.size, storedAt: stats.mtime } : null
  }

  return {
    location: folder,
    find,
    fileOf: pathOf,
    put: async (archive, path) => {
      const place = pathOf(archive)
      await mkdir(dirname(place), { recursive: true })
      await removeIncoming(dirname(place))
      await moveFile(path, place)
    },
    read,
    open: (archive) => {
      const name = nameOf(archive)
      const known = opened.get(name)
      if (known?.hasItsSize()) return known
      const file = openFile(pathOf(archive))
      if (file === null) return null
      const decide = (isWhole: boolean): OpenFile => {
        if (isWhole) return keepOpen(name, file)
        file.close()
        throw damaged(archive)
      }
      const isWhole = verdicts.judge(archive, file)
      return isWhole instanceof Promise ? isWhole.then(decide) : decide(isWhole)
    },
    isWhole: async (archive) => {
      const file = openFile(pathOf(archive))
      file?.close()
      return file !== null && verdicts.judgeFully(archive, file)
    },
    list: async (layer) => {
      const names = (await readdir(join(folder, layer)).catch(nullWhenMissing)) ?? []
      const found = await Promise.all(archivesNamed(layer, names).map(find))
      return found.filter((archive) => archive !== null)
    },
    remove: async (archive) => {
      opened.delete(nameOf(archive))
      verdicts.forget(archive)
      await rm(pathOf(archive), { force: true })
    },
  }
}

type OpenFile = OpenArchive & Look & { hasItsSize: () => boolean; close: () => void }

const openFile = (path: string): OpenFile | null => {
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
    look: `${stats.ino} ${stats.size} ${stats.mtimeMs}`,
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

const nameOf = ({ layer, hash }: ArchiveName): string => `${layer}/${hash}`

/** A file's attributes. While they stay the same, its bytes are assumed to be the same. */
interface Look {
  sizeBytes: number
  look: string
}

/**
 * Callers wait while an archive up to this size is read and hashed, a few tenths of a second. A larger one is served while it is
 * checked.
 */
const MAX_AWAITED_BYTES = 256 * 1024 ** 2
const PIECE_BYTES = 2 * 1024 ** 2

/** The hash of an archive's bytes. */
export const hashArchive = async (
  read: TileStore['read'],
  archive: ArchiveName,
  sizeBytes: number,
): Promise<string> => {
  const hash = new Bun.CryptoHasher('sha256')
  for (let at = 0; at < sizeBytes; at += PIECE_BYTES) {
    hash.update(await read(archive, at, Math.min(at + PIECE_BYTES, sizeBytes)))
  }
  return hash.digest('hex').slice(0, archive.hash.length)
}

/** The length of a PMTiles header, which has the offset and length of the tile data at the end of the file (PMTiles v3, section 3). */
const HEADER_BYTES = 127
const [TILE_DATA_OFFSET, TILE_DATA_LENGTH] = [56, 64]

const sizeByHeader = (header: Uint8Array): number => {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength)
  return Number(view.getBigUint64(TILE_DATA_OFFSET, true) + view.getBigUint64(TILE_DATA_LENGTH, true))
}

/** Whether archives are intact, remembered while they look the same. */
const createVerdicts = (read: TileStore['read']) => {
  const known = new Map<string, { look: string; isWhole: boolean | Promise<boolean> }>()

  const judgeFully = (archive: ArchiveName, { look, sizeBytes }: Look): boolean | Promise<boolean> => {
    const name = nameOf(archive)
    const before = known.get(name)
    if (before?.look === look) return before.isWhole
    const isWhole = hashArchive(read, archive, sizeBytes).then((hash) => hash === archive.hash)
    const verdict = { look, isWhole: isWhole as boolean | Promise<boolean> }
    known.set(name, verdict)
    isWhole.then(
      (found) => {
        verdict.isWhole = found
      },
      () => {
        // It could not be read. The next call tries again.
        if (known.get(name) === verdict) known.delete(name)
      },
    )
    return isWhole
  }

  return {
    judgeFully,
    /** The verdict, if it is ready soon enough for a caller. */
    judge(archive: ArchiveName, from: Look): boolean | Promise<boolean> {
      const isWhole = judgeFully(archive, from)
      if (!(isWhole instanceof Promise) || from.sizeBytes <= MAX_AWAITED_BYTES) return isWhole
      return read(archive, 0, HEADER_BYTES).then((header) => sizeByHeader(header) === from.sizeBytes)
    },
    forget: (archive: ArchiveName) => {
      known.delete(nameOf(archive))
    },
  }
}

const archivesNamed = (layer: string, fileNames: string[]): ArchiveName[] =>
  fileNames.flatMap((name) => {
    const hash = FILE.exec(name)?.[1]
    return hash === undefined ? [] : [{ layer, hash }]
  })

const createBucketStore = (url: string, options: BucketOptions): TileStore => {
  const { file, ask, list } = openBucket(url, 'the tile store', options)
  const fileOf = (archive: ArchiveName) => file(archivePath(archive))

  const find: TileStore['find'] = async (archive) => {
    const file = fileOf(archive)
    const stats = await ask(() => file.stat())
    return stats === null ? null : { ...archive, sizeBytes: stats.size, storedAt: stats.lastModified }
  }

  const read: TileStore['read'] = async (archive, start, end) => {
    const file = fileOf(archive)
    const bytes = await ask(() => file.slice(start, end).bytes())
    if (bytes === null) throw notThere(archive, null)
    return bytes
  }
  const verdicts = createVerdicts(read)
  const lookAt = async (archive: ArchiveName): Promise<Look | null> => {
    const file = fileOf(archive)
    const stats = await ask(() => file.stat())
    return stats && { sizeBytes: stats.size, look: `${stats.etag} ${stats.size} ${stats.lastModified.getTime()}` }
  }

  return {
    location: url,
    find,
    fileOf: () => null,
    put: async (archive, path) => {
      const file = fileOf(archive)
      // A bucket shows an object only once it is complete.
      const source = Bun.file(path)
      await ask(() => file.write(source, { type: 'application/vnd.pmtiles' }), source.size)
      await rm(path)
    },
    read,
    open: async (archive) => {
      const found = await lookAt(archive)
      if (found === null) return null
      if (!(await verdicts.judge(archive, found))) throw damaged(archive)
      // A stream, because with the bucket's file as the body Bun would redirect callers to the bucket with a signed URL.
      return { sizeBytes: found.sizeBytes, slice: (start, end) => fileOf(archive).slice(start, end).stream() }
    },
    isWhole: async (archive) => {
      const found = await lookAt(archive)
      return found !== null && verdicts.judgeFully(archive, found)
    },
    list: async (layer) => {
      const folder = `${layer}/`
      return (await list(folder)).flatMap(({ key, ...stored }) =>
        archivesNamed(layer, [key.slice(folder.length)]).map((archive) => ({ ...archive, ...stored })),
      )
    },
    remove: async (archive) => {
      const file = fileOf(archive)
      verdicts.forget(archive)
      await ask(() => file.delete())
    },
  }
}
