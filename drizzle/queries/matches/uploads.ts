import { LIST_BOUNDS } from '../../../core/bounds'
import type { Db, Transaction } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'

export type ListFormat = 'csv' | 'ndjson'

export interface Upload {
  id: string
  owner: string
  format: ListFormat
  content: Uint8Array
  lines: number
}

/** How many other lists an owner has, and their size. No other transaction adds one until this one ends. */
export const countOtherUploads = async (
  tx: Transaction,
  { id, owner }: Pick<Upload, 'id' | 'owner'>,
): Promise<{ count: number; bytes: number }> => {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`uploads ${owner}`}, 0))`
  const rows = await tx<{ count: number; bytes: number }[]>`
    select count(*)::int as count, coalesce(sum(octet_length(content)), 0)::float8 as bytes from uploads
    where owner = ${owner} and id <> ${id} and expires_at > now()`
  return onlyRow(rows)
}

/** Stores a list, or extends the lifetime of an identical one. Returns when it expires (ISO 8601). */
export const storeUpload = async (db: Db, { id, owner, format, content, lines }: Upload): Promise<string> => {
  const rows = await db<{ expiresAt: string }[]>`
    insert into uploads (id, owner, format, content, lines, expires_at)
    values (${id}, ${owner}, ${format}, ${content}, ${lines}, now() + ${LIST_BOUNDS.days} * interval '1 day')
    on conflict (id) do update set expires_at = excluded.expires_at
    returning iso_utc(expires_at) as "expiresAt"`
  return onlyRow(rows).expiresAt
}

/** Null: there is none, or it has expired. */
export const findUpload = async (db: Db, id: string): Promise<Pick<Upload, 'format' | 'content'> | null> => {
  const [row] = await db<Pick<Upload, 'format' | 'content'>[]>`
    select format, content from uploads where id = ${id} and expires_at > now()`
  return row ?? null
}

/** How many lines an upload of this owner has. Null: there is none, or it has expired. */
export const findUploadLines = async (db: Db, owner: string, id: string): Promise<number | null> => {
  const [row] = await db<{ lines: number }[]>`
    select lines from uploads where id = ${id} and owner = ${owner} and expires_at > now()`
  return row?.lines ?? null
}

/** Deletes up to `limit` uploads that have expired, and returns their number. */
export const deleteExpiredUploads = async (db: Db, limit: number): Promise<number> => {
  const { count } = await db`
    delete from uploads where id in (select id from uploads where expires_at < now() limit ${limit})`
  return count
}
