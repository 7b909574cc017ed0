import type { Db } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import type { EventKind } from '../../schema/values'
import { nameAccounts } from '../people/account-names'

/** A position in the order of events, `<transaction>-<event>`. The reader has received all events up to it. */
export type EventCursor = string

export interface StoredEvent {
  cursor: EventCursor
  kind: EventKind
  watchers: string[] | null
  /** JSON text. */
  data: string
  /** The same for admins, with people's emails instead of their short names. */
  dataForAdmins: string
}

export interface EventPage {
  events: StoredEvent[]
  /** Where the next page begins: after the last event that was read, even if it was filtered out. */
  end: EventCursor
  /** There may be more events to read now. */
  isFull: boolean
}

const LARGEST_XID = 2n ** 64n - 1n
const LARGEST_ID = 2n ** 63n - 1n

/** Whether a text is a valid cursor. The events after it may be deleted already. */
export const isEventCursor = (text: string): boolean => {
  const [, xid, id] = /^(\d{1,20})-(\d{1,19})$/.exec(text) ?? []
  return xid !== undefined && id !== undefined && BigInt(xid) <= LARGEST_XID && BigInt(id) <= LARGEST_ID
}

const place = (db: Db, cursor: EventCursor) => {
  const [xid = '', id = ''] = cursor.split('-')
  return db`(${xid}::text::xid8, ${id}::text::bigint)`
}

/**
 * Where to begin. `present` is before everything that is not committed yet. `isLost`: the events right after `after` were deleted, or
 * `after` is from another database, because this one was restored or replaced.
 */
export const findPresent = async (
  db: Db,
  after: EventCursor | null,
): Promise<{ present: EventCursor; isLost: boolean }> => {
  const rows = await db<{ present: string; isLost: boolean }[]>`
    select pg_snapshot_xmin(now_.snapshot) || '-0' as present,
      ${after === null ? db`false` : db`${place(db, after)} < (f.xid, f.id) or ${place(db, after)} > (pg_snapshot_xmax(now_.snapshot), 0)`} as "isLost"
    from events_forgotten f, (select pg_current_snapshot() as snapshot) now_`
  return onlyRow(rows)
}

/**
 * Events in order, after `after`. `upTo`, `kinds` and `watcher` narrow them. At most `limit` events are read, including those that are
 * filtered out, so no page takes long.
 *
 * Reading stops before the oldest open transaction. Transactions do not commit in the order in which they began, so otherwise an event
 * could appear before a position that the reader has already passed. As a result, a long write transaction delays the events of all
 * transactions that began after it.
 */
export const readEvents = async (
  db: Db,
  {
    after,
    upTo = null,
    kinds = null,
    watcher = null,
    limit,
  }: {
    after: EventCursor
    upTo?: EventCursor | null
    kinds?: readonly EventKind[] | null
    watcher?: string | null
    limit: number
  },
): Promise<EventPage> => {
  const rows = await db<
    { end: string; size: number; cursor: string | null; kind: EventKind; watchers: string[] | null; data: string }[]
  >`
    with bound as materialized (
      select pg_snapshot_xmin(pg_current_snapshot()) as xmin
    ), page as materialized (
      select * from events
      where (xid, id) > ${place(db, after)} and xid < (select xmin from bound)
        ${upTo === null ? db`` : db`and (xid, id) <= ${place(db, upTo)}`}
      order by xid, id limit ${limit}
    ), told as (
      select p.xid, p.id, p.kind, p.watchers, case p.kind when 'job' then json_build_object(
        'id', p.job_id, 'source', j.source, 'source_parcel_id', j.source_parcel_id, 'vendor', j.vendor,
        'status', p.job_status, 'attempts', p.attempts, 'error_message', p.error_message,
        'created_at', iso_utc(j.created_at), 'duration_ms', j.duration_ms, 'at', iso_utc(p.at)
      ) else (p.payload || jsonb_build_object('at', iso_utc(p.at)))::json end::text as data
      from page p left join lateral (
        select source, source_parcel_id, vendor, created_at, duration_ms from scrape_jobs where id = p.job_id limit 1
      ) j on true
      where true ${kinds === null ? db`` : db`and p.kind = any(${[...kinds]}::event_kind[])`}
        ${watcher === null ? db`` : db`and ${watcher}::uuid = any(p.watchers)`}
    ), size as (
      select count(*)::int as size from page
    )
    select size, told.xid || '-' || told.id as cursor, told.kind, told.watchers, told.data,
      case when size = ${limit} then (select xid || '-' || id from page order by xid desc, id desc limit 1)
        else ${upTo === null ? db`bound.xmin || '-0'` : db`${upTo}::text`} end as end
    from bound cross join size left join told on true
    order by told.xid, told.id`
  const [first] = rows
  if (first === undefined) throw new Error('the query of a page of events returned no row')
  const told = rows.filter((row) => row.cursor !== null)
  const named = await nameAccounts(
    db,
    told.map(({ data }) => data),
  )
  const events = told.map(({ cursor, kind, watchers, data }, index) => {
    return { cursor: cursor ?? '', kind, watchers, data, dataForAdmins: named[index] ?? data }
  })
  return { events, end: first.end, isFull: first.size === limit }
}

/**
 * Deletes events older than `hours`, oldest first, at most `limit`, and records the last one. Returns how many it deleted.
 */
export const forgetEvents = async (db: Db, { hours, limit }: { hours: number; limit: number }): Promise<number> => {
  const rows = await db<{ count: number }[]>`
    with oldest as materialized (
      select e.xid, e.id, e.at from events_forgotten f cross join lateral (
        select xid, id, at from events
        where (xid, id) > (f.xid, f.id) and xid < pg_snapshot_xmin(pg_current_snapshot())
        order by xid, id limit ${limit}
      ) e
    ), last as materialized (
      select xid, id from oldest where at < now() - ${hours} * interval '1 hour' order by xid desc, id desc limit 1
    ), gone as (
      delete from events e using oldest o, last
      where e.xid = o.xid and e.id = o.id and (o.xid, o.id) <= (last.xid, last.id) returning 1
    ), noted as (
      update events_forgotten f set xid = last.xid, id = last.id from last where (last.xid, last.id) > (f.xid, f.id)
    )
    select count(*)::int as count from gone`
  return onlyRow(rows).count
}
