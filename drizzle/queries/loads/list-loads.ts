import type { Db } from '../../../core/postgres/database'
import type { LoadStatus } from '../../schema/values'
import { canApply } from './reopen-load'

/** The fields that callers see. `l` is a row of `loads`. */
const loadFields = (db: Db) => db`
  l.id, l.source, l.kind, l.status, l.is_complete, l.as_of, l.file, l.cleared, l.counts, l.verdict, l.undo, l.created_by, l.note,
  ${canApply(db)} as can_apply,
  iso_utc(l.created_at) as created_at, iso_utc(l.judged_at) as judged_at, iso_utc(l.applied_at) as applied_at, iso_utc(l.ended_at) as ended_at`

/** The loads that match the filter, newest first, as JSON texts. `after` is the last id of the previous page; ids increase with time. */
export const listLoads = (
  db: Db,
  { source, status }: { source?: string | undefined; status?: LoadStatus | undefined },
  { after, limit }: { after: string | null; limit: number },
): Promise<{ id: string; body: string }[]> => db<{ id: string; body: string }[]>`
  select id, row_to_json(row)::text as body from (
    select ${loadFields(db)} from loads l
    where true ${source === undefined ? db`` : db`and l.source = ${source}`}
      ${status === undefined ? db`` : db`and l.status = ${status}`}
      ${after === null ? db`` : db`and l.id < ${after}`}
    order by l.id desc limit ${limit}
  ) row order by id desc`

/** A load as JSON text. Null: there is none with this id. */
export const findLoad = async (db: Db, id: string): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    select row_to_json(row)::text as body from (select ${loadFields(db)} from loads l where l.id = ${id}) row`
  return row?.body ?? null
}
