import type { Db } from '../../../core/postgres/database'

/** Creates the partitions of the change log for this month and the next two. Does nothing for those that exist. */
export const createChangePartitions = async (db: Db): Promise<void> => {
  await db`select create_parcel_change_partitions()`
}
