import { CHANNELS } from '../../../core/channels'
import type { Db, Fragment, Sql } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'

export type DocumentKind = 'parcel' | 'entity'

/** A document with a change that is not in the index yet. `seq` is a bigint as text: it is only compared. */
export interface OutboxRow {
  kind: DocumentKind
  id: string
  seq: string
}

/** The duty of the process that writes to this database's index. With several instances of Meilisearch there is a duty for each. */
export const SYNC_DUTY = 'search-sync'

/**
 * Whether a process leads that distributes the states among instances differently. `plan`: the suffix of the duty names of processes
 * that distribute them this way. Empty: there is one instance and one duty.
 */
export const isLedElsewhere = async (db: Db, plan: string): Promise<boolean> => {
  const rows = await db<{ found: boolean }[]>`
    select exists (
      select from leaders where starts_with(duty, ${SYNC_DUTY}) and expires_at > clock_timestamp()
        and ${plan === '' ? db`duty <> ${SYNC_DUTY}` : db`right(duty, ${plan.length}) <> ${plan}`}
    ) as found`
  return onlyRow(rows).found
}

/**
 * The name of a Meilisearch instance, for the changes that it must get (search-queues.ts). Null: there is only one instance, which gets
 * all changes.
 */
export type Queue = string | null

/** The changes to send to an instance, with the columns of `search_outbox` that are read here. */
const changesIn = (db: Db, queue: Queue) =>
  queue === null
    ? db`search_outbox`
    : db`(select kind, id, seq, changed_at from search_instance_outbox where instance = ${queue})`

/** Every change that is not in an instance's index yet: those to send to it, and those that are not assigned to instances yet. */
const pendingIn = (db: Db, queue: Queue) =>
  queue === null
    ? db`search_outbox`
    : db`(select kind, id, seq, changed_at from search_outbox union all select kind, id, seq, changed_at from ${changesIn(db, queue)} queued)`

/**
 * The oldest changes with a number above `after` that are not being sent. `inFlight` is joined, not compared one by one. `order by`
 * names the column `o.seq`: plain `seq` would be the text of the same name, and all rows would be read and sorted.
 */
export const listOutbox = async (
  db: Db,
  queue: Queue,
  { after, inFlight, limit }: { after: string; inFlight: readonly string[]; limit: number },
): Promise<OutboxRow[]> => db<OutboxRow[]>`
  select o.kind, o.id, o.seq::text as seq from ${changesIn(db, queue)} o
  where o.seq > ${after}
    and not exists (select from unnest(${[...inFlight]}::bigint[]) as sent (seq) where sent.seq = o.seq)
  order by o.seq limit ${limit}
`

/**
 * Watermark: every change with a lower or equal number is visible to later reads. The lock waits for open transactions that may already
 * have drawn numbers.
 */
export const markOutbox = (sql: Sql): Promise<string> =>
  sql.begin(async (tx) => {
    await tx`lock table search_outbox in exclusive mode`
    return findLastChange(tx)
  }) as Promise<string>

/** The last number drawn. */
export const findLastChange = async (db: Db): Promise<string> => {
  const rows = await db<{ seq: string }[]>`
    select case when is_called then last_value else 0 end::text as seq from search_outbox_seq`
  return onlyRow(rows).seq
}

/** Whether changes with a number above `after`, up to `upTo`, are not in the index yet. */
export const hasChanges = async (
  db: Db,
  queue: Queue,
  { after, upTo }: { after: string; upTo: string },
): Promise<boolean> => {
  const rows = await db<{ found: boolean }[]>`
    select exists (select from ${pendingIn(db, queue)} pending where seq > ${after} and seq <= ${upTo}) as found
  `
  return onlyRow(rows).found
}

/**
 * Deletes rows that are not locked. A locked row is getting a new number and must stay. This never waits for a lock, so it cannot
 * deadlock with the triggers, which lock rows by id. Rows are found by their place (`ctid`): a join of thousands of rows took minutes if
 * the planner took the table to be empty, as after a crash of the server, which loses the counts of changed rows.
 */
const forget = async (db: Db, queue: Queue, which: Fragment): Promise<number> => {
  const { count } =
    queue === null
      ? await db`
        delete from search_outbox where ctid = any(array(
          select ctid from search_outbox where ${which} for update skip locked))`
      : await db`
        delete from search_instance_outbox where ctid = any(array(
          select ctid from search_instance_outbox where instance = ${queue} and ${which} for update skip locked))`
  return count
}

/** Deletes the oldest `limit` changes with a number of at most `seq`. Returns how many it deleted. */
export const deleteFromOutboxUpTo = (db: Db, queue: Queue, seq: string, limit: number): Promise<number> =>
  forget(db, queue, db`seq <= ${seq} order by seq limit ${limit}`)

/** Deletes changes that are in the index now. A row that has changed again has another number and stays. */
export const deleteFromOutbox = (db: Db, queue: Queue, seqs: readonly string[]): Promise<number> =>
  forget(db, queue, db`seq = any(${[...seqs]}::bigint[])`)

/** Queues documents to be sent to the index, as a change of their rows would. Instances without their state delete them. */
export const addToOutbox = async (db: Db, kind: DocumentKind, ids: readonly string[]): Promise<void> => {
  await db`
    insert into search_outbox (kind, id, seq, moved)
    select ${kind}::document_kind, id, nextval('search_outbox_seq'), true from (
      select id from unnest(${[...ids]}::uuid[]) as id order by id
    ) ordered
    on conflict (kind, id) do update set seq = excluded.seq, changed_at = excluded.changed_at, moved = true
  `
  await db`select pg_notify(${CHANNELS.searchOutbox}, '')`
}

export const countOutbox = async (db: Db): Promise<number> => {
  const rows = await db<{ count: number }[]>`
    select ((select count(*) from search_outbox) + (select count(*) from search_instance_outbox))::int as count`
  return onlyRow(rows).count
}

/** For how many minutes the oldest change has waited: in the outbox (subject ""), and in the queue of each instance that has one. */
export const listLateQueues = (db: Db): Promise<{ subject: string; value: number }[]> => db<
  { subject: string; value: number }[]
>`
  select subject, (extract(epoch from clock_timestamp() - changed_at) / 60)::float8 as value from (
    (select '' as subject, changed_at from search_outbox order by seq limit 1)
    union all
    select instance, min(changed_at) from search_instance_outbox group by instance
  ) oldest`

export interface QueueMeasure {
  depth: number
  ageSeconds: number
}

/** How many changes an instance does not have yet, and the age of the oldest one in seconds. */
export const measureQueue = async (db: Db, queue: Queue): Promise<QueueMeasure> => {
  const rows = await db<QueueMeasure[]>`
    select count(*)::int as depth,
      coalesce(greatest(0, extract(epoch from clock_timestamp() - min(changed_at))), 0)::float8 as "ageSeconds"
    from ${pendingIn(db, queue)} pending`
  return onlyRow(rows)
}

/** Whether a process sends the changes of this queue. */
export const hasSyncLeader = async (db: Db, queue: Queue): Promise<boolean> => {
  const duty = queue === null ? SYNC_DUTY : `${SYNC_DUTY} ${queue}`
  const rows = await db<{ found: boolean }[]>`
    select exists (
      select from leaders where starts_with(duty, ${duty}) and expires_at > clock_timestamp()
    ) as found`
  return onlyRow(rows).found
}

/** The documents with a change that is not in the index yet. */
export const listPending = async (
  db: Db,
  queue: Queue,
  kind: DocumentKind,
  ids: readonly string[],
): Promise<string[]> => {
  const rows = await db<{ id: string }[]>`
    select id from ${pendingIn(db, queue)} pending where kind = ${kind}::document_kind and id = any(${[...ids]}::uuid[])
  `
  return rows.map(({ id }) => id)
}

/** All documents with a change that is not in the index yet, at most `limit`. */
export const listAllPending = async (db: Db, queue: Queue, kind: DocumentKind, limit: number): Promise<string[]> => {
  const rows = await db<
    { id: string }[]
  >`select id from ${pendingIn(db, queue)} pending where kind = ${kind}::document_kind limit ${limit}`
  return rows.map(({ id }) => id)
}

/** The age of the oldest change that is not in the index yet; 0 when there is none. */
export const findLagSeconds = async (db: Db): Promise<number> => {
  const rows = await db<{ seconds: number }[]>`
    select coalesce(greatest(0, extract(epoch from clock_timestamp() - min(changed_at))), 0)::float8 as seconds from (
      (select changed_at from search_outbox order by seq limit 1)
      union all
      select min(changed_at) from search_instance_outbox
    ) oldest
  `
  return onlyRow(rows).seconds
}

/** Asks the leader of a duty to step down for a while, so that a command can lead. */
export const askLeaderToYield = async (sql: Sql, duty: string): Promise<void> => {
  await sql.notify(CHANNELS.searchSyncYield, duty)
}
