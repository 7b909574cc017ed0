import { open } from 'node:fs/promises'
import { PMTiles, SharedPromiseCache } from 'pmtiles'
import { readAll } from '../../core/files/all-bytes'
import type { ArchiveName } from '../store/archive-name'
import type { TileStore } from '../store/tile-store'

/** The published archive, and the version of the record up to which it has every change. */
export interface FormerArchive {
  store: TileStore
  name: ArchiveName
  datasetVersion: number
}

const COPY_BYTES = 4 << 20

/** The file of the published archive, from a bucket as a copy at `path`. Null: it is missing, or its bytes do not match its hash. */
export const takeArchive = async ({ store, name }: FormerArchive, path: string): Promise<string | null> => {
  if (!(await store.isWhole(name))) return null
  const file = store.fileOf(name)
  if (file !== null) return file
  const { sizeBytes } = (await store.find(name)) ?? { sizeBytes: 0 }
  const copy = await open(path, 'wx')
  try {
    for (let at = 0; at < sizeBytes; at += COPY_BYTES) {
      await copy.writeFile(await store.read(name, at, Math.min(at + COPY_BYTES, sizeBytes)))
    }
  } finally {
    await copy.close()
  }
  return path
}

export interface StoredTile {
  tileId: number
  /** From the beginning of the file. */
  offsetBytes: number
  length: number
}

/** All tiles of an archive, in the order of their ids, and its metadata. */
export const readTiles = async (path: string): Promise<{ tiles: StoredTile[]; metadata: Record<string, unknown> }> => {
  const source = {
    getKey: () => path,
    getBytes: async (offset: number, length: number) => ({
      data: await Bun.file(path)
        .slice(offset, offset + length)
        .arrayBuffer(),
    }),
  }
  const cache = new SharedPromiseCache()
  const archive = new PMTiles(source, cache)
  const header = await archive.getHeader()
  const tiles: StoredTile[] = []
  const walk = async (offset: number, length: number): Promise<void> => {
    for (const entry of await cache.getDirectory(source, offset, length, header)) {
      if (entry.runLength === 0) await walk(header.leafDirectoryOffset + entry.offset, entry.length)
      for (let step = 0; step < entry.runLength; step++) {
        const offsetBytes = header.tileDataOffset + entry.offset
        tiles.push({ tileId: entry.tileId + step, offsetBytes, length: entry.length })
      }
    }
  }
  await walk(header.rootDirectoryOffset, header.rootDirectoryLength)
  return { tiles, metadata: (await archive.getMetadata()) as Record<string, unknown> }
}

export const readBytes = (file: number, offsetBytes: number, length: number): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(length)
  readAll(file, bytes, offsetBytes, 'the archive')
  return bytes
}

/** The bytes of a tile, uncompressed. */
export const readTile = (
  file: number,
  { offsetBytes, length }: { offsetBytes: number; length: number },
): Uint8Array<ArrayBuffer> => Bun.gunzipSync(readBytes(file, offsetBytes, length), { library: 'libdeflate' })
