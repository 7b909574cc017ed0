import { closeSync, openSync } from 'node:fs'
import type { TileRun } from '../archive/archive'
import { readBytes, type StoredTile } from './former-archive'

/**
 * Tiles that are copied from an archive, as runs that no patched tile interrupts. `kept` is in the order of the ids. `path`: the archive,
 * which has the index `file` in the list of all tile files.
 */
export const keepTiles = (
  path: string,
  file: number,
  kept: Iterable<StoredTile>,
  patched: readonly TileRun[],
): TileRun[] => {
  // Equal tiles of an archive are stored once, so the place of a kept tile identifies its content. Only patched tiles of the same length can
  // have the same content.
  const patchedLengths = new Set(patched.map(({ lengths }) => lengths[0]))
  const patchedIds = patched.map(({ tileIds }) => tileIds[0] as number).sort((a, b) => a - b)
  const archive = openSync(path, 'r')
  const hashesOf = (tiles: readonly StoredTile[]): BigUint64Array => {
    const hashes = new BigUint64Array(2 * tiles.length)
    for (const [tile, { offsetBytes, length }] of tiles.entries()) {
      if (patchedLengths.has(length)) {
        const bytes = readBytes(archive, offsetBytes, length)
        hashes[2 * tile] = Bun.hash.xxHash3(bytes)
        hashes[2 * tile + 1] = Bun.hash.wyhash(bytes)
      } else hashes[2 * tile] = BigInt(offsetBytes)
    }
    return hashes
  }
  const toRun = (tiles: readonly StoredTile[]): TileRun => ({
    file,
    offsetBytes: (tiles[0] as StoredTile).offsetBytes,
    tileIds: Float64Array.from(tiles, ({ tileId }) => tileId),
    lengths: Uint32Array.from(tiles, ({ length }) => length),
    hashes: hashesOf(tiles),
  })
  try {
    return Array.from(listUninterrupted(kept, patchedIds), toRun)
  } finally {
    closeSync(archive)
  }
}

/** Groups tiles that are consecutive in their file and have no id of `patchedIds` between theirs. */
function* listUninterrupted(kept: Iterable<StoredTile>, patchedIds: readonly number[]) {
  let group: StoredTile[] = []
  let next = 0
  for (const tile of kept) {
    const last = group.at(-1)
    const isNext = last !== undefined && last.offsetBytes + last.length === tile.offsetBytes
    const isInterrupted = (patchedIds[next] ?? Infinity) < tile.tileId
    while ((patchedIds[next] ?? Infinity) < tile.tileId) next++
    if (group.length > 0 && (!isNext || isInterrupted)) {
      yield group
      group = []
    }
    group.push(tile)
  }
  if (group.length > 0) yield group
}
