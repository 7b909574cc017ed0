import type { Db } from '../../../core/postgres/database'
import type { JobStatus } from '../../schema/values'
import { whyWaiting } from './why-waiting'

/** The fields that callers see, without the area of an export, which can be large. `w` is a row of `work`. */
const workFields = (db: Db) => db`
  w.id, w.kind, w.subject, w.source, w.status, w.requested_by, w.attempts, w.done, w.total, w.payload #- '{place,area}' as payload, w.result, w.error_code, w.error_message,
  iso_utc(w.created_at) as created_at, iso_utc(w.started_at) as started_at, iso_utc(w.finished_at) as finished_at,
  ${whyWaiting(db)}`

export interface WorkFilter {
  kind?: string | undefined
  status?: JobStatus | undefined
  source?: string | undefined
}

/** The work that matches the filter, newest first, as JSON text. `after` is the last id of the previous page; ids increase with time. */
export const listWork = (
  db: Db,
  { kind, status, source }: WorkFilter,
  { after, limit }: { after: string | null; limit: number },
): Promise<{ id: string; body: string }[]> => db<{ id: string; body: string }[]>`
  select id, row_to_json(row)::text as body from (
    select ${workFields(db)} from work w
    where true ${kind === undefined ? db`` : db`and w.kind = ${kind}`}
      ${status === undefined ? db`` : db`and w.status = ${status}`}
      ${source === undefined ? db`` : db`and w.source = ${source}`}
      ${after === null ? db`` : db`and w.id < ${after}`}
    order by w.id desc limit ${limit}
  ) row order by id desc`

/** Work as JSON text. Null: there is none with this id. */
export const findWork = async (db: Db, id: string): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    select row_to_json(row)::text as body from (select ${workFields(db)} from work w where w.id = ${id}) row`
  return row?.body ?? null
}
