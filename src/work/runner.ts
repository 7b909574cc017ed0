import type { Sql } from '../../core/postgres/database'
import type { WorkProgress } from '../../drizzle/queries/work/advance-work'
import type { ClaimedWork } from '../../drizzle/queries/work/claim-work'
import type { WorkKind } from '../../drizzle/queries/work/kinds/work-kind'

/** The tools of a runner for one attempt. */
export interface WorkTools {
  sql: Sql
  /** Aborts when the attempt must stop: the process stops, the work was cancelled, or another process has it. */
  signal: AbortSignal
  /**
   * Records progress and resets the number of failures.
   *
   * @throws the signal's reason if this attempt is no longer the current one
   */
  advance: (progress: WorkProgress) => Promise<void>
  /** Call it when the runner has recorded progress itself, in its own transaction. */
  hasAdvanced: () => void
}

/** Runs one kind of work. */
export interface WorkRunner {
  kind: WorkKind
  /** How many claims of this kind a process runs at a time. */
  mostAtOnce: number
  /** How many of these only take work with a priority above 0. Default: none. */
  reserved?: number
  /** How many pieces of work one claim takes and runs together, for kinds with many small pieces. Default: 1. */
  claimSize?: number
  /** The work ends as an error after this many failed attempts in a row without progress. */
  mostFailures: number
  /** Vendors to whose portals the work may send requests. Default: none. */
  vendors?: readonly string[]
  /**
   * Does the work from its cursor to the end, and returns members to add to its result. If it throws, the work is retried or ends as an
   * error. When the signal aborts, it must stop; another attempt continues the work.
   */
  run: (work: ClaimedWork, tools: WorkTools) => Promise<Record<string, unknown>>
  /** Ends work of this kind that must not continue. Called before each claim. */
  sweep?: (sql: Sql) => Promise<void>
  /** Whether to retry after this error. Default: no retry. */
  isWorthRetrying?: (error: unknown) => boolean
  /** How long to wait after this many failures in a row. Default: as for scrape jobs. */
  retryDelayMs?: (failures: number, retryAfterMs: number | null) => number
  /** Called when work is done or has permanently failed, but not when it was cancelled. */
  onEnded?: (work: ClaimedWork, status: 'done' | 'error') => void
}
