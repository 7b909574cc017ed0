import { randomBytes } from 'node:crypto'
import { copyFile, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode } from '../error-code'
import { removeOld } from './remove-old'

/** Name prefix of an incomplete copy. */
const INCOMING = '.incoming-'

/**
 * Moves a file to `place` atomically, even to another file system, and makes it survive a power loss. Replaces an existing file. A
 * failed move leaves nothing behind, unless the process is killed.
 */
export const moveFile = async (path: string, place: string): Promise<void> => {
  await flush(path)
  try {
    await rename(path, place)
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error
    // Another file system: copy the file there first, then rename the copy, which is atomic.
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

/**
 * Removes incomplete copies that a killed process left in the folder. `youngestMs`: copies that were written to since then stay, because
 * another process may be writing them.
 */
export const removeIncoming = (folder: string, { youngestMs = 0 } = {}): Promise<void> =>
  removeOld(folder, youngestMs, (name) => name.startsWith(INCOMING))

/** Makes a file, or the entries of a folder, survive a power loss. */
const flush = async (path: string): Promise<void> => {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}
