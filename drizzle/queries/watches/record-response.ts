import type { Db } from '../../../core/postgres/database'
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
 * Both statements lock the watch before its delivery, as requests that change, replay or delete do. The opposite order would cause
 * deadlocks.
 */

/** Records that the receiver accepted a delivery. Returns false if the work is no longer this attempt's, or the delivery is gone. */
export const recordDelivered = async (
  db: Db,
  work: WorkAttempt,
  { id, response }: { id: string; response: WebhookResponse },
): Promise<boolean> => {
  const rows = await db`
    with locked as materialized (
      select id from watches where id = (select watch_id from webhook_deliveries where id = ${id})
        and (failures > 0 or last_delivered_at is null or last_delivered_at < now() - ${HOW_OFTEN_S} * interval '1 s')
      for no key update
    ), delivered as (
      update webhook_deliveries set status = 'delivered', attempts = attempts + 1, finished_at = now(), error = null,
        response_status = ${response.status}, response = ${response.text}, duration_ms = ${response.durationMs}
      from (select count(*) from locked) first
      where id = ${id} and status = 'pending' and ${isCurrent(db, work)} returning watch_id
    ), noted as (
      update watches w set failures = 0, failing_since = null, holds = 0, held_until = null, last_error = null, last_delivered_at = now()
      from locked join delivered d on d.watch_id = locked.id where w.id = locked.id
    )
    select from delivered`
  return rows.length > 0
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
export const recordFailure = async (
  db: Db,
  work: WorkAttempt,
  failure: { id: string; response: WebhookResponse; error: string; retryInMs: number; isGone: boolean },
  { giveUpAfterMs, failuresBeforeHold, firstHoldMs, longestHoldMs }: RetryTimes,
): Promise<boolean> => {
  const { id, response, error, retryInMs, isGone } = failure
  const rows = await db`
    with locked as materialized (
      select id from watches where id = (select watch_id from webhook_deliveries where id = ${id}) for no key update
    ), failed as (
      update webhook_deliveries d set attempts = attempts + 1, error = ${error}, response_status = ${response.status},
        response = ${response.text}, duration_ms = ${response.durationMs},
        status = case when ${isGone} or ${isOver(db, giveUpAfterMs)} then 'failed' else 'pending' end,
        finished_at = case when ${isGone} or ${isOver(db, giveUpAfterMs)} then now() end,
        next_attempt_at = now() + ${retryInMs} * interval '1 ms'
      from locked
      where d.id = ${id} and d.watch_id = locked.id and d.status = 'pending' and ${isCurrent(db, work)}
      returning d.id, d.watch_id, d.status
    ), given_up as (
      update webhook_deliveries d set status = 'failed', finished_at = now(), error = coalesce(d.error, ${error})
      from failed f
      where d.watch_id = f.watch_id and f.status = 'failed' and d.id <> f.id and d.status = 'pending' and ${isOver(db, giveUpAfterMs)}
    )
    update watches w set failures = failures + 1, failing_since = coalesce(failing_since, now()), last_error = ${error},
      active = active and not ${isGone}, gone_at = case when ${isGone} then now() else gone_at end,
      last_failed_at = case when f.status = 'failed' then now() else last_failed_at end,
      holds = holds + ${isHeld(db, failuresBeforeHold)}::int,
      held_until = case when ${isHeld(db, failuresBeforeHold)}
        then now() + least(${longestHoldMs}::float8, ${firstHoldMs}::float8 * power(2, least(holds, 30))) * interval '1 ms'
        else held_until end
    from failed f where w.id = f.watch_id returning w.id`
  return rows.length > 0
}
