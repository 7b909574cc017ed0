import type { Sql } from '../../core/postgres/database'
import type { WorkProgress } from '../../drizzle/queries/work/advance-work'
import type { ClaimedWork } from '../../drizzle/queries/work/claim-work'

/** What a runner works with during one try. */
export interface WorkTools {
  sql: Sql
  /** Aborted when the try is to stop: the process stops, the work was cancelled, or another process has it. */
  signal: AbortSignal
  /**
   * Records progress. The failures before it are forgotten.
   *
   * @throws the signal's reason when the try is not the current one any more
   */
  advance: (progress: WorkProgress) => Promise<void>
  /** The runner recorded progress itself, in a transaction of its own. */
  hasAdvanced: () => void
}

/** How one kind of work is done. */
export interface WorkRunner {
  kind: string
  /** How much of this kind a process does at a time. */
  mostAtOnce: number
  /** Tries that may fail in a row without progress before the work ends as an error. */
  mostFailures: number
  /** Vendors whose portals the work may load. Left out: it loads none. */
  vendors?: readonly string[]
  /**
   * Does the work from its cursor to the end, and returns what is added to its result. A try that throws is retried or ends the work. It
   * is interrupted when the signal aborts, and goes on in another try.
   */
  run: (work: ClaimedWork, tools: WorkTools) => Promise<Record<string, unknown>>
  /** Ends work of this kind that nobody should go on with. Called before work is claimed. */
  sweep?: (sql: Sql) => Promise<void>
  /** Whether another try can succeed where one failed with this error. Left out: it cannot. */
  isWorthRetrying?: (error: unknown) => boolean
  /** Work of this kind is done, or was given up as an error; not called for work that somebody cancelled. */
  onEnded?: (work: ClaimedWork, status: 'done' | 'error') => void
}
