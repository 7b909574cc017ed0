import type { Db } from '../database'

export interface KeyRow {
  id: string
  hashed_key: string
  capabilities: string[]
}

/** The keys behind these hashes (SHA-256, hex) that are not revoked, by hash. */
export const findKeys = async (db: Db, hashes: string[]): Promise<Map<string, KeyRow>> => {
  const rows = await db<KeyRow[]>`
    select id, hashed_key, capabilities from api_keys where hashed_key = any(${hashes}) and revoked_at is null`
  return new Map(rows.map((row) => [row.hashed_key, row]))
}

/** Moves `last_used_at` forward, for many keys at once. Times are ISO 8601. */
export const touchKeys = async (db: Db, uses: { id: string; usedAt: string }[]): Promise<void> => {
  await db`
    update api_keys set last_used_at = greatest(last_used_at, used."usedAt")
    from json_to_recordset(${JSON.stringify(uses)}::text::json) as used (id uuid, "usedAt" timestamptz)
    where api_keys.id = used.id`
}

export interface IssuedKey {
  id: string
  name: string
  capabilities: string[]
  createdAt: string
  lastUsedAt: string | null
  revokedAt: string | null
}

export const insertKey = async (
  db: Db,
  key: { name: string; hashedKey: string; capabilities: string[]; accountId: string | null },
): Promise<string> => {
  const [row] = await db<{ id: string }[]>`
    insert into api_keys (name, hashed_key, capabilities, account_id)
    values (${key.name}, ${key.hashedKey}, ${key.capabilities}, ${key.accountId}) returning id`
  if (row === undefined) throw new Error('an insert that returns no row')
  return row.id
}

export const listKeys = (db: Db): Promise<IssuedKey[]> => db<IssuedKey[]>`
  select id, name, capabilities, iso_utc(created_at) as "createdAt", iso_utc(last_used_at) as "lastUsedAt",
    iso_utc(revoked_at) as "revokedAt"
  from api_keys order by id`

/** False when there is no such key, or it was revoked before. */
export const revokeKey = async (db: Db, id: string): Promise<boolean> =>
  (await db`update api_keys set revoked_at = now() where id = ${id} and revoked_at is null`).count === 1
