import type { Db } from '../../../core/postgres/database'

/** The newest date of the data of the source's applied loads, if it is after `asOf`. */
export const findNewerData = async (db: Db, source: string, asOf: string): Promise<string | null> => {
  const [newest] = await db<{ as_of: string | null }[]>`
    select max(as_of)::text as as_of from loads where source = ${source} and status = 'applied' and as_of > ${asOf}::date`
  return newest?.as_of ?? null
}
