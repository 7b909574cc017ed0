import type { Db } from '../../../core/postgres/database'

/*
 * What is stored of who did something is a short name: the first 8 characters of a key, or of a person `account ` and 12 hex digits made
 * of the account's id (SQL function `account_name`). So it is what everybody reads, wherever it stands: in a row, in a sentence, in an
 * event. Only admins are told whose account it is, and that is put in place here, on the way out.
 */

const ACCOUNT_NAME = /\baccount [0-9a-f]{12}\b/g

/** JSON texts with each account's short name replaced by its email. Accounts that were removed keep the short name. */
export const nameAccounts = async (db: Db, texts: readonly string[]): Promise<string[]> => {
  const names = new Set(texts.flatMap((text) => text.match(ACCOUNT_NAME) ?? []))
  if (names.size === 0) return [...texts]
  const rows = await db<{ name: string; email: string }[]>`
    select account_name(id) as name, email from accounts where account_name(id) = any(${[...names]})`
  // They stand inside of JSON strings.
  const emails = new Map(rows.map(({ name, email }) => [name, JSON.stringify(email).slice(1, -1)]))
  return texts.map((text) => text.replaceAll(ACCOUNT_NAME, (name) => emails.get(name) ?? name))
}
