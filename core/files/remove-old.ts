import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { runEach } from '../concurrency/run-each'
import { hasCode } from '../error-code'

/**
 * Removes what killed processes left in a folder: the files and folders with a name of `isLeftover` that were last written to `ageMs` ago
 * or earlier. Another process may still be writing younger ones. There may be no such folder.
 *
 * @throws the first error, after all of them
 */
export const removeOld = async (
  folder: string,
  ageMs: number,
  isLeftover: (name: string) => boolean = () => true,
): Promise<void> => {
  const names = await readdir(folder).catch((error) => {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  })
  await runEach(names.filter(isLeftover), async (name) => {
    const path = join(folder, name)
    // Another process may have removed it.
    const stats = await stat(path).catch(() => null)
    if (stats !== null && stats.mtimeMs <= Date.now() - ageMs) await rm(path, { recursive: true, force: true })
  })
}
