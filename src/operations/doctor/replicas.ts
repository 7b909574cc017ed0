import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { readPrimaryPosition, readReplayPosition } from '../../../core/postgres/replicas/positions'
import { type Diagnosis, fault, hostOf, ok, warn } from './diagnosis'

const MB = 1024 ** 2
/** About what a fast load writes in a second. */
const FAR_BEHIND_MB = 16

/** A replica of `DATABASE_READ_URLS`, compared with the primary. */
export const examineReplica = async (primary: Sql, url: string): Promise<Diagnosis[]> => {
  const sql = connectDatabase(url, { max: 1, applicationName: 'doctor', patience: 'interactive' })
  try {
    const { position } = await readPrimaryPosition(primary)
    const replayed = await readReplayPosition(sql)
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
    return behindMb > FAR_BEHIND_MB
      ? [warn('replica', what, 'run doctor again; if the replica stays behind, check its log, disk and network')]
      : [ok('replica', what)]
  } finally {
    await sql.end({ timeout: 1 })
  }
}
