import { HEADER_BYTES, sizeByHeader } from '../archive/header'
import { type ArchiveName, nameOf } from './archive-name'
import { hashArchive } from './hash-archive'
import type { TileStore } from './tile-store'

/** `version`: a file's attributes. While they stay the same, its bytes are assumed to be the same. */
export interface FileVersion {
  sizeBytes: number
  version: string
}

/**
 * Callers wait while an archive up to this size is read and hashed, a few tenths of a second. A larger one is served while it is
 * checked.
 */
const MAX_AWAITED_BYTES = 256 * 1024 ** 2

/** Checks whether the bytes of archives match their hashes. Remembers the answers as long as the files stay the same. */
export const createIntegrityChecks = (read: TileStore['read']) => {
  const known = new Map<string, { version: string; isWhole: boolean | Promise<boolean> }>()

  const checkFully = (archive: ArchiveName, { version, sizeBytes }: FileVersion): boolean | Promise<boolean> => {
    const name = nameOf(archive)
    const before = known.get(name)
    if (before?.version === version) return before.isWhole
    const isWhole = hashArchive(read, archive, sizeBytes).then((hash) => hash === archive.hash)
    const check = { version, isWhole: isWhole as boolean | Promise<boolean> }
    known.set(name, check)
    isWhole.then(
      (found) => {
        check.isWhole = found
      },
      () => {
        // It could not be read. The next call tries again.
        if (known.get(name) === check) known.delete(name)
      },
    )
    return isWhole
  }

  return {
    checkFully,
    /** The answer, if it is ready soon enough for a caller. For a large archive: whether its size is right. */
    check(archive: ArchiveName, file: FileVersion): boolean | Promise<boolean> {
      const isWhole = checkFully(archive, file)
      if (!(isWhole instanceof Promise) || file.sizeBytes <= MAX_AWAITED_BYTES) return isWhole
      return read(archive, 0, HEADER_BYTES).then((header) => sizeByHeader(header) === file.sizeBytes)
    },
    forget: (archive: ArchiveName) => {
      known.delete(nameOf(archive))
    },
  }
}
