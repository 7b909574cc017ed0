import type { Db, Fragment } from '../../../core/postgres/database'

/** SQL: tax statements are published now. The window is October to January. */
const isInWindow = (db: Db) => db`extract(month from now() at time zone 'UTC') in (10, 11, 12, 1)`

/** SQL for the beginning of the last window: October 1. */
const windowStart = (db: Db) =>
  db`(date_trunc('year', now() at time zone 'UTC' + interval '3 months') - interval '3 months') at time zone 'UTC'`

/**
 * How long a scrape counts as fresh under the cadence of policy `p`. For `tax-statement-window` it is one month during the window
 * (October to January), and nine months outside it.
 */
export const cadenceInterval = (db: Db) => db`(
  case p.cadence
    when 'daily' then interval '1 day' when 'weekly' then interval '7 days' when 'monthly' then interval '1 month'
    when 'quarterly' then interval '3 months' when 'annual' then interval '1 year'
    when 'tax-statement-window' then case when ${isInWindow(db)} then interval '1 month' else interval '9 months' end
  end)`

/**
 * SQL for when a source is due under the cadence of policy `p`, if its last refresh was at `last`. Under `tax-statement-window`, nothing is
 * due outside the window, unless the whole window was missed. What was refreshed in one window is due at the beginning of the next.
 */
export const dueAfter = (db: Db, last: Fragment) => db`(
  case when p.cadence <> 'tax-statement-window' then ${last} + ${cadenceInterval(db)}
    when not ${isInWindow(db)} and ${last} >= ${windowStart(db)} then ${windowStart(db)} + interval '1 year'
    else greatest(${last} + interval '1 month', ${windowStart(db)})
  end)`
