import type { Logger } from 'pino'
import type { Sql } from '../../drizzle/database'
import { deleteFinishedJobs } from '../../drizzle/queries/delete-finished-jobs'
import { enqueueRunSet, listRunsToEnqueue } from '../../drizzle/queries/enqueue-runs'
import { finishRuns } from '../../drizzle/queries/finish-runs'
import { deleteOldIdempotencyKeys } from '../../drizzle/queries/idempotency-keys'
import { listDueSources } from '../../drizzle/queries/list-due-sources'
import { startRun } from '../../drizzle/queries/start-run'
import { nextDue } from '../services/next-due'
import { createAlarm } from './alarm'
import { createLeader } from './leader'

export interface SchedulerDeps {
  databaseUrl: string
  sql: Sql
  log: Logger
  /** How often sources are looked at. */
  pollMs?: number
}

export interface Scheduler {
  start: () => void
  stop: () => Promise<void>
}

const POLL_MS = 5_000
const DUE_AT_ONCE = 50
/** Parcels that one statement queues, and jobs that one forgets: some tens of milliseconds each. */
const SET_SIZE = 5_000
const HISTORY_DAYS = 30

/**
 * Refreshes sources when they are due, and forgets old jobs. One process does it; the others stand by. Where a run stands is in
 * the database, so that whoever takes over goes on with it.
 */
export const createScheduler = ({ databaseUrl, sql, log, pollMs = POLL_MS }: SchedulerDeps): Scheduler => {
  const leader = createLeader(databaseUrl, 'scrape-jobs-scheduler')
  const alarm = createAlarm()
  let stopped = true
  let running: Promise<void> | null = null

  const startRuns = async (): Promise<void> => {
    const now = new Date()
    for (const { source, cadence, nextDueAt: dueAt } of await listDueSources(sql, DUE_AT_ONCE)) {
      const nextDueAt = nextDue(cadence, dueAt, now)
      await startRun(sql, source, { dueAt, nextDueAt })
      log.info({ source, nextDueAt }, 'a refresh begins')
    }
  }

  /** Sources take turns, set by set: a large one does not keep the others waiting. */
  const enqueueRuns = async (): Promise<void> => {
    let sources = await listRunsToEnqueue(sql)
    while (sources.length > 0 && !stopped) {
      const unfinished: string[] = []
      for (const source of sources) if (await enqueueRunSet(sql, source, SET_SIZE)) unfinished.push(source)
      sources = unfinished
    }
  }

  const round = async (): Promise<void> => {
    if (await leader.leads()) {
      await startRuns()
      await enqueueRuns()
      for (const source of await finishRuns(sql)) log.info({ source }, 'a refresh has ended')
      while (!stopped && (await deleteFinishedJobs(sql, { days: HISTORY_DAYS, limit: SET_SIZE })) > 0);
      while (!stopped && (await deleteOldIdempotencyKeys(sql, SET_SIZE)) > 0);
    }
    await alarm.wait(pollMs)
  }

  return {
    start() {
      stopped = false
      running = (async () => {
        while (!stopped) {
          await round().catch(async (error) => {
            log.warn({ err: error }, 'the scheduler tries again')
            await alarm.wait(pollMs)
          })
        }
      })()
    },
    async stop() {
      stopped = true
      alarm.ring()
      await running
      await leader.stop()
    },
  }
}
