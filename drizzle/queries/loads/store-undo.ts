import type { Transaction } from '../../../core/postgres/database'
import type { UndoResult } from '../../schema/parcels/loads'
import type { LoadStatus } from '../../schema/values'
import { advanceDataAsOf, restoreDataAsOf } from '../sources/advance-data-as-of'
import type { StoredLoad } from './stored-load'

/** The changes of a load were undone. */
export const storeUndo = async (tx: Transaction, id: string, undo: UndoResult): Promise<void> => {
  await tx`
    update loads set status = 'undone', ended_at = clock_timestamp(), undo = ${JSON.stringify(undo)}::text::jsonb where id = ${id}`
}

/** The undo of a load was undone. If the load had been applied only in part, it has failed again. */
export const storeRedo = async (tx: Transaction, { id, source, kind, asOf }: StoredLoad): Promise<void> => {
  const [load] = await tx<{ status: LoadStatus }[]>`
    update loads set status = case when applied_at is null then 'failed' else 'applied' end,
      ended_at = case when applied_at is null then clock_timestamp() end, undo = null
    where id = ${id} returning status`
  if (kind === 'crawl') await restoreDataAsOf(tx, { source, kind, asOf })
  else if (load?.status === 'applied' && asOf !== null) await advanceDataAsOf(tx, source, asOf)
}
