import type { Logger } from 'pino'
import { CHANNELS } from '../../core/channels'
import { createAlarm } from '../../core/concurrency/alarm'
import { throttleReports } from '../../core/observe/throttle-reports'
import type { Sql } from '../../core/postgres/database'
import type { Lead } from '../../core/postgres/leader/lead'
import { createLeader } from '../../core/postgres/leader/leader'
import { readWatermark } from '../../drizzle/queries/changes/read-watermark'
import { readWatchProgress } from '../../drizzle/queries/watches/list-matches'
import { advanceWatchProgress, callForgottenReceivers, storeMatches } from '../../drizzle/queries/watches/store-matches'
import { matchChanges } from './match-changes'

export interface WatchMatcherDeps {
  databaseUrl: string
  sql: Sql
  log: Logger
  /** How often to look for changes. New changes are also announced by NOTIFY, so they do not wait for this. */
  pollMs?: number
  /** Called after each successful turn, even in a process that stands by. */
  onTurn?: () => void
}

export interface WatchMatcher {
  start: () => void
  stop: () => Promise<void>
}

const POLL_MS = 1_000
/** How often the matcher looks for receivers that have deliveries and no work. */
const FORGOTTEN_EVERY_MS = 60_000

/**
 * Follows the change log, and stores a delivery for each change that a watch matches. The leader does this; the other processes stand
 * by. The deliveries of a page and the position after the page are stored in one transaction, so that killing the process loses none
 * and repeats none.
 */
export const createWatchMatcher = ({
  databaseUrl,
  sql,
  log,
  pollMs = POLL_MS,
  onTurn = () => {},
}: WatchMatcherDeps): WatchMatcher => {
  const leader = createLeader(databaseUrl, 'watch-matcher')
  const alarm = createAlarm()
  let isStopped = false
  let running: Promise<void> | null = null
  let lookedAt = Number.NEGATIVE_INFINITY

  const warn = throttleReports((error, times) =>
    log.warn({ err: error, times }, 'changes could not be compared with watches; retrying'),
  )

  /** Compares a page. Returns whether there are more changes. */
  const matchPage = async (lead: Lead): Promise<boolean> => {
    const watermark = await readWatermark(sql)
    const after = await readWatchProgress(sql)
    if (after >= watermark) return false
    const { upTo, matches } = await matchChanges(sql, { after, upTo: watermark })
    const missed = await lead.begin(sql, async (tx) => {
      // Another process that led in between has stored these matches.
      if (!(await advanceWatchProgress(tx, { after, upTo })) || matches.length === 0) return 0
      return (await storeMatches(tx, matches)).missed
    })
    if (missed > 0)
      log.warn(
        { missed, version: upTo },
        'a watch has too many waiting webhooks, or its owner too many watches of one change: changes are left out',
      )
    return upTo < watermark
  }

  const lookForForgotten = async (lead: Lead): Promise<void> => {
    if (performance.now() - lookedAt < FORGOTTEN_EVERY_MS) return
    await lead.begin(sql, callForgottenReceivers)
    lookedAt = performance.now()
  }

  const run = async (): Promise<void> => {
    while (!isStopped) {
      try {
        const lead = await leader.lead()
        if (lead !== null) {
          await lookForForgotten(lead)
          while (!isStopped && (await matchPage(lead)));
        }
        onTurn()
      } catch (error) {
        warn(error)
      }
      if (!isStopped) await alarm.wait(pollMs)
    }
  }

  return {
    start() {
      running = run()
      void sql.listen(CHANNELS.parcelChanges, alarm.ring, alarm.ring)
    },
    async stop() {
      isStopped = true
      alarm.ring()
      await running
      await leader.stop()
    },
  }
}
