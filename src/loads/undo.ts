import type { Sql } from '../../core/postgres/database'
import { storeRedo, storeUndo } from '../../drizzle/queries/loads/store-undo'
import { lockLoad } from '../../drizzle/queries/loads/stored-load'
import { undoBatch } from '../../drizzle/queries/loads/undo-changes'
import { deleteLinks } from '../../drizzle/queries/parcels/parcel-links'
import { restoreDataAsOf } from '../../drizzle/queries/sources/advance-data-as-of'
import { advanceWork, lockWork } from '../../drizzle/queries/work/advance-work'
import type { WorkAttempt } from '../../drizzle/queries/work/claim-work'
import { finishWork } from '../../drizzle/queries/work/end-work-attempt'
import { findUndone } from '../../drizzle/queries/work/undo-work'
import type { UndoResult } from '../../drizzle/schema/parcels/loads'
import { recountLoaded } from '../coverage/recount-loaded'
import { linkSuccessors } from '../parcels/link-successors'
import { lostLoad } from './load-attempt'
import { reviewRestored } from './review-restored'

/** How many parcels the result lists. */
const MAX_NAMED = 100

/** The progress of an undo: the last undone version, and the result so far. */
interface Progress {
  version: number
  result: UndoResult
}

const NOTHING_UNDONE: Progress = { version: 0, result: { restored: 0, retired: 0, kept: 0, kept_first: [] } }

/**
 * Undoes the changes of a load, crawl or job, batch by batch, as new changes whose cause is the work of the undo. Another process can
 * continue it. An undo of the undo of a load brings the load back: it is applied again.
 *
 * @throws WorkLost when another process has the work; the signal's reason when it aborts
 */
export const undo = async (
  sql: Sql,
  {
    causeId,
    source,
    work,
    cursor,
    signal,
  }: { causeId: string; source: string | null; work: WorkAttempt; cursor: string | null; signal: AbortSignal },
): Promise<UndoResult> => {
  const { id, isUndone } = await findUndone(sql, causeId)
  const redoOf = isUndone ? null : causeId
  let progress: Progress | null = cursor === null ? NOTHING_UNDONE : JSON.parse(cursor)
  let { result } = progress ?? NOTHING_UNDONE
  while (progress !== null) {
    signal.throwIfAborted()
    progress = await undoNext(sql, { causeId: id, redoOf }, work, progress)
    result = progress?.result ?? result
  }
  if (source !== null) await recountLoaded(sql, source, { changed: result.restored + result.retired, signal })
  if (!isUndone) await linkSuccessors(sql, id)
  await sql.begin(async (tx) => {
    if ((await lockWork(tx, work)) === null) throw lostLoad()
    const load = await lockLoad(tx, id)
    if (load !== null && isUndone) {
      await storeUndo(tx, id, result)
      await deleteLinks(tx, id)
      await restoreDataAsOf(tx, load)
    } else if (load !== null) {
      await storeRedo(tx, load)
    }
    await finishWork(tx, work, { status: 'undone', ...result })
  })
  return result
}

/** Null: nothing is left to undo. */
const undoNext = (
  sql: Sql,
  cause: { causeId: string; redoOf: string | null },
  work: WorkAttempt,
  { version, result }: Progress,
): Promise<Progress | null> =>
  sql.begin(async (tx) => {
    if ((await lockWork(tx, work)) === null) throw lostLoad()
    const batch = await undoBatch(tx, { ...cause, undoId: work.id, after: version })
    if (batch.version === null) return null
    for (const parcels of batch.reviewed) await reviewRestored(tx, parcels, [cause.redoOf ?? cause.causeId, work.id])
    const next = {
      version: batch.version,
      result: {
        restored: result.restored + batch.restored,
        retired: result.retired + batch.retired,
        kept: result.kept + batch.kept.length,
        kept_first: [...result.kept_first, ...batch.kept].slice(0, MAX_NAMED),
      },
    }
    await advanceWork(tx, work, {
      done: next.result.restored + next.result.retired,
      cursor: JSON.stringify(next),
      result: { ...next.result },
    })
    return next
  }) as Promise<Progress | null>
