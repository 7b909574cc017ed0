import { withSpan } from '../../core/with-span'
import { abandonWork, endCheck, failCheck, startWork } from '../../drizzle/queries/search/search-index-work'
import type { SyncContext } from './context'
import { toError } from './events'
import { repair } from './repair'

export interface DriftCheck {
  /** A lead begins: the first comparison is some time off. */
  schedule: () => void
  /** Somebody asks for one: it is due at once. */
  hurry: () => void
  /** Begins one in the background when it is time. */
  startIfDue: () => void
  /** Ends the one that runs; whoever leads next begins it anew. */
  stop: () => Promise<void>
}

/** Comparisons of many processes and services shall not meet: each is put off by up to this share. */
const JITTER = 0.2
/** A comparison rests as long as it works: half the load, twice the time. */
const REST = 1

/** Compares index and database now and then, one comparison at a time, beside everything else. */
export const createDriftCheck = (
  context: SyncContext,
  { firstMs, everyMs }: { firstMs: number; everyMs: number },
): DriftCheck => {
  const { write, say } = context
  let running: { ended: Promise<void>; abort: AbortController } | null = null
  let nextAt = Number.POSITIVE_INFINITY

  const check = async (signal: AbortSignal) => {
    try {
      await write((tx) => startWork(tx, 'check', null))
      const report = await withSpan('check index', {}, () => repair(context, { rest: REST, signal }))
      if (signal.aborted) return
      await write((tx) => endCheck(tx, report))
      say({ kind: 'drift_checked', ...report })
    } catch (error) {
      if (signal.aborted) return
      await write((tx) => failCheck(tx, toError(error).message)).catch(() => {})
      say({ kind: 'drift_check_failed', error: toError(error) })
    } finally {
      running = null
      nextAt = Date.now() + withJitter(everyMs)
    }
  }

  return {
    schedule() {
      nextAt = Date.now() + withJitter(firstMs)
    },
    hurry() {
      nextAt = 0
    },
    startIfDue() {
      if (running !== null || Date.now() < nextAt) return
      const abort = new AbortController()
      running = { ended: check(abort.signal), abort }
    },
    async stop() {
      if (running === null) return
      running.abort.abort()
      await running.ended
      // By whoever leads next, if somebody asked for it.
      await write((tx) => abandonWork(tx, ['check'])).catch(() => {})
    },
  }
}

const withJitter = (ms: number): number => ms * (1 + JITTER * Math.random())
