import type { Logger } from 'pino'
import { createAlarm } from '../../../core/concurrency/alarm'
import { connectDatabase } from '../../../core/postgres/database'
import { compactChanges, listYearsToCompact } from '../../../drizzle/queries/changes/compact-changes'
import { createChangePartitions } from '../../../drizzle/queries/changes/create-partitions'

const HOUR_MS = 3_600_000

export interface Compaction {
  start: () => void
  /** Does not wait for a year that is being compacted: the database completes it or undoes all of it. */
  stop: () => Promise<void>
}

/**
 * Compacts each year of the change log once it ended `keepMonths` ago, one after another. Needs no leader: of several processes, one
 * compacts and the others do nothing.
 */
export const createCompaction = ({
  databaseUrl,
  keepMonths,
  log,
  everyMs = HOUR_MS,
}: {
  databaseUrl: string
  keepMonths: number
  log: Logger
  everyMs?: number
}): Compaction => {
  const sql = connectDatabase(databaseUrl, { max: 1, applicationName: 'compaction', patience: 'endless', probed: true })
  const alarm = createAlarm()
  let stopped = true

  const compactYears = async () => {
    for (const year of await listYearsToCompact(sql, keepMonths)) {
      if (stopped) return
      // Without a partition of this month, new changes would wait for the compaction: it locks the default partition.
      await createChangePartitions(sql)
      const fewer = await compactChanges(sql, year)
      if (fewer === null) return
      log.info({ year, fewer }, 'compacted a year of the change log')
    }
  }

  const run = async () => {
    while (!stopped) {
      await compactYears().catch((error: unknown) => {
        if (!stopped) log.warn({ err: error }, 'the change log could not be compacted; trying again in an hour')
      })
      await alarm.wait(everyMs)
    }
  }

  return {
    start() {
      stopped = false
      void run()
    },
    async stop() {
      stopped = true
      alarm.ring()
      await sql.end({ timeout: 0 })
    },
  }
}
