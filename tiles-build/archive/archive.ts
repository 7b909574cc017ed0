import { closeSync, openSync } from 'node:fs'
import { readAll, writeAll } from '../../core/files/all-bytes'
import type { Bbox } from '../../core/geometry/bbox'
import { type Entry, encodeDirectories } from './directory'
import { encodeHeader } from './header'

/** Compressed tiles of one zoom with ascending ids, consecutive in a file. */
export interface TileRun {
  file: number
  offsetBytes: number
  tileIds: Float64Array
  lengths: Uint32Array
  /** Two numbers per tile: the 128-bit hash of its content. */
  hashes: BigUint64Array
}

export interface ArchiveFields {
  minZoom: number
  maxZoom: number
  bounds: Bbox
  /** The JSON that PMTiles calls metadata (section 5). */
  metadata: Record<string, unknown>
}

export interface WrittenArchive {
  /** The first 16 hex digits of its SHA-256. */
  hash: string
  sizeBytes: number
  /** Tile ids that have a tile; directory entries; stored tiles. */
  addressedTiles: number
  tileEntries: number
  tileContents: number
}

/** Stays in the cache of a core. With 4 MB, read and written asynchronously, copying took up to three times the processor time (2026-11-27). */
const COPY_BYTES = 256 << 10

/**
 * Writes an archive to `path`: runs in id order, equal tiles once. The same tiles give the same bytes, whatever
 * runs and files they are in. It blocks its thread.
 */
export const writeArchive = (
  path: string,
  files: readonly string[],
  runs: readonly TileRun[],
  { minZoom, maxZoom, bounds, metadata }: ArchiveFields,
): WrittenArchive => {
  const { entries, copies, addressedTiles, tileContents, tileDataLength } = planTileData(runs)
  const { root, leaves } = encodeDirectories(entries)
  const json = Bun.gzipSync(new TextEncoder().encode(JSON.stringify(metadata)), { level: 9 })
  const header = encodeHeader({
    minZoom,
    maxZoom,
    bounds,
    tileDataLength,
    rootDirectoryLength: root.length,
    jsonMetadataLength: json.length,
    leafDirectoryLength: leaves.length,
    numAddressedTiles: addressedTiles,
    numTileEntries: entries.length,
    numTileContents: tileContents,
  })

  const hasher = new Bun.CryptoHasher('sha256')
  const to = openSync(path, 'wx')
  const from = new Map<number, number>()
  let sizeBytes = 0
  try {
    const write = (bytes: Uint8Array) => {
      hasher.update(bytes)
      writeAll(to, bytes)
      sizeBytes += bytes.length
    }
    for (const section of [header, root, json, leaves]) write(section)
    const buffer = new Uint8Array(COPY_BYTES)
    // A thread without work has not created a file.
    for (const file of new Set(copies.map(({ file }) => file))) from.set(file, openSync(files[file] as string, 'r'))
    for (const { file, offsetBytes, sizeBytes } of copies) {
      for (let done = 0; done < sizeBytes; done += COPY_BYTES) {
        const bytes = buffer.subarray(0, Math.min(COPY_BYTES, sizeBytes - done))
        readAll(from.get(file) as number, bytes, offsetBytes + done, files[file] as string)
        write(bytes)
      }
    }
  } finally {
    for (const descriptor of [to, ...from.values()]) closeSync(descriptor)
  }
  const hash = hasher.digest('hex').slice(0, 16)
  return { hash, sizeBytes, addressedTiles, tileEntries: entries.length, tileContents }
}

/** The bytes to store, their order, and the directory entries. */
const planTileData = (runs: readonly TileRun[]) => {
  const entries: Entry[] = []
  const copies: { file: number; offsetBytes: number; sizeBytes: number }[] = []
  const stored = new Map<bigint, number>()
  let [addressedTiles, tileDataLength] = [0, 0]
  for (const run of runs.toSorted((a, b) => (a.tileIds[0] ?? 0) - (b.tileIds[0] ?? 0))) {
    let offsetBytes = run.offsetBytes
    for (let tile = 0; tile < run.tileIds.length; tile++) {
      const [tileId, length] = [run.tileIds[tile] as number, run.lengths[tile] as number]
      const content = ((run.hashes[2 * tile] as bigint) << 64n) | (run.hashes[2 * tile + 1] as bigint)
      addressedTiles++
      let offset = stored.get(content)
      if (offset === undefined) {
        offset = tileDataLength
        stored.set(content, offset)
        tileDataLength += length
        const last = copies.at(-1)
        if (last?.file === run.file && last.offsetBytes + last.sizeBytes === offsetBytes) last.sizeBytes += length
        else copies.push({ file: run.file, offsetBytes, sizeBytes: length })
      }
      const last = entries.at(-1)
      if (last !== undefined && last.offset === offset && last.tileId + last.runLength === tileId) last.runLength++
      else entries.push({ tileId, offset, length, runLength: 1 })
      offsetBytes += length
    }
  }
  return { entries, copies, addressedTiles, tileContents: stored.size, tileDataLength }
}
