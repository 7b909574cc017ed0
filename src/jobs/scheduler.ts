import type { Logger } from 'pino'
import { createAlarm } from '../../core/concurrency/alarm'
import { runEach } from '../../core/concurrency/run-each'
import { throttleReports } from '../../core/observe/throttle-reports'
import { withSpan } from '../../core/observe/with-span'
import type { Sql, Transaction } from '../../core/postgres/database'
import { createLeader, type Lead } from '../../core/postgres/leader'
import { forgetWriters } from '../../core/postgres/replicas/recent-writers'
import { FILE_VENDOR } from '../../core/sources/file-vendor'
import { deleteOldAlerts } from '../../drizzle/queries/alerts/store-alerts'
import { createChangePartitions } from '../../drizzle/queries/changes/create-partitions'
import { CRAWL } from '../../drizzle/queries/crawls/crawl-work'
import { deleteExpiredFiles } from '../../drizzle/queries/files/files'
import { deleteFinishedJobs } from '../../drizzle/queries/jobs/delete-finished-jobs'
import { forgetAttempts } from '../../drizzle/queries/jobs/forget-attempts'
import { deleteExpiredMatches } from '../../drizzle/queries/matches/matches'
import { deleteExpiredUploads } from '../../drizzle/queries/matches/uploads'
import { deleteOldAdminActions } from '../../drizzle/queries/people/admin-actions'
import { deleteEndedSessions } from '../../drizzle/queries/people/sessions'
import { deleteOldAttempts } from '../../drizzle/queries/people/sign-in-attempts'
import { enqueueRunSet, listRunsToEnqueue } from '../../drizzle/queries/refreshes/enqueue-runs'
import { finishRuns } from '../../drizzle/queries/refreshes/finish-runs'
import { listDueSources } from '../../drizzle/queries/refreshes/list-due-sources'
import { startCrawlRun, startFileRun, startRun } from '../../drizzle/queries/refreshes/start-run'
import { SEARCH_WORK_KINDS } from '../../drizzle/queries/search/search-index-work'
import { forgetEvents } from '../../drizzle/queries/service/events'
import { deleteOldIdempotencyKeys } from '../../drizzle/queries/service/idempotency-keys'
import { noteSourceProblems } from '../../drizzle/queries/sources/source-runs'
import { advanceErrorTallies } from '../../drizzle/queries/tuner/advance-error-tallies'
import { foldTallies } from '../../drizzle/queries/tuner/fold-tallies'
import { keepHistory } from '../../drizzle/queries/tuner/keep-history'
import { deleteOldTuningEntries } from '../../drizzle/queries/tuner/tuning-log'
import { deleteFinishedDeliveries } from '../../drizzle/queries/watches/deliveries'
import { deleteFinishedWork } from '../../drizzle/queries/work/delete-finished-work'
import { countCoverage } from '../coverage/count-coverage'
import { type HealthDeps, judgeHealth } from '../operations/alerts/judge-health'
import { runTuner } from '../scrape/run-tuner'
import { nextDue } from './next-due'

export interface SchedulerDeps {
  databaseUrl: string
  sql: Sql
  log: Logger
  /** Vendors whose sources are refreshed by crawls. */
  crawledVendors: readonly string[]
  /** How often the scheduler checks for due sources. */
  pollMs?: number
  /** How often the tuner runs, and how long a minute of its windows is. Tests shorten it. */
  minuteMs?: number
  /** Called after each successful turn of a task. */
  onTurn?: (task: 'refresh' | 'tune' | 'cover' | 'alert') => void
  /** The folders whose disks are measured, and the public address of the service. By default none. */
  health?: Omit<HealthDeps, 'minuteMs'>
}

export interface Scheduler {
  start: () => void
  stop: () => Promise<void>
}

const POLL_MS = 5_000
const MINUTE_MS = 60_000
/** How often a standby scheduler tries to become the leader. */
const STANDBY_MS = 1_000
const DUE_AT_ONCE = 50
/** Most rows that one statement queues or deletes. Each statement takes some tens of milliseconds. */
const SET_SIZE = 5_000
/** Each may have 100,000 rows. */
const MATCHES_AT_A_TIME = 5
/** Each may have hundreds of parts of 8 MiB. */
const FILES_AT_A_TIME = 1
const HISTORY_DAYS = 30
/** How long tuning decisions are kept for reading and replay. */
const TUNING_DAYS = 90
/** How long the list of what admins changed is kept. */
const ACTION_DAYS = 365
/** How long alerts are kept after they ended. */
const ALERT_DAYS = 90
/** How long events are kept. A client that reconnects within this time misses none. */
const EVENT_HOURS = 1

/**
 * Refreshes due sources and deletes old rows. In separate loops, it tunes the vendors' concurrency, counts what each source has, and raises
 * and ends alerts. The leader does this; the other processes stand by. The progress of a run is in the database, so a new leader continues it.
 */
export const createScheduler = ({
  databaseUrl,
  sql,
  log,
  crawledVendors,
  pollMs = POLL_MS,
  minuteMs = MINUTE_MS,
  health = { folders: [], baseUrl: '' },
  onTurn = () => {},
}: SchedulerDeps): Scheduler => {
  const leader = createLeader(databaseUrl, 'scrape-jobs-scheduler')
  const alarms = { refresh: createAlarm(), tune: createAlarm(), cover: createAlarm(), alert: createAlarm() }
  let stopped = true
  let running: Promise<unknown> | null = null

  const startRuns = async (lead: Lead): Promise<void> => {
    const now = new Date()
    await runEach(await listDueSources(sql, DUE_AT_ONCE), async (due) => {
      const { source, vendor, cadence, agriculturalOnly, nextDueAt: dueAt } = due
      const nextDueAt = nextDue(cadence, dueAt, now)
      // A crawl fetches the whole layer. If only agricultural parcels are wanted, they are scraped one by one.
      const isCrawl = crawledVendors.includes(vendor) && !agriculturalOnly
      const start = vendor === FILE_VENDOR ? startFileRun : isCrawl ? startCrawlRun : startRun
      await withSpan('start refresh', { source }, () =>
        lead.begin(sql, (tx) => start(tx, source, { dueAt, nextDueAt })),
      )
      log.info({ source, nextDueAt, isCrawl }, 'refresh started')
    })
  }

  /** Sources take turns, one set each, so that a large source does not delay the others. */
  const enqueueRuns = async (lead: Lead): Promise<void> => {
    let sources = await listRunsToEnqueue(sql)
    while (sources.length > 0 && !stopped) {
      const unfinished: string[] = []
      await runEach(sources, async (source) => {
        const hasMore = await withSpan('enqueue refresh', { source }, () =>
          lead.begin(sql, (tx) => enqueueRunSet(tx, source, SET_SIZE)),
        )
        if (hasMore) unfinished.push(source)
      })
      sources = unfinished
    }
  }

  const endRuns = async (lead: Lead): Promise<void> => {
    for (const source of await lead.begin(sql, finishRuns)) log.info({ source }, 'refresh finished')
  }

  /** Deletes old rows, one set at a time. */
  const forget = async (lead: Lead): Promise<void> => {
    const sets: ((tx: Transaction) => Promise<number>)[] = [
      (tx) => deleteFinishedJobs(tx, { days: HISTORY_DAYS, limit: SET_SIZE }),
      (tx) =>
        deleteFinishedWork(tx, {
          ...{ days: HISTORY_DAYS, limit: SET_SIZE, keptKinds: [...Object.values(SEARCH_WORK_KINDS), CRAWL] },
        }),
      (tx) => deleteFinishedDeliveries(tx, { days: HISTORY_DAYS, limit: SET_SIZE }),
      (tx) => deleteOldAlerts(tx, { days: ALERT_DAYS, limit: SET_SIZE }),
      (tx) => deleteOldTuningEntries(tx, { days: TUNING_DAYS, limit: SET_SIZE }),
      (tx) => deleteOldAdminActions(tx, { days: ACTION_DAYS, limit: SET_SIZE }),
      (tx) => deleteOldIdempotencyKeys(tx, SET_SIZE),
      (tx) => forgetEvents(tx, { hours: EVENT_HOURS, limit: SET_SIZE }),
      (tx) => deleteExpiredMatches(tx, MATCHES_AT_A_TIME),
      (tx) => deleteExpiredUploads(tx, MATCHES_AT_A_TIME),
      (tx) => deleteExpiredFiles(tx, FILES_AT_A_TIME),
      (tx) => deleteEndedSessions(tx, SET_SIZE),
      (tx) => deleteOldAttempts(tx, SET_SIZE),
      (tx) => forgetWriters(tx, SET_SIZE),
    ]
    await runEach(sets, async (forgetSet) => {
      while (!stopped && (await lead.begin(sql, forgetSet)) > 0);
    })
  }

  const refresh = (lead: Lead): Promise<void> =>
    runEach([startRuns, enqueueRuns, endRuns, forget], (step) => step(lead))

  const tune = async (lead: Lead): Promise<void> => {
    const decisions = await withSpan('tune vendors', {}, () => lead.begin(sql, (tx) => runTuner(tx, { minuteMs })))
    for (const { vendor, previousTarget, newTarget, changed, reason } of decisions) {
      if (changed) log.info({ vendor, previousTarget, newTarget }, reason)
    }
  }

  /** Updates the figures for the console: tallies and problems of sources, and history of vendors. After that, old attempts can be deleted. */
  const keepFigures = async (lead: Lead): Promise<void> => {
    for (const step of [advanceErrorTallies, foldTallies, noteSourceProblems, keepHistory, forgetAttempts]) {
      await lead.begin(sql, async (tx) => void (await step(tx)))
    }
  }

  const keepPartitions = (lead: Lead): Promise<void> => lead.begin(sql, createChangePartitions)

  const everyMinute = (lead: Lead): Promise<void> => runEach([tune, keepFigures, keepPartitions], (step) => step(lead))

  const cover = (lead: Lead): Promise<void> => countCoverage(sql, lead, () => stopped)

  const alert = (lead: Lead): Promise<void> => judgeHealth(sql, lead, { ...health, minuteMs })

  /** Repeats a task, one turn at a time. Turns start `everyMs` apart, or without a pause if a turn takes longer. */
  const repeat = async (
    task: keyof typeof alarms,
    run: (lead: Lead) => Promise<void>,
    everyMs: number,
  ): Promise<void> => {
    const warn = throttleReports((error, times) =>
      log.warn({ err: error, task, times }, 'a scheduler task failed; trying again'),
    )
    while (!stopped) {
      const startedAt = performance.now()
      let pauseMs = Math.min(everyMs, STANDBY_MS)
      try {
        const lead = await leader.lead()
        if (lead !== null) {
          await run(lead)
          pauseMs = everyMs
        }
        onTurn(task)
      } catch (error) {
        warn(error)
      }
      await alarms[task].wait(Math.max(0, pauseMs - (performance.now() - startedAt)))
    }
  }

  return {
    start() {
      stopped = false
      running = Promise.all([
        repeat('refresh', refresh, pollMs),
        repeat('tune', everyMinute, minuteMs),
        repeat('cover', cover, minuteMs),
        repeat('alert', alert, minuteMs),
      ])
    },
    async stop() {
      stopped = true
      for (const alarm of Object.values(alarms)) alarm.ring()
      await running
      await leader.stop()
    },
  }
}
