import { gzipSync } from 'bun'
import { HEADER_BYTES } from './header'

/** A tile, or `runLength` tiles with consecutive ids and the same bytes. Offsets count from the start of the tile data. */
export interface Entry {
  tileId: number
  offset: number
  length: number
  runLength: number
}

/** The compressed directories of a PMTiles archive. */
export interface Directories {
  root: Uint8Array
  leaves: Uint8Array
  leafCount: number
}

/** The header and the root directory must be within the first 16,384 bytes (PMTiles v3, section 4). */
const MAX_ROOT_BYTES = 16_384 - HEADER_BYTES
const MIN_LEAF_ENTRIES = 4096

/** One directory if it is small enough; otherwise leaf directories, and a root that lists them. */
export const encodeDirectories = (entries: readonly Entry[]): Directories => {
  if (entries.length < MAX_ROOT_BYTES) {
    const root = encodeDirectory(entries)
    if (root.length <= MAX_ROOT_BYTES) return { root, leaves: new Uint8Array(), leafCount: 0 }
  }
  for (let leafEntries = MIN_LEAF_ENTRIES; ; leafEntries *= 2) {
    const rootEntries: Entry[] = []
    const leaves: Uint8Array[] = []
    let offset = 0
    for (let from = 0; from < entries.length; from += leafEntries) {
      const leaf = encodeDirectory(entries.slice(from, from + leafEntries))
      // A run length of 0 marks the entry of a leaf directory.
      rootEntries.push({ tileId: (entries[from] as Entry).tileId, offset, length: leaf.length, runLength: 0 })
      leaves.push(leaf)
      offset += leaf.length
    }
    const root = encodeDirectory(rootEntries)
    if (root.length <= MAX_ROOT_BYTES) return { root, leaves: Buffer.concat(leaves), leafCount: leaves.length }
  }
}

/** A directory (PMTiles v3, section 4.2): the entries' columns one after another, ids as deltas, compressed. */
export const encodeDirectory = (entries: readonly Entry[]): Uint8Array => {
  const bytes: number[] = []
  const write = (value: number): void => {
    for (; value > 0x7f; value = Math.floor(value / 128)) bytes.push((value % 128) | 0x80)
    bytes.push(value)
  }
  write(entries.length)
  let last = 0
  for (const { tileId } of entries) {
    write(tileId - last)
    last = tileId
  }
  for (const { runLength } of entries) write(runLength)
  for (const { length } of entries) write(length)
  let end = -1
  for (const { offset, length } of entries) {
    write(offset === end ? 0 : offset + 1)
    end = offset + length
  }
  return gzipSync(new Uint8Array(bytes), { level: 9 })
}
