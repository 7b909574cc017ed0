import type { MultiPolygon } from 'geojson'
import type { Db, Transaction } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import type { WatchKind } from '../../schema/values'

/** The fields that callers see, without the polygon, which can be large. `w` is a row of `watches`. */
const watchFields = (db: Db) => db`
  w.id, w.kind, w.source, w.source_parcel_id, w.owner_name, w.fields, w.active, w.webhook_url,
  case when w.webhook_url is null then null
    when w.last_failed_at >= coalesce(w.last_delivered_at, w.last_failed_at) then 'failed'
    when w.failures > 0 then 'failing'
    when w.last_delivered_at is not null then 'working'
    else 'unused' end as webhook_state,
  w.last_error, iso_utc(w.last_delivered_at) as last_delivered_at, iso_utc(w.last_failed_at) as last_failed_at,
  w.missed::float8, w.missed_after::float8, iso_utc(case when w.held_until > now() then w.held_until end) as held_until, w.created_by, iso_utc(w.created_at) as created_at`

/** `owner` null: all watches, as for admins. */
const ownedBy = (db: Db, owner: string | null) => (owner === null ? db`` : db`and w.owner = ${owner}`)

/** Watches as JSON texts, newest first. `after` is the last id of the previous page. */
export const listWatches = (
  db: Db,
  owner: string | null,
  { after, limit }: { after: string | null; limit: number },
): Promise<{ id: string; body: string }[]> => db<{ id: string; body: string }[]>`
  select id, row_to_json(row)::text as body from (
    select ${watchFields(db)} from watches w
    where true ${ownedBy(db, owner)} ${after === null ? db`` : db`and w.id < ${after}`}
    order by w.id desc limit ${limit}
  ) row order by id desc`

/** A watch with its polygon, as JSON text. Null: there is none, or it belongs to another owner. */
export const findWatch = async (db: Db, owner: string | null, id: string): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    select row_to_json(row)::text as body
    from (select ${watchFields(db)}, w.polygon from watches w where w.id = ${id} ${ownedBy(db, owner)}) row`
  return row?.body ?? null
}

export interface NewWatch {
  owner: string
  accountId: string | null
  keyHash: string | null
  createdBy: string
  kind: WatchKind
  source: string | null
  sourceParcelId: string | null
  ownerName: string | null
  polygon: MultiPolygon | null
  /** In the text form of a box. */
  bbox: string | null
  fields: string[] | null
  webhookUrl: string | null
  webhookSecret: string | null
  receiver: string | null
}

/** Counts the watches of an owner. No other transaction adds one until this one ends. */
export const countWatches = async (tx: Transaction, owner: string): Promise<number> => {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`watches ${owner}`}, 0))`
  const rows = await tx<{ count: number }[]>`select count(*)::int as count from watches where owner = ${owner}`
  return onlyRow(rows).count
}

/** Adds a watch, which matches changes from now on. Returns its id. */
export const insertWatch = async (db: Db, watch: NewWatch): Promise<string> => {
  const rows = await db<{ id: string }[]>`
    insert into watches (owner, account_id, key_hash, created_by, kind, source, source_parcel_id, owner_name, polygon, bbox, fields,
      webhook_url, webhook_secret, receiver, after_version)
    values (${watch.owner}, ${watch.accountId}, ${watch.keyHash}, ${watch.createdBy}, ${watch.kind}, ${watch.source},
      ${watch.sourceParcelId}, ${watch.ownerName}, ${watch.polygon === null ? null : JSON.stringify(watch.polygon)}::text::json,
      ${watch.bbox}::text::box, ${watch.fields}, ${watch.webhookUrl}, ${watch.webhookSecret}, ${watch.receiver}, parcel_watermark())
    returning id`
  return onlyRow(rows).id
}

export interface WatchSettings {
  active: boolean
  fields: string[] | null
  webhookUrl: string | null
  webhookSecret: string | null
  receiver: string | null
}

/** The settings of a watch, which stays locked until the transaction ends. */
export const lockWatch = async (
  tx: Transaction,
  owner: string | null,
  id: string,
): Promise<(WatchSettings & { kind: WatchKind }) | null> => {
  const [row] = await tx<(WatchSettings & { kind: WatchKind })[]>`
    select w.kind, w.active, w.fields, w.webhook_url as "webhookUrl", w.webhook_secret as "webhookSecret", w.receiver
    from watches w where w.id = ${id} ${ownedBy(tx, owner)} for no key update`
  return row ?? null
}

/**
 * Stores settings. A watch that becomes active again does not match changes from the time in between. `isFresh` (a new URL, or
 * active again) resets the record of failures, and gives the requests that wait their full time again.
 */
export const updateWatch = async (
  tx: Transaction,
  id: string,
  { active, fields, webhookUrl, webhookSecret, receiver, isFresh }: WatchSettings & { isFresh: boolean },
): Promise<void> => {
  await tx`
    update watches set after_version = case when ${active} and not active then parcel_watermark() else after_version end,
      active = ${active}, fields = ${fields}, webhook_url = ${webhookUrl}, webhook_secret = ${webhookSecret}, receiver = ${receiver}
      ${
        isFresh
          ? tx`, failures = 0, failing_since = null, gone_at = null, holds = 0, held_until = null, last_error = null, last_failed_at = null,
        missed = 0, missed_after = null`
          : tx``
      }
    where id = ${id}`
  if (isFresh && active)
    await tx`
      update webhook_deliveries set queued_at = now(), next_attempt_at = least(next_attempt_at, now())
      where watch_id = ${id} and status = 'pending'`
  if (webhookUrl !== null) return
  await tx`
    update webhook_deliveries set status = 'recorded', finished_at = now() where watch_id = ${id} and status = 'pending'`
}

/** Deletes a watch and its deliveries. Returns false if there is none, or if it belongs to another owner. */
export const deleteWatch = async (db: Db, owner: string | null, id: string): Promise<boolean> => {
  const { count } = await db`delete from watches w where w.id = ${id} ${ownedBy(db, owner)}`
  return count === 1
}
