import type { Db } from '../../../core/postgres/database'
import { nameAccounts } from '../../../drizzle/queries/people/account-names'
import { principalOf } from './auth'

/** Replaces account names in a JSON text for this caller: admins see emails, others keep the short account names. */
export const namedFor = async (db: Db, request: Request, text: string): Promise<string> => {
  if (principalOf(request).capability !== 'admin') return text
  const [named = text] = await nameAccounts(db, [text])
  return named
}
