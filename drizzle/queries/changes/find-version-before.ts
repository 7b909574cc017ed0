import type { Db } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'

/** A version such that all changes at `time` (ISO 8601) or later have higher versions. */
export const findVersionBefore = async (db: Db, time: string): Promise<number> => {
  const rows = await db<{ version: number }[]>`select parcel_version_before(${time})::float8 as version`
  return onlyRow(rows).version
}
