import type { Db } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'

/**
 * The version up to which the change log is complete: every change up to it is committed or never will be. Read the log in a later
 * statement than this one (functions/parcel-changes.sql explains why). A transaction that stays open holds the watermark back.
 */
export const readWatermark = async (db: Db): Promise<number> => {
  const rows = await db<{ version: number }[]>`select parcel_watermark()::float8 as version`
  return onlyRow(rows).version
}
