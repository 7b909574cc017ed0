import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** A random key of `bytes` bytes, in hex: created once, in a file that only its owner can read. */
export const readOrCreateKey = (file: string, bytes: number): string => {
  const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  // A shorter key is incomplete: writing it was interrupted.
  if (known.length >= 2 * bytes) return known
  const key = randomBytes(bytes).toString('hex')
  writeFileSync(file, key, { mode: 0o600 })
  return key
}
