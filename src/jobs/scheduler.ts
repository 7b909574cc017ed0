import type { Logger } from 'pino'
import type { Sql } from '../../drizzle/database'
import { deleteFinishedCrawls } from '../../drizzle/queries/delete-finished-crawls'
import { deleteFinishedJobs } from '../../drizzle/queries/delete-finished-jobs'
import { enqueueRunSet, listRunsToEnqueue } from '../../drizzle/queries/enqueue-runs'
import { forgetEvents } from '../../drizzle/queries/events'
import { finishRuns } from '../../drizzle/queries/finish-runs'
import { deleteOldIdempotencyKeys } from '../../drizzle/queries/idempotency-keys'
import { listDueSources } from '../../drizzle/queries/list-due-sources'
import { deleteEndedSessions } from '../../drizzle/queries/sessions'
import { deleteOldAttempts } from '../../drizzle/queries/sign-in-attempts'
import { startCrawlRun, startRun } from '../../drizzle/queries/start-run'
import { deleteOldTuningEntries } from '../../drizzle/queries/tuning-log'
import { createAlarm } from '../alarm'
import { nextDue } from '../services/next-due'
import { runTuner } from '../services/run-tuner'
import { tellNowAndThen } from '../tell-now-and-then'
import { withSpan } from '../with-span'
import { createLeader } from './leader'

export interface SchedulerDeps {
  databaseUrl: string
  sql: Sql
  log: Logger
  /** Those whose sources are scraped in full by crawling. */
  crawledVendors: readonly string[]
  /** How often sources are looked at. */
  pollMs?: number
  /** How often the tuner runs, and the length of a minute of its windows; shortened for trials. */
  minuteMs?: number
}

export interface Scheduler {
  start: () => void
  stop: () => Promise<void>
}

const POLL_MS = 5_000
const MINUTE_MS = 60_000
const DUE_AT_ONCE = 50
/** Parcels that one statement queues, and jobs that one forgets: some tens of milliseconds each. */
const SET_SIZE = 5_000
const HISTORY_DAYS = 30
/** How far back the decisions on a vendor's concurrency can be read, and replayed. */
const TUNING_DAYS = 90
/** How long a reader of events may be away and miss nothing. */
const EVENT_HOURS = 1

/**
 * Refreshes sources when they are due, forgets old jobs, and tunes the vendors' concurrency, which does not wait for the rest. One
 * process does it; the others stand by. Where a run stands is in the database, so that whoever takes over goes on with it.
 */
export const createScheduler = ({
  databaseUrl,
  sql,
  log,
  crawledVendors,
  pollMs = POLL_MS,
  minuteMs = MINUTE_MS,
}: SchedulerDeps): Scheduler => {
  const leader = createLeader(databaseUrl, 'scrape-jobs-scheduler')
  const alarms = { refresh: createAlarm(), tune: createAlarm() }
  let stopped = true
  let running: Promise<unknown> | null = null

  const startRuns = async (): Promise<void> => {
    const now = new Date()
    for (const due of await listDueSources(sql, DUE_AT_ONCE)) {
      const { source, vendor, cadence, agriculturalOnly, nextDueAt: dueAt } = due
      const nextDueAt = nextDue(cadence, dueAt, now)
      // A crawl brings all that the layer has; where only farms are wanted, they are asked for one by one.
      const isCrawl = crawledVendors.includes(vendor) && !agriculturalOnly
      const start = isCrawl ? startCrawlRun : startRun
      await withSpan('start refresh', { source }, () => start(sql, source, { dueAt, nextDueAt }))
      log.info({ source, nextDueAt, isCrawl }, 'a refresh begins')
    }
  }

  /** Sources take turns, set by set: a large one does not keep the others waiting. */
  const enqueueRuns = async (): Promise<void> => {
    let sources = await listRunsToEnqueue(sql)
    while (sources.length > 0 && !stopped) {
      const unfinished: string[] = []
      for (const source of sources) {
        const hasMore = await withSpan('enqueue refresh', { source }, () => enqueueRunSet(sql, source, SET_SIZE))
        if (hasMore) unfinished.push(source)
      }
      sources = unfinished
    }
  }

  const refresh = async (): Promise<void> => {
    await startRuns()
    await enqueueRuns()
    for (const source of await finishRuns(sql)) log.info({ source }, 'a refresh has ended')
    while (!stopped && (await deleteFinishedJobs(sql, { days: HISTORY_DAYS, limit: SET_SIZE })) > 0);
    await deleteFinishedCrawls(sql, { days: HISTORY_DAYS })
    while (!stopped && (await deleteOldTuningEntries(sql, { days: TUNING_DAYS, limit: SET_SIZE })) > 0);
    while (!stopped && (await deleteOldIdempotencyKeys(sql, SET_SIZE)) > 0);
    while (!stopped && (await forgetEvents(sql, { hours: EVENT_HOURS, limit: SET_SIZE })) > 0);
    while (!stopped && (await deleteEndedSessions(sql, SET_SIZE)) > 0);
    while (!stopped && (await deleteOldAttempts(sql, SET_SIZE)) > 0);
  }

  const tune = async (): Promise<void> => {
    const decisions = await withSpan('tune vendors', {}, () => runTuner(sql, { minuteMs }))
    for (const { vendor, previousTarget, newTarget, changed, reason } of decisions) {
      if (changed) log.info({ vendor, previousTarget, newTarget }, reason)
    }
  }

  /** Turn after turn, never two at once, from the start of one to the next `everyMs` where a turn takes less. */
  const repeat = async (task: keyof typeof alarms, run: () => Promise<void>, everyMs: number): Promise<void> => {
    const warn = tellNowAndThen((error, times) => log.warn({ err: error, task, times }, 'the scheduler tries again'))
    while (!stopped) {
      const startedAt = performance.now()
      try {
        if (await leader.leads()) await run()
      } catch (error) {
        warn(error)
      }
      await alarms[task].wait(Math.max(0, everyMs - (performance.now() - startedAt)))
    }
  }

  return {
    start() {
      stopped = false
      running = Promise.all([repeat('refresh', refresh, pollMs), repeat('tune', tune, minuteMs)])
    },
    async stop() {
      stopped = true
      for (const alarm of Object.values(alarms)) alarm.ring()
      await running
      await leader.stop()
    },
  }
}
