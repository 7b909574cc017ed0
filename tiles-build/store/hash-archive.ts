import type { ArchiveName } from './archive-name'
import type { TileStore } from './tile-store'

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
