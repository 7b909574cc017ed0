import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { readPrimaryPosition, readReplayPosition } from '../../../core/postgres/replicas/positions'
import { MAX_LAG_MS } from '../../../core/postgres/replicas/replicas'
import { type Diagnosis, fault, hostOf, ok, warn } from './diagnosis'

const MB = 1024 ** 2
/** How often to ask a replica that has not caught up yet. */
const ASK_EVERY_MS = 200

/** A replica of `DATABASE_READ_URLS`, compared with the primary. Waits `maxLagMs` for one that is behind. */
export const examineReplica = async (primary: Sql, url: string, maxLagMs = MAX_LAG_MS): Promise<Diagnosis[]> => {
  const sql = connectDatabase(url, { max: 1, applicationName: 'doctor', patience: 'interactive' })
  try {
    const { position } = await readPrimaryPosition(primary)
    const markedAt = performance.now()
    let replayed = await readReplayPosition(sql)
    if (replayed === null) {
      return [
        fault(
          'replica',
          `${hostOf(url)} is not a replica`,
          'remove it from DATABASE_READ_URLS, or make it a replica of DATABASE_URL',
        ),
      ]
    }
    const behindMb = Math.max(0, position - replayed) / MB
    const what = `${hostOf(url)}, ${behindMb.toFixed(1)} MB behind`
    while (replayed !== null && replayed < position && performance.now() - markedAt < maxLagMs) {
      await Bun.sleep(ASK_EVERY_MS)
      replayed = await readReplayPosition(sql)
    }
    return replayed !== null && replayed < position
      ? [
          warn(
            'replica',
            `${what}; it did not catch up within ${maxLagMs / 1_000} s, so it gets no reads`,
            'check that its replay is not paused, and check its log, disk and network',
          ),
        ]
      : [ok('replica', what)]
  } finally {
    await sql.end({ timeout: 1 })
  }
}
