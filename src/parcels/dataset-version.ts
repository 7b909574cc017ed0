import type { Logger } from 'pino'
import { CHANNELS } from '../../core/channels'
import { createAlarm } from '../../core/concurrency/alarm'
import { throttleReports } from '../../core/observe/throttle-reports'
import type { Sql } from '../../core/postgres/database'
import { readWatermark } from '../../drizzle/queries/changes/read-watermark'

/** The version of the record that this process knows: every change up to it is visible to later reads. */
export interface DatasetVersion {
  /** Needs no query. Null until the first version was read. */
  known: () => number | null
  /** The minimum version of a read, whichever server answers: lower than `known` if a replica has less. */
  shared: () => number | null
  /** Reads the version from the database now. */
  read: () => Promise<number>
  /** Waits until the version is above `version`, `timeoutMs` has passed, `signal` is aborted or the process stops. */
  waitBeyond: (version: number, timeoutMs: number, signal: AbortSignal) => Promise<void>
  isStopped: () => boolean
  stop: () => Promise<void>
}

/** Many notifications in a row cause one read. */
const SHORTEST_PAUSE_MS = 50
/** The watermark also advances without a notification: when a transaction that held it rolls back. */
const POLL_MS = 1_000

/** Follows the watermark of the change log with one query per notification, and one per second. */
export const followDatasetVersion = (
  sql: Sql,
  { log, ofReplicas = () => null }: { log: Logger; ofReplicas?: () => number | null },
): DatasetVersion => {
  const alarm = createAlarm()
  const waiting = new Set<() => void>()
  const warn = throttleReports((error, times) => log.warn({ err: error, times }, 'the watermark could not be read'))
  let known: number | null = null
  let stopped = false

  const wakeAll = () => {
    for (const wake of [...waiting]) wake()
  }

  const read = async (): Promise<number> => {
    const version = await readWatermark(sql)
    if (known !== null && version <= known) return version
    known = version
    wakeAll()
    return version
  }

  const follow = async () => {
    while (!stopped) {
      await read().catch(warn)
      await alarm.wait(POLL_MS)
      if (!stopped) await Bun.sleep(SHORTEST_PAUSE_MS)
    }
  }

  void sql.listen(CHANNELS.parcelChanges, alarm.ring, alarm.ring)
  const following = follow()
  return {
    known: () => known,
    shared: () => {
      const least = ofReplicas()
      return least === null || known === null ? known : Math.min(least, known)
    },
    read,
    async waitBeyond(version, timeoutMs, signal) {
      if (stopped || signal.aborted || (known !== null && known > version)) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const check = () => {
        if (stopped || (known !== null && known > version)) resolve()
      }
      const timer = setTimeout(resolve, timeoutMs)
      signal.addEventListener('abort', () => resolve(), { once: true })
      waiting.add(check)
      await promise
      waiting.delete(check)
      clearTimeout(timer)
    },
    isStopped: () => stopped,
    async stop() {
      stopped = true
      wakeAll()
      alarm.ring()
      await following
    },
  }
}
