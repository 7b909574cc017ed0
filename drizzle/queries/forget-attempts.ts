import type { Db } from '../database'

/** Drops the attempts that no window reaches any more, nor would if it were doubled. Returns how many they were. */
export const forgetAttempts = async (db: Db): Promise<number> =>
  (
    await db`
      delete from scrape_attempts a using vendor_concurrency v
      where a.vendor = v.vendor
        and a.ended_at < now() - greatest(interval '1 hour', 2 * v.signal_window_minutes * interval '1 minute')`
  ).count
