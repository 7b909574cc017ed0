import { createAlarm } from '../../core/concurrency/alarm'
import { runEach } from '../../core/concurrency/run-each'
import { throttleReports } from '../../core/observe/throttle-reports'
import { withSpan } from '../../core/observe/with-span'
import type { Lead } from '../../core/postgres/leader/lead'
import { createLeader } from '../../core/postgres/leader/leader'
import { createChangePartitions } from '../../drizzle/queries/changes/create-partitions'
import { forgetAttempts } from '../../drizzle/queries/jobs/forget-attempts'
import { noteSourceProblems } from '../../drizzle/queries/sources/source-runs'
import { advanceErrorTallies } from '../../drizzle/queries/tuner/advance-error-tallies'
import { foldTallies } from '../../drizzle/queries/tuner/fold-tallies'
import { keepHistory } from '../../drizzle/queries/tuner/keep-history'
import { countCoverage } from '../coverage/count-coverage'
import { type HealthDeps, judgeHealth } from '../operations/alerts/judge-health'
import { runTuner } from '../scrape/run-tuner'
import { deleteOldRows } from './scheduler/delete-old-rows'
import { endRuns, enqueueRuns, type RefreshDeps, startDueRuns } from './scheduler/refresh-sources'

export interface SchedulerDeps extends RefreshDeps {
  databaseUrl: string
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

/**
 * Refreshes due sources and deletes old rows. In separate loops, it tunes the vendors' concurrency, counts what each source has, and raises
 * and ends alerts. The leader does this; the other processes stand by. The progress of a run is in the database, so a new leader continues it.
 */
export const createScheduler = (deps: SchedulerDeps): Scheduler => {
  const { databaseUrl, sql, log, pollMs = POLL_MS, minuteMs = MINUTE_MS, onTurn = () => {} } = deps
  const { health = { folders: [], baseUrl: '' } } = deps
  const leader = createLeader(databaseUrl, 'scrape-jobs-scheduler')
  const alarms = { refresh: createAlarm(), tune: createAlarm(), cover: createAlarm(), alert: createAlarm() }
  let stopped = true
  let running: Promise<unknown> | null = null

  const isStopped = () => stopped

  const refresh = (lead: Lead): Promise<void> =>
    runEach(
      [
        () => startDueRuns(deps, lead),
        () => enqueueRuns(deps, lead, isStopped),
        () => endRuns(deps, lead),
        () => deleteOldRows(sql, lead, isStopped),
      ],
      (step) => step(),
    )

  const tune = async (lead: Lead): Promise<void> => {
    const decisions = await withSpan('tune vendors', {}, () => lead.begin(sql, (tx) => runTuner(tx, { minuteMs })))
    for (const { vendor, previousTarget, newTarget, changed, reason } of decisions) {
      if (changed) log.info({ vendor, previousTarget, newTarget }, reason)
    }
  }

  /** Updates the figures for the console: tallies and problems of sources, and history of vendors. After that, old attempts can be deleted. */
  const keepFigures = async (lead: Lead): Promise<void> => {
    const steps = [advanceErrorTallies, foldTallies, noteSourceProblems, keepHistory, forgetAttempts]
    await runEach(steps, async (step) => {
      // True: there is more to do.
      const take = () => lead.begin<unknown>(sql, step)
      while ((await take()) === true && !stopped);
    })
  }

  const keepPartitions = (lead: Lead): Promise<void> => lead.begin(sql, createChangePartitions)

  const everyMinute = (lead: Lead): Promise<void> => runEach([tune, keepFigures, keepPartitions], (step) => step(lead))

  const cover = (lead: Lead): Promise<void> => countCoverage(sql, lead, isStopped)

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
