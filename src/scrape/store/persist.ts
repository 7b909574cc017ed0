import { isConnectionLost, isTransient } from '../../../core/postgres/transient-errors'

/** How often to retry while the database is down. A longer pause has no benefit. */
const AWAY_PAUSE_MS = 200
/** If the database is busy, retry with growing pauses up to this. */
const LONGEST_PAUSE_MS = 5_000
/** After this time, throw the error: the statement may never succeed. */
const BUSY_FOR_MS = 30_000

/**
 * Writes, and retries while the database is down, or for a while when it is busy (core/postgres/transient-errors.ts). The write may
 * happen twice: a statement may have succeeded although its response was lost. Throws the last error once `isOver`.
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
