import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ServiceError } from '../../core/service-error'
import { moveFile, removeIncoming } from '../publish/move-file'

/** An archive by name. Whoever knows the name knows the bytes: `hash` is the beginning of their SHA-256. */
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
  /** Bytes `start` up to and without `end`, as the body of an answer. */
  slice: (start: number, end: number) => Uint8Array<ArrayBuffer> | Blob | ReadableStream
}

/**
 * Where tile archives lie, each as `<layer>/<hash>.pmtiles`: a folder or an S3 bucket. What is there never changes; it is
 * put, read and removed. Every method throws ServiceError: `bad_input` for a name that could mean any other file,
 * `server_unavailable` when a bucket does not answer, `bad_config` when it does not let us in.
 */
export interface TileStore {
  /** The folder or the bucket, for people. */
  readonly location: string
  /**
   * Moves the file at `path` to its place: afterwards the archive is there whole, whatever happens, and `path` is gone.
   * An archive of that name that is there already is the same one. One caller at a time for each layer.
   */
  put: (archive: ArchiveName, path: string) => Promise<void>
  /** Null: there is no such archive. */
  find: (archive: ArchiveName) => Promise<StoredArchive | null>
  /**
   * Bytes `start` up to and without `end`; fewer at the archive's end.
   *
   * @throws ServiceError `not_found`
   */
  read: (archive: ArchiveName, start: number, end: number) => Promise<Uint8Array>
  /**
   * For answers, which carry nothing large through memory; at once where it can be. Null: there is no such archive.
   *
   * @throws ServiceError `archive_damaged` when its bytes are not those that its name was made of. They are all read once, and again when
   *   the file looks different; its size is looked at each time.
   */
  open: (archive: ArchiveName) => OpenArchive | null | Promise<OpenArchive | null>
  /** Whether the archive is there and its bytes are those that its name was made of. Reads them all the first time. */
  isWhole: (archive: ArchiveName) => Promise<boolean>
  /** Archives of a layer, in no order. */
  list: (layer: string) => Promise<StoredArchive[]>
  /** An archive that is not there is removed already. */
  remove: (archive: ArchiveName) => Promise<void>
}

/**
 * `url` as `TILES_URL` gives it: a folder, or `s3://bucket/prefix`. What `options` leaves out of a bucket's endpoint, region
 * and credentials comes from the environment, by the usual names (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL`, ...).
 */
export const createTileStore = (url: string, options: Bun.S3Options = {}): TileStore =>
  url.startsWith('s3://') ? createBucketStore(url, options) : createFolderStore(url)

/** One folder of the store: a short word, and never one that leads elsewhere. */
const LAYER = /^[a-z][a-z0-9_-]{0,62}$/
const HASH = /^[0-9a-f]{16}$/
const FILE = /^([0-9a-f]{16})\.pmtiles$/

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
  new ServiceError(
    'archive_damaged',
    `the tile archive ${layer}/${hash} is damaged and has to be built again, try later`,
  )

const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

const nullWhenMissing = (error: unknown): null => {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null
  throw error
}

/** A file is held open this long: what was removed is soon told to be gone, and its place on the disk is free again. */
const OPEN_MS = 1_000

/**
 * A range of at most this is read in the turn that asks for it, as nginx does by default (`aio off`): the directories and tiles
 * that maps read are some kilobytes, mostly in the page cache, and handing each to another thread, which opens the file anew,
 * costs more than twice the whole of the rest (bench tile-ranges, 2026-11-21). What is larger is streamed by Bun.
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
      return file !== null && verdicts.judgeToTheEnd(archive, file)
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
      // Closed, its number may be another file's.
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

/** An archive from outside: as long as `look` is the same, its bytes are taken to be the same. */
interface Look {
  sizeBytes: number
  look: string
}

/** Callers wait until so much is read and hashed, which takes some tenths of a second. A larger archive is served meanwhile. */
const MOST_AWAITED_BYTES = 256 * 1024 ** 2
const PIECE_BYTES = 2 * 1024 ** 2

/** The name that the bytes of an archive would get. */
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

/** What a PMTiles header is long, and where it tells the tile data's offset and length: they end the file (PMTiles v3, section 3). */
const HEADER_BYTES = 127
const [TILE_DATA_OFFSET, TILE_DATA_LENGTH] = [56, 64]

const sizeByHeader = (header: Uint8Array): number => {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength)
  return Number(view.getBigUint64(TILE_DATA_OFFSET, true) + view.getBigUint64(TILE_DATA_LENGTH, true))
}

/** Whether archives are whole, remembered for as long as they look the same. */
const createVerdicts = (read: TileStore['read']) => {
  const known = new Map<string, { look: string; isWhole: boolean | Promise<boolean> }>()

  const judgeToTheEnd = (archive: ArchiveName, { look, sizeBytes }: Look): boolean | Promise<boolean> => {
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
        // It could not be read: the next one tries again.
        if (known.get(name) === verdict) known.delete(name)
      },
    )
    return isWhole
  }

  return {
    judgeToTheEnd,
    /** As far as a caller can wait for it. */
    judge(archive: ArchiveName, from: Look): boolean | Promise<boolean> {
      const isWhole = judgeToTheEnd(archive, from)
      if (!(isWhole instanceof Promise) || from.sizeBytes <= MOST_AWAITED_BYTES) return isWhole
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

/** What a bucket says to someone it does not know, and Bun to someone who has not said who they are. */
const REFUSALS = [
  'AccessDenied',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'NoSuchBucket',
  'ERR_S3_MISSING_CREDENTIALS',
  'ERR_S3_INVALID_ENDPOINT',
]

const createBucketStore = (url: string, options: Bun.S3Options): TileStore => {
  const [bucket = '', ...folders] = url.slice('s3://'.length).replace(/\/+$/, '').split('/')
  const prefix = folders.map((folder) => `${folder}/`).join('')
  const client = new Bun.S3Client({ ...options, bucket })
  const fileOf = (archive: ArchiveName) => client.file(`${prefix}${archivePath(archive)}`)

  /** The bucket's own errors as the store's; null for an archive that is not there. */
  const ask = async <Answer>(question: () => Promise<Answer>): Promise<Answer | null> => {
    try {
      return await question()
    } catch (error) {
      if (hasCode(error, 'NoSuchKey', 'NotFound')) return null
      if (hasCode(error, ...REFUSALS)) {
        throw new ServiceError('bad_config', `${url} cannot be used: ${(error as Error).message}`, { cause: error })
      }
      if (!(error instanceof Error && error.name === 'S3Error')) throw error
      throw new ServiceError('server_unavailable', 'the store of tile archives is away, try again shortly', {
        cause: error,
      })
    }
  }

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
    put: async (archive, path) => {
      const file = fileOf(archive)
      // A bucket shows an object only once all of it is there.
      await ask(() => file.write(Bun.file(path), { type: 'application/vnd.pmtiles' }))
      await rm(path)
    },
    read,
    open: async (archive) => {
      const found = await lookAt(archive)
      if (found === null) return null
      if (!(await verdicts.judge(archive, found))) throw damaged(archive)
      // As a stream: a bucket's file as a body would send callers to the bucket itself, with a signed address.
      return { sizeBytes: found.sizeBytes, slice: (start, end) => fileOf(archive).slice(start, end).stream() }
    },
    isWhole: async (archive) => {
      const found = await lookAt(archive)
      return found !== null && verdicts.judgeToTheEnd(archive, found)
    },
    list: async (layer) => {
      const archives: StoredArchive[] = []
      const folder = `${prefix}${layer}/`
      let continuationToken: string | undefined
      do {
        const after = continuationToken
        const page = await ask(() =>
          client.list({ prefix: folder, ...(after === undefined ? {} : { continuationToken: after }) }),
        )
        for (const { key, size, lastModified } of page?.contents ?? []) {
          const [archive] = archivesNamed(layer, [key.slice(folder.length)])
          if (archive === undefined) continue
          archives.push({ ...archive, sizeBytes: size ?? 0, storedAt: new Date(lastModified ?? 0) })
        }
        continuationToken = page?.nextContinuationToken
      } while (continuationToken !== undefined)
      return archives
    },
    remove: async (archive) => {
      const file = fileOf(archive)
      verdicts.forget(archive)
      await ask(() => file.delete())
    },
  }
}
