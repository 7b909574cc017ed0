import type { Db } from '../../../core/postgres/database'

/** The highest version of the record that has been assigned. Unlike the watermark, it never decreases, except by a restore. */
export const findLastVersion = async (db: Db): Promise<number> => {
  const [row] = await db<{ version: number }[]>`select last_parcel_version()::float8 as version`
  if (row === undefined) throw new Error('last_parcel_version returned no row')
  return row.version
}
