import type { Db } from '../../../core/postgres/database'
import { changeJson } from './change-json'

export interface HistoryRow {
  version: number
  body: string
}

/** The changes of one parcel as JSON texts, newest first, below version `after`. */
export const listHistory = (
  db: Db,
  parcelId: string,
  { after, limit }: { after: number | null; limit: number },
): Promise<HistoryRow[]> => db<HistoryRow[]>`
  select version::float8 as version, ${changeJson(db)}::text as body from parcel_changes
  where parcel_id = ${parcelId} ${after === null ? db`` : db`and version < ${after}`}
  order by version desc limit ${limit}`
