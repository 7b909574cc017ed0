import type { Db } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'

/** The highest version of the record that has been assigned. Unlike the watermark, it never decreases, except by a restore. */
export const findLastVersion = async (db: Db): Promise<number> => {
  const rows = await db<{ version: number }[]>`select last_parcel_version()::float8 as version`
  return onlyRow(rows).version
}
