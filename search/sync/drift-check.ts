import { withSpan } from '../../core/observe/with-span'
import { abandonWork, endCheck, failCheck, startWork } from '../../drizzle/queries/search/search-index-work'
import type { WorkAttempt } from '../../drizzle/queries/work/claim-work'
import { holdWork, type WorkLease } from '../../drizzle/queries/work/hold-work'
import type { SyncContext } from './context'
import { toError } from './events'
import { repair } from './repair'

export interface DriftCheck {
  /** Schedules the first check of a new lead. */
  schedule: () => void
  /** Makes a check due now, because a caller requested one. */
  hurry: () => void
  /** Starts a check in the background if one is due. */
  startIfDue: () => void
  /** Stops the running check. The next leader starts it again. */
  stop: () => Promise<void>
}

/** Each check is delayed by up to this share of its interval, so that checks of several services do not run at the same time. */
const JITTER = 0.2
/** A check pauses as long as it works. This halves the load and doubles the time. */
const REST = 1

/** Compares index and database at intervals, in the background, one check at a time. */
export const createDriftCheck = (
  context: SyncContext,
  { firstMs, everyMs }: { firstMs: number; everyMs: number },
): DriftCheck => {
  const { subject, write, say } = context
  let running: { ended: Promise<void>; abort: AbortController } | null = null
  let nextAt = Number.POSITIVE_INFINITY

  const check = async (abort: AbortController) => {
    const { signal } = abort
    let work: WorkAttempt | null = null
    let lease: WorkLease | null = null
    try {
      const started = await write((tx) => startWork(tx, 'check', subject))
      work = started
      lease = holdWork(context.connections.work, started)
      lease.lost.addEventListener('abort', () => abort.abort())
      const report = await withSpan('check index', {}, () => repair(context, { rest: REST, signal }))
      if (signal.aborted) return
      if (!(await write((tx) => endCheck(tx, started, report)))) return
      say({ kind: 'drift_checked', ...report })
    } catch (error) {
      if (signal.aborted) return
      const failed = work
      if (failed !== null) await write((tx) => failCheck(tx, failed, toError(error).message)).catch(() => {})
      say({ kind: 'drift_check_failed', error: toError(error) })
    } finally {
      lease?.release()
      running = null
      nextAt = performance.now() + withJitter(everyMs)
    }
  }

  return {
    schedule() {
      nextAt = performance.now() + withJitter(firstMs)
    },
    hurry() {
      nextAt = 0
    },
    startIfDue() {
      if (running !== null || performance.now() < nextAt) return
      const abort = new AbortController()
      running = { ended: check(abort), abort }
    },
    async stop() {
      if (running === null) return
      running.abort.abort()
      await running.ended
      // If a caller requested this check, the next leader runs it.
      await write((tx) => abandonWork(tx, ['check'], subject)).catch(() => {})
    },
  }
}

const withJitter = (ms: number): number => ms * (1 + JITTER * Math.random())
