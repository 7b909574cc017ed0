import type { Db } from '../../../core/postgres/database'

/**
 * How long a scrape counts as fresh under the cadence of policy `p`. For `tax-statement-window` it is one month during the window
 * (October to January), and nine months outside it.
 */
export const cadenceInterval = (db: Db) => db`(
  case p.cadence
    when 'daily' then interval '1 day' when 'weekly' then interval '7 days' when 'monthly' then interval '1 month'
    when 'quarterly' then interval '3 months' when 'annual' then interval '1 year'
    when 'tax-statement-window' then
      case when extract(month from now() at time zone 'UTC') in (10, 11, 12, 1) then interval '1 month' else interval '9 months' end
  end)`
