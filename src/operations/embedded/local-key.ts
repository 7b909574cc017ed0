import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The admin key of a service on one machine: created once, in a file that only its owner can read. */
export const readOrCreateLocalKey = (dataDir: string): string => {
  const file = join(dataDir, 'admin-key')
  // A shorter key is incomplete: writing it was interrupted.
  if (!existsSync(file) || readFileSync(file, 'utf8').trim().length < 64)
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 })
  return readFileSync(file, 'utf8').trim()
}
