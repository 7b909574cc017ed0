import type { Db, Transaction } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import type { AccountPlan } from '../../schema/values'

export interface KeyRow {
  id: string
  hashed_key: string
  capabilities: string[]
  /** Null: the operator issued it without an account. */
  account_id: string | null
}

/**
 * The effective capabilities of a key: its own, but `enqueue` and `bulk-export` only while its account has a paid plan. `k` is the key,
 * `a` its account if it has one.
 */
const effectiveCapabilities = (db: Db) =>
  db`case when a.plan = 'free' then array_remove(array_remove(k.capabilities, 'enqueue'), 'bulk-export') else k.capabilities end as capabilities`

/** The keys with these hashes (SHA-256, hex), by hash. Revoked keys are left out. */
export const findKeys = async (db: Db, hashes: string[]): Promise<Map<string, KeyRow>> => {
  const rows = await db<KeyRow[]>`
    select k.id, k.hashed_key, ${effectiveCapabilities(db)}, k.account_id
    from api_keys k left join accounts a on a.id = k.account_id
    where k.hashed_key = any(${hashes}) and k.revoked_at is null`
  return new Map(rows.map((row) => [row.hashed_key, row]))
}

/** Moves `last_used_at` of many keys forward. Times are ISO 8601. */
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
): Promise<{ id: string; createdAt: string }> => {
  const rows = await db<{ id: string; createdAt: string }[]>`
    insert into api_keys (name, hashed_key, capabilities, account_id)
    values (${key.name}, ${key.hashedKey}, ${key.capabilities}, ${key.accountId})
    returning id, iso_utc(created_at) as "createdAt"`
  return onlyRow(rows)
}

export const listKeys = (db: Db): Promise<IssuedKey[]> => db<IssuedKey[]>`
  select id, name, capabilities, iso_utc(created_at) as "createdAt", iso_utc(last_used_at) as "lastUsedAt",
    iso_utc(revoked_at) as "revokedAt"
  from api_keys order by id`

/** False when there is no such key, or it was already revoked. */
export const revokeKey = async (db: Db, id: string): Promise<boolean> =>
  (await db`update api_keys set revoked_at = now() where id = ${id} and revoked_at is null`).count === 1

/** The age at which the service asks a key's owner to replace it. */
const ROTATION = '90 days'

/** The fields that a key's owner sees. The key itself is not stored. */
const ownKeyFields = (db: Db) => db`
  k.id, k.name, ${effectiveCapabilities(db)}, iso_utc(k.created_at) as created_at, iso_utc(k.last_used_at) as last_used_at,
  iso_utc(k.revoked_at) as revoked_at,
  k.revoked_at is null and k.created_at < now() - ${ROTATION}::interval as rotation_due`

/** An account's keys as JSON texts: valid keys first, then revoked ones, each newest first. */
export const listAccountKeys = async (db: Db, accountId: string, limit: number): Promise<string[]> => {
  const rows = await db<{ body: string }[]>`
    select row_to_json((select key from (select ${ownKeyFields(db)}) key))::text as body
    from api_keys k join accounts a on a.id = k.account_id
    where k.account_id = ${accountId} order by k.revoked_at is not null, k.id desc limit ${limit}`
  return rows.map(({ body }) => body)
}

/** Revokes a key of this account, if it is not revoked already. Returns its row as JSON text; null when the account has no such key. */
export const revokeAccountKey = async (db: Db, accountId: string, id: string): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    with revoked as (
      update api_keys set revoked_at = coalesce(revoked_at, now())
      where id = ${id} and account_id = ${accountId} returning *
    )
    select row_to_json((select key from (select ${ownKeyFields(db)}) key))::text as body
    from revoked k join accounts a on a.id = k.account_id`
  return row?.body ?? null
}

/**
 * The facts that decide whether an account may have another key, and with which capabilities. Locks the account until the transaction
 * ends. Null when there is none.
 */
export const lockKeyAllowance = async (
  tx: Transaction,
  accountId: string,
): Promise<{ plan: AccountPlan; liveKeys: number } | null> => {
  const [account] = await tx<{ plan: AccountPlan }[]>`select plan from accounts where id = ${accountId} for update`
  if (account === undefined) return null
  const rows = await tx<{ count: number }[]>`
    select count(*)::int as count from api_keys where account_id = ${accountId} and revoked_at is null`
  return { plan: account.plan, liveKeys: onlyRow(rows).count }
}
