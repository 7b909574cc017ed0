import type { Logger } from 'pino'
import type { Sql } from '../../../core/postgres/database'
import type { RunningJobs } from './running-jobs'

/**
 * How long a claim or a store waits for others that it can share a statement with. Jobs that were stored together end together, but the
 * queue delivers the next ones one by one. A scrape takes much longer.
 */
export const GATHER_MS = 2

/** What the parts of one worker share. */
export interface WorkerContext {
  sql: Sql
  log: Logger
  jobs: RunningJobs
  /** `working`: takes jobs. `stopping`: only finishes running jobs. `leaving`: no longer waits for them. */
  phase: () => 'working' | 'stopping' | 'leaving'
  /** Retries a write until it succeeds. Only for fenced writes, because the write may run twice. */
  persist: <Result>(write: () => Promise<Result>) => Promise<Result>
}
