import type { Db } from '../../../core/postgres/database'
import { idAt } from '../service/id-at'

export interface AdminAction {
  actor: string
  method: string
  path: string
  /** JSON text; null: there was no body, or it was too large to keep. */
  body: string | null
}

export const insertAdminAction = async (db: Db, { actor, method, path, body }: AdminAction): Promise<void> => {
  await db`
    insert into admin_actions (actor, method, path, body) values (${actor}, ${method}, ${path}, ${body}::text::jsonb)`
}

/** Actions as JSON texts, newest first: those of all admins when `actor` is null. */
export const listAdminActions = (
  db: Db,
  { actor, after, limit }: { actor: string | null; after: string | null; limit: number },
): Promise<{ id: string; body: string }[]> => db<{ id: string; body: string }[]>`
  select id, row_to_json(row)::text as body from (
    select id, actor, method, path, body, iso_utc(created_at) as created_at from admin_actions
    where true ${actor === null ? db`` : db`and actor = ${actor}`} ${after === null ? db`` : db`and id < ${after}`}
    order by id desc limit ${limit}
  ) row`

/** Deletes at most `limit` actions older than `days`. Returns how many. Ids contain the creation time. */
export const deleteOldAdminActions = async (
  db: Db,
  { days, limit }: { days: number; limit: number },
): Promise<number> => (await db`delete from admin_actions where id in (${oldAdminActions(db, { days, limit })})`).count

/** The ids of the actions that `deleteOldAdminActions` deletes. */
export const oldAdminActions = (db: Db, { days, limit }: { days: number; limit: number }) => db<{ id: string }[]>`
  select id from admin_actions where id < ${idAt(db, db`${days} * interval '-1 day'`)} order by id limit ${limit}`
