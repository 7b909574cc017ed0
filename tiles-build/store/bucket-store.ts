import { rm } from 'node:fs/promises'
import { type BucketOptions, openBucket } from '../../core/bucket'
import { archiveDamaged, archiveMissing } from './archive-errors'
import { type ArchiveName, archivePath, archivesNamed } from './archive-name'
import { createIntegrityChecks, type FileVersion } from './integrity'
import type { TileStore } from './tile-store'

export const createBucketStore = (url: string, options: BucketOptions): TileStore => {
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
    if (bytes === null) throw archiveMissing(archive, null)
    return bytes
  }
  const integrity = createIntegrityChecks(read)
  const findVersion = async (archive: ArchiveName): Promise<FileVersion | null> => {
    const file = fileOf(archive)
    const stats = await ask(() => file.stat())
    return stats && { sizeBytes: stats.size, version: `${stats.etag} ${stats.size} ${stats.lastModified.getTime()}` }
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
      const found = await findVersion(archive)
      if (found === null) return null
      if (!(await integrity.check(archive, found))) throw archiveDamaged(archive)
      // A stream, because with the bucket's file as the body Bun would redirect callers to the bucket with a signed URL.
      return { sizeBytes: found.sizeBytes, slice: (start, end) => fileOf(archive).slice(start, end).stream() }
    },
    isWhole: async (archive) => {
      const found = await findVersion(archive)
      return found !== null && integrity.checkFully(archive, found)
    },
    list: async (layer) => {
      const folder = `${layer}/`
      return (await list(folder)).flatMap(({ key, ...stored }) =>
        archivesNamed(layer, [key.slice(folder.length)]).map((archive) => ({ ...archive, ...stored })),
      )
    },
    remove: async (archive) => {
      const file = fileOf(archive)
      integrity.forget(archive)
      await ask(() => file.delete())
    },
  }
}
