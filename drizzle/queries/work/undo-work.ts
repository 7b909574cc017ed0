import type { Db } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import { WORK_KINDS } from './work-kinds'

/** SQL condition: the work `w` is an undo that has ended well. `payload ->> 'cause_id'` is what it undid. */
export const isUndo = (db: Db) =>
  db`(w.kind = ${WORK_KINDS.load.name} and w.status = 'done' and w.payload ->> 'action' = 'undo')`

/**
 * SQL query: what is undone now (`cause_id`), and since when (`at`). An undo can be undone itself, and so on, so every second undo in a
 * row brings the changes back. `except` is an undo that does not count.
 */
export const selectUndone = (db: Db, except: string | null) => db`
  with recursive last_undo as (
    select distinct on (payload ->> 'cause_id') (payload ->> 'cause_id')::uuid as cause_id, id, finished_at as at
    from work w where ${isUndo(db)} and id is distinct from ${except}::uuid order by payload ->> 'cause_id', id desc
  ), undos_in_a_row as (
    select cause_id, id, at from last_undo
    union all
    select r.cause_id, next.id, next.at from undos_in_a_row r join last_undo next on next.cause_id = r.id
  )
  select cause_id, max(at) as at from undos_in_a_row group by cause_id having count(*) % 2 = 1`

/** Whether the changes of a load, crawl, job, replay or undo are undone now. */
export const isUndone = async (db: Db, causeId: string): Promise<boolean> => {
  const rows = await db`select from (${selectUndone(db, null)}) undone where cause_id = ${causeId}`
  return rows.length > 0
}

/** The last undo of a cause. Null: it was never undone. */
export const findLastUndo = async (db: Db, causeId: string): Promise<string | null> => {
  const [undo] = await db<{ id: string }[]>`
    select id from work w where ${isUndo(db)} and payload ->> 'cause_id' = ${causeId} order by id desc limit 1`
  return undo?.id ?? null
}

/**
 * What an undo of `causeId` changes in the end: if the cause is an undo itself, `id` is what that one undid, and so on. `isUndone`: the
 * undo takes its changes back; otherwise it brings them back.
 */
export const findUndone = async (db: Db, causeId: string): Promise<{ id: string; isUndone: boolean }> => {
  const rows = await db<{ id: string; isUndone: boolean }[]>`
    with recursive causes as (
      select ${causeId}::uuid as id, 0 as undos
      union all
      select (w.payload ->> 'cause_id')::uuid, c.undos + 1 from causes c join work w using (id) where ${isUndo(db)}
    )
    select id, undos % 2 = 0 as "isUndone" from causes order by undos desc limit 1`
  return onlyRow(rows)
}
