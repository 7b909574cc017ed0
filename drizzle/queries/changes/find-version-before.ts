import type { Db } from '../../../core/postgres/database'

/** The version after which all changes at `time` or later are (ISO 8601). */
export const findVersionBefore = async (db: Db, time: string): Promise<number> => {
  const [row] = await db<{ version: number }[]>`select parcel_version_before(${time})::float8 as version`
  if (row === undefined) throw new Error('parcel_version_before returned no row')
  return row.version
}
