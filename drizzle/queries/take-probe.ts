import type { Db } from '../database'

const PROBE_EVERY_MS = 60_000

/**
 * Whether a job of this vendor may be started now. Always, unless its breaker is open: then one a minute, and the caller that is
 * told so has taken that turn.
 */
export const takeProbe = async (db: Db, vendor: string): Promise<boolean> => {
  const [closed] = await db`select from vendor_concurrency where vendor = ${vendor} and breaker_opened_at is not null`
  if (closed === undefined) return true
  const taken = await db`
    update vendor_concurrency set probed_at = now()
    where vendor = ${vendor} and breaker_opened_at is not null
      and (probed_at is null or probed_at < breaker_opened_at or probed_at <= now() - ${PROBE_EVERY_MS} * interval '1 ms')`
  return taken.count === 1
}
