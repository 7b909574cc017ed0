import { randomBytes } from 'node:crypto'
import type { Db } from '../../core/postgres/database'
import { insertSession } from '../../drizzle/queries/people/sessions'
import { hashKey } from './hash-key'

/** Signs an account in. The session's token, 64 hex digits, is returned only once; the service stores only its hash. */
export const startSession = async (db: Db, accountId: string): Promise<string> => {
  const token = randomBytes(32).toString('hex')
  await insertSession(db, { hashedToken: hashKey(token), accountId })
  return token
}
