import type { Logger } from 'pino'
import { CHANNELS } from '../../core/channels'
import { type Alarm, createAlarm } from '../../core/concurrency/alarm'
import { throttleReports } from '../../core/observe/throttle-reports'
import type { Sql } from '../../core/postgres/database'
import { listDueKinds } from '../../drizzle/queries/work/claim-work'
import type { WorkRunner } from './runner'
import { claimNext, runClaimed, type TakeWorkDeps } from './take-work'

export interface WorkLoopDeps extends Omit<TakeWorkDeps, 'runner'> {
  sql: Sql
  runners: readonly WorkRunner[]
  log: Logger
  /** How often to poll the table. New work is also announced by NOTIFY, so it does not wait for this. */
  pollMs?: number
}

export interface WorkLoop {
  start: () => void
  /** Interrupts running work and requeues it. */
  stop: () => Promise<void>
}

const POLL_MS = 2_000
/** Every so many polls, each runner claims anyway, because a claim also sweeps: it ends lost work and removes what is no longer needed. */
const POLLS_PER_CLAIM = 15

/**
 * Runs queued work of all runners' kinds. Kinds do not wait for each other. Progress is stored in the database, so that another process
 * can continue the work.
 */
export const createWorkLoop = ({ runners, pollMs = POLL_MS, ...deps }: WorkLoopDeps): WorkLoop => {
  const { sql, log } = deps
  const stopping = new AbortController()
  const stopped = createAlarm()
  const alarms = new Map<string, Alarm>()
  const working: Promise<void>[] = []

  const warn = throttleReports((error, times) =>
    log.warn({ err: error, times }, 'claiming or running work failed; retrying'),
  )

  /** Claims pieces of work one after another, and runs as many of them at a time as the runner may. */
  const takeAll = async (runner: WorkRunner, alarm: Alarm): Promise<void> => {
    const { mostAtOnce, reserved = 0 } = runner
    /** The claims that run, and whether each is urgent. */
    const running = new Map<Promise<void>, boolean>()

    const takeNext = async (): Promise<boolean> => {
      const others = [...running.values()].filter((isUrgent) => !isUrgent).length
      const claimed = await claimNext({ ...deps, runner }, { isUrgent: others >= mostAtOnce - reserved })
      deps.onTurn?.()
      if (claimed.length === 0) return false
      const run = runClaimed({ ...deps, runner }, claimed, stopping.signal)
        .catch(warn)
        .finally(() => {
          running.delete(run)
          alarm.ring()
        })
      running.set(
        run,
        claimed.every(({ priority }) => priority > 0),
      )
      return true
    }

    while (!stopping.signal.aborted) {
      if (running.size < mostAtOnce && (await takeNext().catch(warn))) continue
      await alarm.wait(pollMs * POLLS_PER_CLAIM)
    }
    await Promise.all(running.keys())
  }
  const wake = (kind: string) => alarms.get(kind)?.ring()
  const wakeAll = () => {
    for (const alarm of alarms.values()) alarm.ring()
  }

  /** One statement for all kinds, because most polls find nothing. */
  const poll = async (): Promise<void> => {
    const kinds = runners.map(({ kind }) => kind.name)
    while (!stopping.signal.aborted) {
      for (const kind of (await listDueKinds(sql, kinds).catch(warn)) ?? []) wake(kind)
      await stopped.wait(pollMs)
    }
  }

  return {
    start() {
      for (const runner of runners) {
        const alarm = createAlarm()
        alarms.set(runner.kind.name, alarm)
        working.push(takeAll(runner, alarm))
      }
      working.push(poll())
      // If listening fails, polling still finds the work.
      void sql.listen(CHANNELS.workOrdered, wake, wakeAll)
    },
    async stop() {
      stopping.abort(new Error('the process stops'))
      stopped.ring()
      wakeAll()
      await Promise.all(working)
    },
  }
}
