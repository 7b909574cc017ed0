import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { UsageError } from './command'

/**
 * The absolute path of a file that a command will write. Checked before the work starts, which may take hours. `name`: of the argument.
 *
 * @throws UsageError for an empty name, a folder, or a file in a folder that does not exist
 */
export const readOutputFile = (name: string, path: string): string => {
  const file = resolve(path)
  if (path === '' || isFolder(file)) throw new UsageError(`${name} takes the name of a file, not "${path}"`)
  if (!isFolder(dirname(file))) throw new UsageError(`${name}: there is no folder ${dirname(file)}`)
  return file
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
