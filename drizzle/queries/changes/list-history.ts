import type { Db } from '../../../core/postgres/database'
import { changeJson } from './change-json'
import { cutChanges } from './cut-changes'

interface HistoryRow {
  version: number
  body: string
  /** How many changes were found, also those after this page. */
  found: number
}

export interface HistoryPage {
  /** The changes as JSON texts, newest first. */
  bodies: string[]
  /** `after` of the next page. Null: this is the last one. */
  next: number | null
}

/** At most `limit` changes of one parcel below version `after`. */
export const listHistory = async (
  db: Db,
  parcelId: string,
  { after, limit }: { after: number | null; limit: number },
): Promise<HistoryPage> => {
  const found = db`(
    select * from parcel_changes where parcel_id = ${parcelId} ${after === null ? db`` : db`and version < ${after}`}
    order by version desc limit ${limit + 1}
  ) page`
  const rows = await db<HistoryRow[]>`
    select version::float8 as version, ${changeJson(db)}::text as body, found::int as found
    from ${cutChanges(db, found, db`version desc`)}
    order by version desc limit ${limit}`
  const last = rows.at(-1)
  return {
    bodies: rows.map(({ body }) => body),
    next: last !== undefined && last.found > rows.length ? last.version : null,
  }
}
