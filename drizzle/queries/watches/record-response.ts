import type { Db, Fragment, Sql, Transaction } from '../../../core/postgres/database'
import type { WorkAttempt } from '../work/claim-work'

/** A receiver's response to one request. */
export interface WebhookResponse {
  /** Null: there was no response. */
  status: number | null
  /** The beginning of its body. */
  text: string | null
  durationMs: number
}

/** The times of retries, which tests shorten. */
export interface RetryTimes {
  /** A delivery is given up when it fails this long after it was queued. */
  giveUpAfterMs: number
  /** After this many failures in a row, the watch sends nothing for a while. */
  failuresBeforeHold: number
  firstHoldMs: number
  longestHoldMs: number
}

/** Whether this attempt at a receiver's work is the current one. Otherwise another process sends the same deliveries. */
const isCurrent = (db: Db, { id, attempt }: WorkAttempt) =>
  db`exists (select from work where id = ${id} and attempts = ${attempt} and status = 'running')`

/** How often a watch records its successes. Not for each delivery, because that would update one row too often. */
const HOW_OFTEN_S = 5

/*
 * Both functions lock the watch before its delivery, as requests that change, replay or delete do: the opposite order would cause
 * deadlocks. They lock it in a statement of its own. A statement that locks a row and then updates it starts from the version of the row
 * before the lock, so it can wait for a request that waits for it (40P01, 2026-11-28: one of 400 failures of receivers that hang).
 */

/** Locks the watch of a delivery until the transaction ends. */
const lockWatchOf = (tx: Transaction, delivery: string) => tx`
  select from watches where id = (select watch_id from webhook_deliveries where id = ${delivery}) for no key update`

/** Records that the receiver accepted a delivery. Returns false if the work is no longer this attempt's, or the delivery is gone. */
export const recordDelivered = async (
  sql: Sql,
  work: WorkAttempt,
  { id, response }: { id: string; response: WebhookResponse },
): Promise<boolean> => {
  const deliver = (db: Db, which: Fragment) => db<{ watchId: string }[]>`
    update webhook_deliveries d set status = 'delivered', attempts = attempts + 1, finished_at = now(), error = null,
      response_status = ${response.status}, response = ${response.text}, duration_ms = ${response.durationMs}
    where d.id = ${id} and d.status = 'pending' and ${isCurrent(db, work)} ${which} returning d.watch_id as "watchId"`
  const hasNoted = sql`and exists (
    select from watches w
    where w.id = d.watch_id and w.failures = 0 and w.last_delivered_at >= now() - ${HOW_OFTEN_S} * interval '1 s')`
  if ((await deliver(sql, hasNoted)).length > 0) return true
  return sql.begin(async (tx) => {
    await lockWatchOf(tx, id)
    const [delivered] = await deliver(tx, tx``)
    if (delivered === undefined) return false
    await tx`
      update watches set failures = 0, failing_since = null, holds = 0, held_until = null, last_error = null, last_delivered_at = now()
      where id = ${delivered.watchId}`
    return true
  })
}

/** Whether delivery `d` is given up after a failure. */
const isOver = (db: Db, giveUpAfterMs: number) => db`d.queued_at < now() - ${giveUpAfterMs} * interval '1 ms'`

/** Whether the failure of watch `w` pauses it. While it is paused, requests in progress may still fail. */
const isHeld = (db: Db, failuresBeforeHold: number) =>
  db`(w.failures + 1 >= ${failuresBeforeHold} and coalesce(w.held_until, '-infinity') <= now())`

/**
 * Records that a request failed. The delivery is sent again after `retryInMs`, or is given up when its time is over. Then the watch's
 * other expired deliveries are given up too. After several failures in a row, the watch sends nothing for a while. `isGone`: the
 * receiver wants no more requests, so the delivery fails and the watch becomes inactive. Returns false if the work is no longer this
 * attempt's, or the delivery is gone.
 */
export const recordFailure = (
  sql: Sql,
  work: WorkAttempt,
  failure: { id: string; response: WebhookResponse; error: string; retryInMs: number; isGone: boolean },
  { giveUpAfterMs, failuresBeforeHold, firstHoldMs, longestHoldMs }: RetryTimes,
): Promise<boolean> => {
  const { id, response, error, retryInMs, isGone } = failure
  return sql.begin(async (tx) => {
    await lockWatchOf(tx, id)
    const rows = await tx`
      with failed as (
        update webhook_deliveries d set attempts = attempts + 1, error = ${error}, response_status = ${response.status},
          response = ${response.text}, duration_ms = ${response.durationMs},
          status = case when ${isGone} or ${isOver(tx, giveUpAfterMs)} then 'failed' else 'pending' end,
          finished_at = case when ${isGone} or ${isOver(tx, giveUpAfterMs)} then now() end,
          next_attempt_at = now() + ${retryInMs} * interval '1 ms'
        where d.id = ${id} and d.status = 'pending' and ${isCurrent(tx, work)}
        returning d.id, d.watch_id, d.status
      ), given_up as (
        update webhook_deliveries d set status = 'failed', finished_at = now(), error = coalesce(d.error, ${error})
        from failed f
        where d.watch_id = f.watch_id and f.status = 'failed' and d.id <> f.id and d.status = 'pending' and ${isOver(tx, giveUpAfterMs)}
      )
      update watches w set failures = failures + 1, failing_since = coalesce(failing_since, now()), last_error = ${error},
        active = active and not ${isGone}, gone_at = case when ${isGone} then now() else gone_at end,
        last_failed_at = case when f.status = 'failed' then now() else last_failed_at end,
        holds = holds + ${isHeld(tx, failuresBeforeHold)}::int,
        held_until = case when ${isHeld(tx, failuresBeforeHold)}
          then now() + least(${longestHoldMs}::float8, ${firstHoldMs}::float8 * power(2, least(holds, 30))) * interval '1 ms'
          else held_until end
      from failed f where w.id = f.watch_id returning w.id`
    return rows.length > 0
  })
}
