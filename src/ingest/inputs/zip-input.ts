import { createWriteStream, mkdtempSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import type { Input } from '../formats/format'
import { UnreadableFile } from '../rows/unreadable-file'
import { openFolder } from './folder-input'
import { readHead } from './read-head'

/** Maximum size of all members together, decompressed. The largest states have about 10 GB. */
const MAX_BYTES = 64 * 1024 ** 3
/** Deflate cannot exceed 1,032. Tables of mostly empty columns reach about 200. */
const MAX_RATIO = 400
/** Members up to this size may have any ratio. */
const MIN_SUSPECT_BYTES = 16 * 1024 ** 2
const MAX_MEMBERS = 1_000

/** An archive. Members are read in place; nothing is unpacked unless a format needs a file on disk. */
export interface Zip extends AsyncDisposable {
  members: Input[]
  /** File geodatabases, which are folders. Only their names and `gdalPath` are used. */
  geodatabases: Input[]
}

export const isZip = (head: Uint8Array): boolean =>
  head[0] === 0x50 && head[1] === 0x4b && ((head[2] === 3 && head[3] === 4) || (head[2] === 5 && head[3] === 6))

/**
 * Sizes and checksums are compared with those of the archive's directory, so a zip bomb is refused before it is unpacked, and a damaged
 * member when its end is read.
 *
 * @throws UnreadableFile
 */
export const openZip = async (path: string, onBytes: (bytes: number) => void = () => {}): Promise<Zip> => {
  const name = basename(path)
  const zip = await openDirectory(path, name)
  const entries: Entry[] = []
  try {
    for await (const entry of zip.eachEntry()) {
      entries.push(entry)
      if (entries.length > MAX_MEMBERS) throw new UnreadableFile(`${name} has more than ${MAX_MEMBERS} members`)
    }
    expectBound(name, entries, statSync(path).size)
  } catch (error) {
    zip.close()
    throw error instanceof UnreadableFile ? error : damaged(name, error)
  }
  let folder: string | null = null
  /** Compressed bytes read of each member. */
  const read = new Map<Entry, number>()
  const report = (entry: Entry, share: number) => {
    read.set(entry, Math.max(read.get(entry) ?? 0, entry.compressedSize * share))
    onBytes([...read.values()].reduce((sum, bytes) => sum + bytes, 0))
  }

  const toInput = async (entry: Entry): Promise<Input> => {
    const label = `${name}/${entry.fileName}`
    const content = () => readEntry(zip, entry, label, (share) => report(entry, share))
    return {
      name: label,
      head: await readHead(content()),
      sizeBytes: entry.uncompressedSize,
      read: content,
      beside: async (extension) => {
        const wanted = `${entry.fileName.slice(0, -extname(entry.fileName).length)}.${extension}`.toLowerCase()
        const found = entries.find(({ fileName }) => fileName.toLowerCase() === wanted)
        return found === undefined ? null : await toInput(found)
      },
      gdalPath: gdalPathOf(path, entry.fileName),
      path: async () => {
        folder ??= mkdtempSync(join(tmpdir(), 'parcel-zip-'))
        const unpacked = join(folder, `${entries.indexOf(entry)}${extname(entry.fileName)}`)
        await pipeline(content(), createWriteStream(unpacked))
        return unpacked
      },
    }
  }

  const table = entries.find(({ fileName }) => GEODATABASE_TABLE.test(fileName) && !GEODATABASE.test(fileName))
  if (table !== undefined) {
    zip.close()
    throw new UnreadableFile(
      `${name} has the files of a file geodatabase (${table.fileName}) without their folder: zip the folder itself, whose name ends with .gdb`,
    )
  }
  const members: Input[] = []
  for (const entry of entries) if (!isFurniture(entry.fileName)) members.push(await toInput(entry))
  const folders = new Set(entries.flatMap(({ fileName }) => GEODATABASE.exec(fileName)?.[0] ?? []))
  return {
    members,
    geodatabases: [...folders].map((member) => openFolder(`${name}/${member}`, gdalPathOf(path, member))),
    [Symbol.asyncDispose]: async () => {
      zip.close()
      if (folder !== null) await rm(folder, { recursive: true, force: true })
    },
  }
}

/** https://gdal.org/user/virtual_file_systems.html#vsizip-zip-archives */
const gdalPathOf = (archive: string, member: string): string => `/vsizip/{${archive}}/${member}`

const GEODATABASE = /^.*?\.gdb(?=\/)/i

const GEODATABASE_TABLE = /\.gdbtable$/i

/** Folders, and what macOS adds. */
const isFurniture = (fileName: string): boolean =>
  fileName.endsWith('/') ||
  GEODATABASE.test(fileName) ||
  fileName.startsWith('__MACOSX/') ||
  basename(fileName).startsWith('.')

const openDirectory = (path: string, name: string): Promise<ZipFile> =>
  yauzl.openPromise(path, { autoClose: false }).catch((error: unknown) => {
    throw damaged(name, error)
  })

/** yauzl refuses members outside of the archive, such as `../x`. */
const OUTSIDE = /^(?:invalid relative path|absolute path|invalid characters in fileName): (.*)$/s

const METHOD = /^unsupported compression method: (\d+)$/

const damaged = (name: string, cause: unknown) => {
  const outside = cause instanceof Error ? OUTSIDE.exec(cause.message)?.[1] : undefined
  if (outside !== undefined) {
    return new UnreadableFile(`${name} has the member "${outside}", whose path leads out of the archive`, { cause })
  }
  const method = cause instanceof Error ? METHOD.exec(cause.message)?.[1] : undefined
  if (method !== undefined) {
    return new UnreadableFile(
      `${name} is compressed by method ${method}: only stored and deflated members can be read. Compress the files again`,
      { cause },
    )
  }
  return new UnreadableFile(
    `${name} is not a complete zip: ${String(cause instanceof Error ? cause.message : cause).replace(/\.+$/, '')}. Was the download cut off?`,
    { cause },
  )
}

/** @throws UnreadableFile for an archive that would be too large when unpacked */
const expectBound = (name: string, entries: readonly Entry[], sizeBytes: number): void => {
  const packed = entries.reduce((sum, { compressedSize }) => sum + compressedSize, 0)
  if (packed > sizeBytes) throw new UnreadableFile(`${name} has members that share their bytes: it is a zip bomb`)
  const total = entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0)
  if (total > MAX_BYTES) throw new UnreadableFile(`${name} unpacks to ${total} bytes, more than ${MAX_BYTES}`)
  for (const { fileName, uncompressedSize, compressedSize } of entries) {
    const ratio = uncompressedSize / Math.max(compressedSize, 1)
    if (uncompressedSize > MIN_SUSPECT_BYTES && ratio > MAX_RATIO) {
      throw new UnreadableFile(
        `${name}/${fileName} unpacks to ${Math.round(ratio)} times its size, more than ${MAX_RATIO}: it is a zip bomb, or empty`,
      )
    }
  }
}

async function* readEntry(
  zip: ZipFile,
  entry: Entry,
  label: string,
  report: (share: number) => void,
): AsyncGenerator<Uint8Array> {
  if (entry.isEncrypted()) throw new UnreadableFile(`${label} is encrypted`)
  let checksum = 0
  let bytes = 0
  try {
    const stream = await zip.openReadStreamPromise(entry)
    try {
      for await (const chunk of stream as AsyncIterable<Uint8Array>) {
        checksum = crc32(chunk, checksum)
        bytes += chunk.length
        report(bytes / Math.max(entry.uncompressedSize, 1))
        yield chunk
      }
    } finally {
      stream.destroy()
    }
  } catch (error) {
    throw error instanceof UnreadableFile ? error : damaged(label, error)
  }
  if (checksum !== entry.crc32) throw new UnreadableFile(`${label} is damaged: its checksum does not match`)
}
