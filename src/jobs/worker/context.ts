import type { Logger } from 'pino'
import type { Sql } from '../../../core/postgres/database'
import type { RunningJobs } from './running-jobs'

/** What the parts of one worker share. */
export interface WorkerContext {
  sql: Sql
  log: Logger
  jobs: RunningJobs
  /** `working`: takes jobs. `stopping`: only finishes them. `leaving`: waits for nothing any more. */
  phase: () => 'working' | 'stopping' | 'leaving'
  /** Tries a write again until the database takes it. Only for writes that are fenced: they may be done twice. */
  persist: <Result>(write: () => Promise<Result>) => Promise<Result>
}
