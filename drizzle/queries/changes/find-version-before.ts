import type { Db } from '../../../core/postgres/database'

/** A version such that all changes at `time` (ISO 8601) or later have higher versions. */
export const findVersionBefore = async (db: Db, time: string): Promise<number> => {
  const [row] = await db<{ version: number }[]>`select parcel_version_before(${time})::float8 as version`
  if (row === undefined) throw new Error('parcel_version_before returned no row')
  return row.version
}
