import type { Sql } from '../../core/postgres/database'
import { isTransient } from '../../core/postgres/transient-errors'
import { isWorthCounting } from '../../drizzle/queries/coverage/is-worth-counting'
import { countNewChanges } from './count-new-changes'
import { countSource } from './count-source'

/**
 * Counts the parcels and changes of a source that a load or an undo has changed. Call it before the work is done, so that the coverage has
 * the new figures when the caller hears that it is done. If the database is busy, the scheduler counts the source some minutes later.
 *
 * @throws the signal's reason when it aborts
 */
export const recountLoaded = async (
  sql: Sql,
  source: string,
  { changed, signal }: { changed: number; signal?: AbortSignal | undefined },
): Promise<void> => {
  try {
    if (!(await isWorthCounting(sql, source, changed))) return
    // First, because readers are told when the source is counted.
    await countNewChanges(
      (step) => sql.begin(step) as Promise<boolean>,
      () => signal?.aborted === true,
    )
    await countSource(sql, source, {
      begin: (store) => sql.begin(store),
      onPiece: () => signal?.throwIfAborted(),
    })
  } catch (error) {
    if (!isTransient(error)) throw error
  }
}
