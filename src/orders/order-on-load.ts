import type { Transaction } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { isUuid } from '../../core/text/uuid'
import { isCauseCompacted } from '../../drizzle/queries/changes/compact-changes'
import { endLoad } from '../../drizzle/queries/loads/end-load'
import { findCanApply, reopenLoad } from '../../drizzle/queries/loads/reopen-load'
import { lockSourceTurns } from '../../drizzle/queries/loads/source-turns'
import { lockLoad, type StoredLoad } from '../../drizzle/queries/loads/stored-load'
import { findCause } from '../../drizzle/queries/loads/undo-changes'
import { findSourceState } from '../../drizzle/queries/sources/create-source'
import { orderWork } from '../../drizzle/queries/work/order-work'
import { findLastUndo, findUndone, isUndone } from '../../drizzle/queries/work/undo-work'
import { WORK_KINDS } from '../../drizzle/queries/work/work-kinds'
import type { Cause } from '../../drizzle/schema/values'
import { describeRetired } from '../scrape/configure-source'
import { refuseRunningLoad } from './refuse-running-load'

/*
 * Apply, discard or undo a load. `by` is the first 8 characters of a key, or a person.
 */

/**
 * Queues work that applies a load that was held, or that failed while it was applied. Returns the id of the work.
 *
 * @throws ServiceError `not_found`; `conflict` when the load cannot be applied, or another load or a crawl of its source is running
 */
export const applyHeldLoad = async (tx: Transaction, id: string, by: string): Promise<string> => {
  const { source, status } = await getLoad(tx, id)
  if (!(await findCanApply(tx, id))) {
    const reason =
      status === 'failed'
        ? 'the load has failed and cannot be continued, because it was not read to the end, a newer load exists, or something was undone since: load its file again'
        : status === 'held'
          ? 'something was undone after the load was compared with the parcels of its source: load its file again'
          : `the load is ${status}: only a held load can be applied`
    throw new ServiceError('conflict', reason)
  }
  await reopenLoad(tx, id, `applied by ${by}`)
  return orderLoadWork(tx, { action: 'apply', cause_id: id }, source, by)
}

/**
 * Discards a held load. None of it was visible.
 *
 * @throws ServiceError `not_found`; `conflict` when the load is not held
 */
export const discardLoad = async (tx: Transaction, id: string, by: string): Promise<void> => {
  const load = await getLoad(tx, id)
  if (load.status !== 'held')
    throw new ServiceError('conflict', `the load is ${load.status}: only a held load can be discarded`)
  await endLoad(tx, load, 'discarded', `discarded by ${by}`)
}

/**
 * Queues work that undoes the changes of a load, crawl, scrape job or replay. Returns the id of the work.
 *
 * @throws ServiceError `not_found` when no cause with this id changed a parcel; `conflict` when the load is not applied, the cause is
 * undone already, its changes are compacted, its source is retired, or another load or a crawl of its source is running
 */
export const undoCause = async (tx: Transaction, id: string, by: string): Promise<string> => {
  if (isUuid(id) && (await isCauseCompacted(tx, (await findUndone(tx, id)).id)))
    throw new ServiceError(
      'conflict',
      'its changes are compacted (CHANGES_KEEP), and no longer have the values that it replaced: load an earlier file, or scrape again',
    )
  return orderUndo(tx, id, by)
}

/**
 * As `undoCause`, also if the changes of the cause are compacted. The retirement of a source is never merged with other changes.
 */
export const orderUndo = async (tx: Transaction, id: string, by: string): Promise<string> => {
  const load = isUuid(id) ? await lockLoad(tx, id) : null
  if (load !== null && load.status !== 'applied' && load.status !== 'failed')
    throw new ServiceError('conflict', `the load is ${load.status}: only an applied load can be undone`)
  const undone = isUuid(id) ? await findUndone(tx, id) : null
  // An undo that restored nothing changed no parcel, so what it undid names the source.
  const changed = undone === null ? null : await findCause(tx, undone.id)
  const source = load?.source ?? changed?.source
  if (undone === null || source === undefined)
    throw new ServiceError('not_found', 'no load, crawl, job or replay with this id changed a parcel')
  await lockSourceTurns(tx)
  if ((await isUndone(tx, undone.id)) === undone.isUndone)
    throw new ServiceError('conflict', 'it is undone already: to bring its changes back, undo the work of that undo')
  // Not `id`, if it is an earlier undo of the same changes: its own changes may have been replaced by a later one.
  const last = undone.isUndone ? undone.id : await findLastUndo(tx, undone.id)
  if (last !== null && last !== id) return orderUndo(tx, last, by)
  // Its parcels return with it. Otherwise a retired source would list parcels.
  if ((await findSourceState(tx, source)) === 'retired') throw new ServiceError('conflict', describeRetired(source))
  return orderLoadWork(
    tx,
    { action: 'undo', cause_id: id, cause: undone.isUndone ? (load?.kind ?? changed?.cause ?? null) : 'undo' },
    source,
    by,
  )
}

const getLoad = async (tx: Transaction, id: string): Promise<StoredLoad> => {
  const load = isUuid(id) ? await lockLoad(tx, id) : null
  if (load === null) throw new ServiceError('not_found', 'not found')
  return load
}

const orderLoadWork = async (
  tx: Transaction,
  payload: { action: 'apply'; cause_id: string } | { action: 'undo'; cause_id: string; cause: Cause | null },
  source: string,
  by: string,
): Promise<string> => {
  await lockSourceTurns(tx)
  await refuseRunningLoad(tx, source, 'try again when it has ended')
  const { id } = await orderWork(tx, { kind: WORK_KINDS.load, subject: source, source, payload, requestedBy: by })
  return id
}
