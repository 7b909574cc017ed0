import { randomBytes } from 'node:crypto'
import type { Db } from '../../core/postgres/database'
import { insertKey } from '../../drizzle/queries/people/api-keys'
import { hashKey } from './hash-key'

/**
 * Issues an end-user key: `pk_` and 32 random bytes in hex. The plaintext is returned only once; the service stores only its hash.
 */
export const issueKey = async (
  db: Db,
  { name, capabilities, accountId = null }: { name: string; capabilities: string[]; accountId?: string | null },
): Promise<{ id: string; createdAt: string; key: string }> => {
  const key = `pk_${randomBytes(32).toString('hex')}`
  const row = await insertKey(db, { name, capabilities, accountId, hashedKey: hashKey(key) })
  return { ...row, key }
}
