import { randomBytes } from 'node:crypto'
import { copyFile, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Begins the name of a copy that is not whole yet. */
const INCOMING = '.incoming-'

/**
 * Moves a file to `place`, within a file system or to another one: there it appears at once and whole, and outlasts a loss of
 * power. A file that stands there is replaced. Where that fails, nothing is left beside it, unless the process is killed.
 */
export const moveFile = async (path: string, place: string): Promise<void> => {
  await flush(path)
  try {
    await rename(path, place)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error
    // Another file system: only a copy gets there, and only a rename there puts it into place at once.
    const copy = join(dirname(place), `${INCOMING}${randomBytes(6).toString('hex')}`)
    try {
      await copyFile(path, copy)
      await flush(copy)
      await rename(copy, place)
    } catch (failure) {
      await rm(copy, { force: true })
      throw failure
    }
    await rm(path)
  }
  await flush(dirname(place))
}

/** Removes what a copy into the folder left behind whose process was killed. */
export const removeIncoming = async (folder: string): Promise<void> => {
  const left = (await readdir(folder)).filter((name) => name.startsWith(INCOMING))
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })))
}

/** Makes a file, or the names in a folder, outlast a loss of power. */
const flush = async (path: string): Promise<void> => {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}
