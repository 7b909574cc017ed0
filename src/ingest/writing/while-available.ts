import { describeTransient, isCollision, isTransient } from '../../../core/postgres/transient-errors'
import { ServiceError } from '../../../core/service-error'

export interface WaitOptions {
  onWaiting: (line: string) => void
  /** How long to retry while the database is down or busy. */
  retryForMs: number
}

/** Longest pause between two attempts. */
const MAX_PAUSE_MS = 5_000

/**
 * Runs a step, and runs it again while the database is down or busy.
 *
 * @throws ServiceError `server_unavailable` when that lasts longer than `retryForMs`.
 */
export const whileAvailable = async <Result>(
  step: () => Promise<Result>,
  { onWaiting, retryForMs }: WaitOptions,
): Promise<Result> => {
  let awaySince: number | null = null
  for (let attempt = 0; ; attempt++) {
    try {
      return await step()
    } catch (error) {
      if (isCollision(error) && attempt < 10) continue
      if (!isTransient(error)) throw error
      awaySince ??= performance.now()
      const pauseMs = Math.min(100 * 2 ** attempt, MAX_PAUSE_MS) * (0.5 + Math.random() / 2)
      if (performance.now() + pauseMs - awaySince > retryForMs) {
        throw new ServiceError(
          'server_unavailable',
          `${describeTransient(error)}, after ${Math.round(retryForMs / 1000)} s of retries (${(error as Error).message}): run the same command again to complete it`,
          { cause: error },
        )
      }
      if (attempt === 0) onWaiting(`${describeTransient(error)}: waiting for it`)
      await Bun.sleep(pauseMs)
    }
  }
}
