import { isConnectionLost, isTransient } from '../../../core/postgres/transient-errors'

/** A database that is away is asked this often: nothing is gained by waiting longer. */
const AWAY_PAUSE_MS = 200
/** One that is busy is asked at growing intervals. */
const LONGEST_PAUSE_MS = 5_000
/** After this long the error is the caller's: the same statement may never succeed. */
const BUSY_FOR_MS = 30_000

/**
 * Writes, and tries again while the database is away, or for a while when it is busy (core/postgres/transient-errors.ts). What is written may
 * be written twice: a statement whose answer was lost may have been done. Throws the last error once `isOver`.
 */
export const persist = async <Result>(
  write: () => Promise<Result>,
  { isOver, busyForMs = BUSY_FOR_MS }: { isOver: () => boolean; busyForMs?: number | undefined },
): Promise<Result> => {
  let busySince: number | null = null
  for (let attempt = 0; ; attempt++) {
    try {
      return await write()
    } catch (error) {
      if (!isTransient(error) || isOver()) throw error
      if (isConnectionLost(error)) {
        busySince = null
        await Bun.sleep(AWAY_PAUSE_MS)
        continue
      }
      busySince ??= performance.now()
      const pauseMs = Math.min(LONGEST_PAUSE_MS, 50 * 2 ** attempt) * (0.5 + Math.random())
      if (performance.now() + pauseMs - busySince > busyForMs) throw error
      await Bun.sleep(pauseMs)
    }
  }
}
