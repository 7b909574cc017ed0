import type { Db, Transaction } from '../../../core/postgres/database'
import { changeJson } from '../changes/change-json'
import type { WorkAttempt } from '../work/claim-work'
import { WORK_KINDS } from '../work/work-kinds'
import { isSending } from './is-sending'
import { turnPriority } from './queue-turns'

/** A delivery that may be sent now. */
export interface DueDelivery {
  id: string
  watchId: string
  url: string
  secret: string
  attempts: number
  /** The change as `/v1/changes` shows it, as JSON text. */
  change: string | null
  /** A message about alerts: a JSON object as text. If this and the change are null, it is a test. */
  alerts: string | null
  /** The time of the change, message or test (ISO 8601). */
  at: string
}

/**
 * Whether delivery `d` is the first remaining one of its watch and parcel, or of its watch and rule. Tests do not wait for other
 * deliveries. The watch and the parcel are compared as one value, which only one index has. Without current statistics, as after a load
 * of 30,000 parcels, PostgreSQL preferred an index of the watch alone, and looked through 30,000 rows for each of them: the query
 * took 16 s instead of 20 ms (2026-11-28).
 */
const isFirst = (db: Db) => db`
  not exists (
    select from webhook_deliveries o
    where array[o.watch_id, o.parcel_id] = array[d.watch_id, d.parcel_id] and o.version < d.version and o.status = 'pending'
  ) and not exists (
    select from webhook_deliveries o
    where o.watch_id = d.watch_id and o.alert_rule = d.alert_rule and o.alert_message < d.alert_message and o.status = 'pending'
      and o.alert_message is not null
  )`

/**
 * Due deliveries to a receiver, at most `limit` for each watch, without those in `inFlight`. Among deliveries of one watch and parcel
 * or rule, only the first is due.
 */
export const listDueDeliveries = (
  db: Db,
  receiver: string,
  { inFlight, limit }: { inFlight: readonly string[]; limit: number },
): Promise<DueDelivery[]> => db<DueDelivery[]>`
  select due.id, w.id as "watchId", w.webhook_url as url, w.webhook_secret as secret, due.attempts,
    (select ${changeJson(db)}::text from parcel_changes c where c.version = due.version and c.at = due.changed_at) as change,
    (select m.body::text from alert_messages m where m.id = due.alert_message) as alerts,
    iso_utc(coalesce(due.changed_at, due.created_at)) as at
  from watches w cross join lateral (
    select d.id, d.attempts, d.version, d.changed_at, d.alert_message, d.created_at, d.next_attempt_at from webhook_deliveries d
    where d.watch_id = w.id and d.status = 'pending' and d.next_attempt_at <= now() and d.id <> all(${[...inFlight]}::uuid[])
      and ${isFirst(db)}
    order by d.next_attempt_at, d.version, d.alert_message limit ${limit}
  ) due
  where w.receiver = ${receiver} and ${isSending(db)} and coalesce(w.held_until, '-infinity') <= now()
  order by due.next_attempt_at, due.version, due.alert_message`

/**
 * Ends a turn of a receiver's work: queues the next turn for the time when the next delivery is due, if any is left. New deliveries wait
 * for this transaction or are seen by it. Returns false if the attempt is no longer the current one.
 */
export const endTurn = async (
  tx: Transaction,
  { id, attempt, receiver }: WorkAttempt & { receiver: string },
  result: { delivered: number; failed: number },
): Promise<boolean> => {
  const rows = await tx`
    select from work where id = ${id} and attempts = ${attempt} and status = 'running' for update`
  if (rows.length === 0) return false
  await tx`
    update work set status = 'done', lease_expires_at = null, finished_at = greatest(clock_timestamp(), started_at),
      done = ${result.delivered}, result = ${JSON.stringify(result)}::text::jsonb
    where id = ${id}`
  await tx`
    insert into work (kind, subject, priority, not_before)
    select ${WORK_KINDS.webhooks.name}, ${receiver}, ${turnPriority(tx)}, date_trunc('milliseconds', greatest(now(), min(next.at)))
    from watches w cross join lateral (
      select greatest(d.next_attempt_at, w.held_until) as at from webhook_deliveries d
      where d.watch_id = w.id and d.status = 'pending' and ${isFirst(tx)}
      order by d.next_attempt_at limit 1
    ) next
    where w.receiver = ${receiver} and ${isSending(tx)} having count(*) > 0`
  return true
}
