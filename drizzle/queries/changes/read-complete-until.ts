import type { Db } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'

export interface CompleteUntil {
  /** ISO 8601. Every change whose `updated_at` is earlier is committed. */
  time: string
  /** Those changes have versions up to this one. */
  version: number
}

/**
 * The time up to which a later list of changed parcels is complete. `updated_at` is when a transaction began, and its changes appear when
 * it commits. So this is when the oldest open transaction of the database began. A session shows its transaction slightly later than it
 * begins, which the second allows for. To see the transactions of other roles, the role of the service needs `pg_read_all_stats`.
 */
export const readCompleteUntil = async (primary: Db): Promise<CompleteUntil> => {
  const rows = await primary<CompleteUntil[]>`
    select iso_utc(least(min(xact_start), now() - interval '1 second')) as time, last_parcel_version()::float8 as version
    from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`
  return onlyRow(rows)
}
