import type { Logger } from 'pino'
import { CHANNELS } from '../../core/channels'
import { type Alarm, createAlarm } from '../../core/concurrency/alarm'
import { throttleReports } from '../../core/observe/throttle-reports'
import type { Sql } from '../../core/postgres/database'
import type { WorkRunner } from './runner'
import { type TakeWorkDeps, takeWork } from './take-work'

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

/**
 * Runs queued work of all runners' kinds. Kinds do not wait for each other. Progress is stored in the database, so that another process
 * can continue the work.
 */
export const createWorkLoop = ({ runners, pollMs = POLL_MS, ...deps }: WorkLoopDeps): WorkLoop => {
  const { sql, log } = deps
  const stopping = new AbortController()
  const alarms = new Map<string, Alarm[]>()
  const working: Promise<void>[] = []

  const warn = throttleReports((error, times) =>
    log.warn({ err: error, times }, 'claiming or running work failed; retrying'),
  )

  /** Claims and runs pieces of work one after another. One of a runner's idle slots polls for all; `poll` is the time of the last poll. */
  const takeAll = async (runner: WorkRunner, alarm: Alarm, poll: { at: number }): Promise<void> => {
    let hasRung = true
    while (!stopping.signal.aborted) {
      poll.at = performance.now()
      // If a poll finds work that no notification announced, there may be more.
      const onClaimed = hasRung ? () => {} : () => wake(runner.kind.name)
      try {
        const isTaken = await takeWork({ ...deps, runner }, { signal: stopping.signal, onClaimed })
        deps.onTurn?.()
        if (isTaken) continue
      } catch (error) {
        warn(error)
      }
      poll.at = performance.now()
      do {
        if (stopping.signal.aborted) return
        hasRung = await alarm.wait(Math.max(1, poll.at + pollMs - performance.now()))
      } while (!hasRung && performance.now() < poll.at + pollMs)
    }
  }
  const wake = (kind: string) => {
    for (const alarm of alarms.get(kind) ?? []) alarm.ring()
  }
  const wakeAll = () => {
    for (const kind of alarms.keys()) wake(kind)
  }

  return {
    start() {
      for (const runner of runners) {
        const places = Array.from({ length: runner.mostAtOnce }, createAlarm)
        alarms.set(runner.kind.name, places)
        const poll = { at: 0 }
        for (const alarm of places) working.push(takeAll(runner, alarm, poll))
      }
      // If listening fails, polling still finds the work.
      void sql.listen(CHANNELS.workOrdered, wake, wakeAll)
    },
    async stop() {
      stopping.abort(new Error('the process stops'))
      wakeAll()
      await Promise.all(working)
    },
  }
}
