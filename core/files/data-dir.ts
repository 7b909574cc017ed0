import { Database, SQLiteError } from 'bun:sqlite'
import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '../service-error'

/** Locks that are held. Bun closes a database that nothing refers to, which would release its lock. */
const held = new Set<Database>()

/**
 * Locks `dir` for this process until `release` or until the process ends. The operating system holds the lock through an SQLite
 * file, so a killed process leaves no lock behind.
 *
 * @throws ServiceError `data_dir_in_use`, which names the owner; `bad_config` when the directory is not writable
 */
export const lockDataDir = (dir: string, owner: string): { release: () => void } => {
  const ownerFile = join(dir, 'owner')
  const lock = openLock(dir)
  try {
    lock.run('PRAGMA locking_mode = EXCLUSIVE')
    lock.run('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!(error instanceof SQLiteError) || error.code !== 'SQLITE_BUSY') throw unusableDataDir(dir, error)
    throw new ServiceError('data_dir_in_use', `${dir} is in use by ${readOwner(ownerFile)}: stop it, or set DATA_DIR`, {
      cause: error,
    })
  }
  try {
    writeFileSync(ownerFile, `${owner} (pid ${process.pid})`)
  } catch (error) {
    lock.close()
    throw unusableDataDir(dir, error)
  }
  held.add(lock)
  return {
    release: () => {
      held.delete(lock)
      lock.close()
    },
  }
}

const openLock = (dir: string): Database => {
  try {
    // It has exports, lists and pages that the API gives only to callers with a key.
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    // SQLite would not say why it cannot write.
    accessSync(dir, constants.W_OK)
    return new Database(join(dir, 'lock'), { create: true })
  } catch (cause) {
    throw unusableDataDir(dir, cause)
  }
}

/** For an error of the disk of `dir`: full, read-only, or with files of another user. */
export const unusableDataDir = (dir: string, cause: unknown): ServiceError =>
  new ServiceError('bad_config', `DATA_DIR ${dir} cannot be used: ${cause instanceof Error ? cause.message : cause}`, {
    cause,
  })

const readOwner = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return 'another process'
  }
}
