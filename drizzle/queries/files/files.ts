import { FILE_BOUNDS } from '../../../core/bounds'
import type { Db, Transaction } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'

const fileFields = (db: Db) => db`
  f.id, f.name, f.size_bytes, f.received_bytes, f.created_by, iso_utc(f.expires_at) as expires_at`

/** The bytes of all files, as announced. */
export const sumFileBytes = async (db: Db): Promise<number> => {
  const rows = await db<{ bytes: number }[]>`select coalesce(sum(size_bytes), 0)::float8 as bytes from files`
  return onlyRow(rows).bytes
}

/** A lock, so that two files cannot be announced for the same free space. */
export const lockFileRoom = (tx: Transaction) => tx`select pg_advisory_xact_lock(hashtext('files'))`

/** Announces a file. Returns it as JSON text. */
export const addFile = async (
  db: Db,
  { name, sizeBytes, createdBy }: { name: string; sizeBytes: number; createdBy: string },
): Promise<string> => {
  const rows = await db<{ body: string }[]>`
    with added as (
      insert into files (name, size_bytes, created_by, expires_at)
      values (${name}, ${sizeBytes}, ${createdBy}, now() + ${FILE_BOUNDS.days} * interval '1 day') returning *
    )
    select row_to_json(row)::text as body from (select ${fileFields(db)} from added f) row`
  return onlyRow(rows).body
}

/** Files that have not expired, newest first, as JSON texts. */
export const listFiles = (
  db: Db,
  { after, limit }: { after: string | null; limit: number },
): Promise<{ id: string; body: string }[]> => db<{ id: string; body: string }[]>`
  select id, row_to_json(row)::text as body from (
    select ${fileFields(db)} from files f where expires_at > now() ${after === null ? db`` : db`and f.id < ${after}`}
    order by f.id desc limit ${limit}
  ) row order by id desc`

/** A file as JSON text. Null: there is none, or it has expired. */
export const findFile = async (db: Db, id: string): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    select row_to_json(row)::text as body from (select ${fileFields(db)} from files f where f.id = ${id} and expires_at > now()) row`
  return row?.body ?? null
}

export interface StoredFile {
  name: string
  sizeBytes: number
  receivedBytes: number
}

/** A file, locked until the transaction ends if `locked`. Null: there is none, or it has expired. */
export const findStoredFile = async (db: Db, id: string, { locked = false } = {}): Promise<StoredFile | null> => {
  const [row] = await db<StoredFile[]>`
    select name, size_bytes::float8 as "sizeBytes", received_bytes::float8 as "receivedBytes" from files
    where id = ${id} and expires_at > now() ${locked ? db`for update` : db``}`
  return row ?? null
}

/** Stores the next part of a file, and keeps the file for longer. */
export const addFilePart = async (
  tx: Transaction,
  id: string,
  { start, content }: { start: number; content: Uint8Array },
): Promise<void> => {
  await tx`insert into file_parts (file, start, content) values (${id}, ${start}, ${content})`
  await tx`
    update files set received_bytes = received_bytes + ${content.byteLength}, expires_at = now() + ${FILE_BOUNDS.days} * interval '1 day'
    where id = ${id}`
}

/** The part of a file that begins at `start`. Null: there is none. */
export const readFilePart = async (db: Db, id: string, start: number): Promise<Uint8Array | null> => {
  const [row] = await db<{ content: Uint8Array }[]>`
    select content from file_parts where file = ${id} and start = ${start}`
  return row?.content ?? null
}

/** Deletes a file. Returns false if there is none. */
export const deleteFile = async (db: Db, id: string): Promise<boolean> =>
  (await db`delete from files where id = ${id}`).count === 1

/** Deletes up to `limit` files that have expired, and returns their number. */
export const deleteExpiredFiles = async (db: Db, limit: number): Promise<number> => {
  const { count } = await db`
    delete from files where id in (select id from files where expires_at < now() limit ${limit})`
  return count
}
