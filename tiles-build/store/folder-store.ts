import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode } from '../../core/error-code'
import { moveFile, removeIncoming } from '../../core/files/move-file'
import { archiveDamaged, archiveMissing } from './archive-errors'
import { type ArchiveName, archivePath, archivesNamed, nameOf } from './archive-name'
import { createIntegrityChecks } from './integrity'
import { nullWhenMissing, type OpenFile, openFile } from './open-file'
import type { TileStore } from './tile-store'

/** How long a file is kept open. The time is short, so that the disk space of a removed archive is soon free. */
const OPEN_MS = 1_000

export const createFolderStore = (folder: string): TileStore => {
  const pathOf = (archive: ArchiveName) => join(folder, archivePath(archive))

  /** A map reads an archive in hundreds of ranges. */
  const opened = new Map<string, OpenFile>()

  const read: TileStore['read'] = async (archive, start, end) => {
    try {
      return await Bun.file(pathOf(archive)).slice(start, end).bytes()
    } catch (error) {
      throw hasCode(error, 'ENOENT', 'ENOTDIR') ? archiveMissing(archive, error) : error
    }
  }
  const integrity = createIntegrityChecks(read)

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
        throw archiveDamaged(archive)
      }
      const isWhole = integrity.check(archive, file)
      return isWhole instanceof Promise ? isWhole.then(decide) : decide(isWhole)
    },
    isWhole: async (archive) => {
      const file = openFile(pathOf(archive))
      file?.close()
      return file !== null && integrity.checkFully(archive, file)
    },
    list: async (layer) => {
      const names = (await readdir(join(folder, layer)).catch(nullWhenMissing)) ?? []
      const found = await Promise.all(archivesNamed(layer, names).map(find))
      return found.filter((archive) => archive !== null)
    },
    remove: async (archive) => {
      opened.delete(nameOf(archive))
      integrity.forget(archive)
      await rm(pathOf(archive), { force: true })
    },
  }
}
