import type { Db } from '../../../core/postgres/database'
import { nameAccounts } from '../../../drizzle/queries/people/account-names'
import { principalOf } from './auth'

/** A JSON text as the caller may read it: admins are told people's emails, everybody else the short names of their accounts. */
export const namedFor = async (db: Db, request: Request, text: string): Promise<string> => {
  if (principalOf(request).capability !== 'admin') return text
  const [named = text] = await nameAccounts(db, [text])
  return named
}
