import type { Db } from '../../../core/postgres/database'

/**
 * Stores a count of zero for sources that were never counted and have no parcels. A new service has hundreds of them, so they are not
 * counted one by one. `version` is the dataset version before the call.
 */
export const storeEmptySources = async (db: Db, version: number): Promise<void> => {
  await db`
    insert into source_coverage (source, parcels, retired, filled, version, counted_at)
    select source, 0, 0, '{}', ${version}::bigint, now()
    from sources s
    where not exists (select from source_coverage c where c.source = s.source)
      and not exists (select from parcels p where p.source = s.source)
    on conflict do nothing`
}
