import type { Db, Transaction } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import type { DeliveryStatus } from '../../schema/values'

/** The fields that callers see. `d` is a row of `webhook_deliveries`, `c` its change, and `m` its message about alerts, if it has one. */
const deliveryFields = (db: Db) => db`
  d.id, d.status, d.version::float8, c.source, c.source_parcel_id, c.action,
  case when c.changes is not null then array(select changed_fields(c.changes)) end as fields,
  m.rule as alert_rule, m.state as alert_state, m.count::float8 as alert_count,
  d.attempts, iso_utc(case when d.status = 'pending' then d.next_attempt_at end) as next_attempt_at,
  d.response_status, d.response, d.duration_ms, d.error, iso_utc(d.created_at) as created_at, iso_utc(d.finished_at) as finished_at`

const withChange = (db: Db) =>
  db`webhook_deliveries d left join parcel_changes c on c.version = d.version and c.at = d.changed_at
    left join alert_messages m on m.id = d.alert_message`

/** The deliveries of a watch as JSON texts, newest first. `after` is the last id of the previous page. */
export const listDeliveries = (
  db: Db,
  watchId: string,
  { status, after, limit }: { status: DeliveryStatus | null; after: string | null; limit: number },
): Promise<{ id: string; body: string }[]> => db<{ id: string; body: string }[]>`
  select id, row_to_json(row)::text as body from (
    select ${deliveryFields(db)} from ${withChange(db)}
    where d.watch_id = ${watchId} ${status === null ? db`` : db`and d.status = ${status}`}
      ${after === null ? db`` : db`and d.id < ${after}`}
    order by d.id desc limit ${limit}
  ) row order by id desc`

/** A delivery as JSON text. */
export const findDelivery = async (db: Db, id: string): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    select row_to_json(row)::text as body from (select ${deliveryFields(db)} from ${withChange(db)} where d.id = ${id}) row`
  return row?.body ?? null
}

/** Queues a test of a watch's webhook. Returns the id of the delivery. */
export const insertTestDelivery = async (db: Db, watchId: string): Promise<string> => {
  const rows = await db<{ id: string }[]>`
    insert into webhook_deliveries (watch_id, status) values (${watchId}, 'pending') returning id`
  return onlyRow(rows).id
}

/**
 * Requeues a delivery that has ended, with the same id. Returns its former status; a `pending` one is left as it is. Null: the watch
 * has no such delivery.
 */
export const replayDelivery = async (tx: Transaction, watchId: string, id: string): Promise<DeliveryStatus | null> => {
  const [row] = await tx<{ status: DeliveryStatus }[]>`
    select status from webhook_deliveries where id = ${id} and watch_id = ${watchId} for update`
  if (row === undefined) return null
  await tx`
    update webhook_deliveries set status = 'pending', next_attempt_at = now(), queued_at = now(), finished_at = null
    where id = ${id} and status <> 'pending'`
  return row.status
}

/** Makes the queued deliveries of a watch due now, and ends its pause. */
export const hastenDeliveries = async (tx: Transaction, watchId: string): Promise<void> => {
  await tx`
    with hastened as (
      update webhook_deliveries set next_attempt_at = now()
      where watch_id = ${watchId} and status = 'pending' and next_attempt_at > now()
    )
    update watches set held_until = null where id = ${watchId} and held_until is not null`
}

/** Deletes deliveries that ended more than `days` ago, at most `limit`. Returns their number. */
export const deleteFinishedDeliveries = async (
  db: Db,
  { days, limit }: { days: number; limit: number },
): Promise<number> => {
  const { count } = await db`
    delete from webhook_deliveries where id in (
      select id from webhook_deliveries where finished_at < now() - ${days} * interval '1 day' order by finished_at limit ${limit}
    )`
  return count
}
