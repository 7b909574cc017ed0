import { Database } from 'bun:sqlite'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '../service-error'

/**
 * Takes `dir` for this process alone, until `release` or the process's end, however it ends: the lock is the operating
 * system's, held through an SQLite file, so a killed process leaves none behind.
 *
 * @throws ServiceError `data_dir_in_use`, naming who has it.
 */
export const lockDataDir = (dir: string, owner: string): { release: () => void } => {
  mkdirSync(dir, { recursive: true })
  const ownerFile = join(dir, 'owner')
  const lock = new Database(join(dir, 'lock'), { create: true })
  try {
    lock.run('PRAGMA locking_mode = EXCLUSIVE')
    lock.run('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    throw new ServiceError('data_dir_in_use', `${dir} is in use by ${readOwner(ownerFile)}: stop it, or set DATA_DIR`, {
      cause: error,
    })
  }
  writeFileSync(ownerFile, `${owner} (pid ${process.pid})`)
  return { release: () => lock.close() }
}

const readOwner = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return 'another process'
  }
}
