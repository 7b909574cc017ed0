import type { PendingQuery, Row } from 'postgres'
import { CHANNELS } from '../../../core/channels'
import type { Db, Sql } from '../../../core/postgres/database'

export type DocumentKind = 'parcel' | 'entity'

/** A document with a change that is not in the index yet. `seq` is a bigint as text: it is only compared. */
export interface OutboxRow {
  kind: DocumentKind
  id: string
  seq: string
}

/** The duty of the process that writes to this database's index. */
export const SYNC_DUTY = 'search-sync'

/**
 * The oldest changes with a number above `after` that are not being sent. `inFlight` is joined, not compared one by one. `order by`
 * names the column `o.seq`: plain `seq` would be the text of the same name, and all rows would be read and sorted.
 */
export const listOutbox = async (
  db: Db,
  { after, inFlight, limit }: { after: string; inFlight: readonly string[]; limit: number },
): Promise<OutboxRow[]> => db<OutboxRow[]>`
  select o.kind, o.id, o.seq::text as seq from search_outbox o
  where o.seq > ${after}
    and not exists (select from unnest(${[...inFlight]}::bigint[]) as sent (seq) where sent.seq = o.seq)
  order by o.seq limit ${limit}
`

/**
 * Watermark: every change with a lower or equal number is visible to later reads. The lock waits for open transactions that may have
 * drawn their numbers already.
 */
export const markOutbox = (sql: Sql): Promise<string> =>
  sql.begin(async (tx) => {
    await tx`lock table search_outbox in exclusive mode`
    return findLastChange(tx)
  }) as Promise<string>

/** The last number drawn. */
export const findLastChange = async (db: Db): Promise<string> => {
  const [row] = await db<{ seq: string }[]>`
    select case when is_called then last_value else 0 end::text as seq from search_outbox_seq`
  return row?.seq ?? '0'
}

/** Whether changes with a number above `after`, up to `upTo`, are not in the index yet. */
export const hasChanges = async (db: Db, { after, upTo }: { after: string; upTo: string }): Promise<boolean> => {
  const [row] = await db<{ found: boolean }[]>`
    select exists (select from search_outbox where seq > ${after} and seq <= ${upTo}) as found
  `
  return row?.found ?? false
}

/**
 * Deletes rows that are not locked. A locked row is getting a new number and must stay. This never waits for a lock, so it cannot
 * deadlock with the triggers, which lock rows by id.
 */
const forget = async (db: Db, which: PendingQuery<Row[]>): Promise<number> => {
  const { count } = await db`
    with free as (select kind, id from search_outbox where ${which} for update skip locked)
    delete from search_outbox o using free where o.kind = free.kind and o.id = free.id`
  return count
}

/** Deletes the oldest `limit` changes with a number of at most `seq`. Returns how many it deleted. */
export const deleteFromOutboxUpTo = (db: Db, seq: string, limit: number): Promise<number> =>
  forget(db, db`seq <= ${seq} order by seq limit ${limit}`)

/** Deletes changes that are in the index now. A row that has changed again has another number and stays. */
export const deleteFromOutbox = (db: Db, seqs: readonly string[]): Promise<number> =>
  forget(db, db`seq = any(${[...seqs]}::bigint[])`)

/** Queues documents to be sent to the index, as a change of their rows would. */
export const addToOutbox = async (db: Db, kind: DocumentKind, ids: readonly string[]): Promise<void> => {
  await db`
    insert into search_outbox (kind, id, seq)
    select ${kind}::document_kind, id, nextval('search_outbox_seq') from (
      select id from unnest(${[...ids]}::uuid[]) as id order by id
    ) ordered
    on conflict (kind, id) do update set seq = excluded.seq, changed_at = excluded.changed_at
  `
  await db`select pg_notify(${CHANNELS.searchOutbox}, '')`
}

export const countOutbox = async (db: Db): Promise<number> => {
  const [row] = await db<{ count: number }[]>`select count(*)::int as count from search_outbox`
  return row?.count ?? 0
}

/** The documents with a change that is not in the index yet. */
export const listPending = async (db: Db, kind: DocumentKind, ids: readonly string[]): Promise<string[]> => {
  const rows = await db<{ id: string }[]>`
    select id from search_outbox where kind = ${kind}::document_kind and id = any(${[...ids]}::uuid[])
  `
  return rows.map(({ id }) => id)
}

/** All documents with a change that is not in the index yet, `limit` at most. */
export const listAllPending = async (db: Db, kind: DocumentKind, limit: number): Promise<string[]> => {
  const rows = await db<
    { id: string }[]
  >`select id from search_outbox where kind = ${kind}::document_kind limit ${limit}`
  return rows.map(({ id }) => id)
}

/** The age of the oldest change that is not in the index yet; 0 when there is none. */
export const findLagSeconds = async (db: Db): Promise<number> => {
  const [row] = await db<{ seconds: number }[]>`
    select greatest(0, extract(epoch from clock_timestamp() - changed_at))::float8 as seconds
    from search_outbox order by seq limit 1
  `
  return row?.seconds ?? 0
}

/** Asks the leader to step down for a while, so that a command can lead. */
export const askLeaderToYield = async (sql: Sql): Promise<void> => {
  await sql.notify(CHANNELS.searchSyncYield, '')
}
