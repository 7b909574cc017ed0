import type { Db, Sql, Transaction } from '../../../core/postgres/database'

/** A rejected record. `place`: its line or feature in a file. */
export interface RejectedRecord {
  what: string
  place: string | null
  reason: string
}

/** Replaces the rejected records of an earlier attempt. */
export const replaceRejects = (sql: Sql, workId: string, rejects: readonly RejectedRecord[]): Promise<unknown> =>
  sql.begin(async (tx) => {
    await tx`delete from work_rejects where work_id = ${workId}`
    await addRejects(tx, workId, rejects)
  })

/** The stored rejected records, in the order in which they were rejected. Null: there is no such work. */
export const listRejects = async (db: Db, workId: string): Promise<RejectedRecord[] | null> => {
  const rows = await db<(RejectedRecord & { id: string | null })[]>`
    select r.id, r.what, r.place, r.reason from work w left join work_rejects r on r.work_id = w.id where w.id = ${workId} order by r.id`
  return rows.length === 0 ? null : rows.filter(({ id }) => id !== null)
}

/** Stores rejected records of work, with the reasons. */
export const addRejects = async (
  tx: Transaction,
  workId: string,
  rejects: readonly (Omit<RejectedRecord, 'place'> & { place?: string | null })[],
): Promise<void> => {
  await tx`
    insert into work_rejects (work_id, what, place, reason)
    select ${workId}, r.* from json_to_recordset(${JSON.stringify(rejects)}::text::json) as r (what text, place text, reason text)`
}
