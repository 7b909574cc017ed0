import type { Db } from '../../../core/postgres/database'

/*
 * Tables store a short name for the caller of each action: the first 8 characters of a key, or `account ` and 12 hex digits derived from
 * the account's id (SQL function `account_name`). Callers see this name in rows, messages and events. For admins, the code below
 * replaces an account's short name with its email.
 */

const ACCOUNT_NAME = /\baccount [0-9a-f]{12}\b/g

/** Replaces each account's short name in the JSON texts with its email. Deleted accounts keep the short name. */
export const nameAccounts = async (db: Db, texts: readonly string[]): Promise<string[]> => {
  const names = new Set(texts.flatMap((text) => text.match(ACCOUNT_NAME) ?? []))
  if (names.size === 0) return [...texts]
  const rows = await db<{ name: string; email: string }[]>`
    select account_name(id) as name, email from accounts where account_name(id) = any(${[...names]})`
  // The names are inside JSON strings.
  const emails = new Map(rows.map(({ name, email }) => [name, JSON.stringify(email).slice(1, -1)]))
  return texts.map((text) => text.replaceAll(ACCOUNT_NAME, (name) => emails.get(name) ?? name))
}
