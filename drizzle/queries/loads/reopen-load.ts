import type { Db, Transaction } from '../../../core/postgres/database'
import { isUndo } from '../work/undo-work'

/**
 * SQL condition: the load `l` can be applied. It is held, or it failed while it was applied. In the second case it must be the newest
 * load that was compared, because an older one's staged values would overwrite newer ones, and they are deleted when a newer load is
 * compared, even if that one is then discarded. If something was undone since it was compared, it cannot: parcels that it did not have to
 * write then are different now.
 */
export const canApply = (db: Db) => db`
  ((l.status = 'held' or l.status = 'failed' and l.judged_at is not null and not exists (
    select from loads n where n.source = l.source and n.id > l.id and n.judged_at is not null
  )) and not exists (
    select from work w where ${isUndo(db)} and w.source = l.source and w.finished_at > l.judged_at
  ))`

export const findCanApply = async (db: Db, id: string): Promise<boolean> => {
  const [row] = await db<{ can: boolean }[]>`select ${canApply(db)} as can from loads l where id = ${id}`
  return row?.can ?? false
}

/** Marks a held load, or one that failed while it was applied, to be applied. */
export const reopenLoad = async (tx: Transaction, id: string, note: string): Promise<void> => {
  await tx`update loads set status = 'applying', ended_at = null, note = ${note} where id = ${id}`
}
