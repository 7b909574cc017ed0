import type { Transaction } from '../../../core/postgres/database'

/** Stores rejected records of work, with the reasons. */
export const addRejects = async (
  tx: Transaction,
  workId: string,
  rejects: readonly { what: string; reason: string }[],
): Promise<void> => {
  await tx`
    insert into work_rejects (work_id, what, reason)
    select ${workId}, r.* from json_to_recordset(${JSON.stringify(rejects)}::text::json) as r (what text, reason text)`
}
