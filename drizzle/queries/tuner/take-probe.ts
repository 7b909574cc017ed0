import type { Db } from '../../../core/postgres/database'
import { LONGEST_HOLD_MS } from '../../../core/sources/tuner'

const PROBE_EVERY_MS = 60_000

/**
 * When the open breaker of vendor row `c` allows another job: a minute after the last one, and not before the portal's Retry-After has
 * passed, or an hour of it. That can be a Retry-After that the tuner already follows, or one that it has not read yet. Null: now.
 */
export const probeDueAt = (db: Db) => db`greatest(
  case when c.probed_at >= c.breaker_opened_at then c.probed_at + ${PROBE_EVERY_MS} * interval '1 ms' end,
  to_timestamp((c.tuner_state->>'holdUntil')::float8 / 1000),
  (
    select max(a.ended_at + least(a.retry_after_ms, ${LONGEST_HOLD_MS}) * interval '1 ms') from scrape_attempts a
    where a.vendor = c.vendor and a.ended_at > c.breaker_opened_at and a.retry_after_ms is not null
  )
)`

/** Whether the open breaker of vendor row `c` allows another job. */
export const isProbeDue = (db: Db) => db`coalesce(${probeDueAt(db)} <= now(), true)`

/**
 * Whether a job of this vendor may start now. With an open breaker, only when a probe is due; returning true then uses up the probe.
 */
export const takeProbe = async (db: Db, vendor: string): Promise<boolean> => {
  const [row] = await db<{ isAllowed: boolean }[]>`
    with taken as (
      update vendor_concurrency c set probed_at = now()
      where vendor = ${vendor} and breaker_opened_at is not null and ${isProbeDue(db)} returning 1
    )
    select exists (select from taken) or not exists (
      select from vendor_concurrency where vendor = ${vendor} and breaker_opened_at is not null
    ) as "isAllowed"`
  return row?.isAllowed === true
}
