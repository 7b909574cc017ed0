import type { Sql } from '../../../core/postgres/database'
import { extendLeases } from '../../../drizzle/queries/jobs/run/extend-leases'
import { handBackJobs } from '../../../drizzle/queries/jobs/run/hand-back-jobs'

/** Why a running job must end without a result. */
export class Dropped extends Error {}

interface RunningJob {
  attempt: number
  abort: AbortController
}

/** The running jobs of this process and their leases. */
export class RunningJobs {
  readonly #sql: Sql
  readonly #leaseMs: number
  readonly #jobs = new Map<string, RunningJob>()
  /** Time of the last lease extension (`performance.now`). */
  #extendedAt = performance.now()

  constructor(sql: Sql, leaseMs: number) {
    this.#sql = sql
    this.#leaseMs = leaseMs
  }

  get size(): number {
    return this.#jobs.size
  }

  /** Runs `work` for the job. The signal aborts when the job is dropped. */
  async run(id: string, attempt: number, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const abort = new AbortController()
    const job = { attempt, abort }
    this.#jobs.set(id, job)
    try {
      await work(abort.signal)
    } finally {
      // After the lease has expired, this process may have claimed the job again while this attempt still waits for the database.
      if (this.#jobs.get(id) === job) this.#jobs.delete(id)
    }
  }

  drop(id: string, reason: string): void {
    this.#jobs.get(id)?.abort.abort(new Dropped(reason))
  }

  /** Extends all leases. A job whose attempt is no longer the current one is dropped. */
  async extendLeases(): Promise<void> {
    const beganAt = performance.now()
    const running = this.#attempts()
    const lost = running.length === 0 ? [] : await extendLeases(this.#sql, running, this.#leaseMs)
    this.#extendedAt = beganAt
    for (const id of lost) this.drop(id, 'this attempt is no longer the current one')
  }

  /**
   * Extends leases that may have expired while the database was unavailable. Call it before other jobs start, so that the running jobs
   * count toward the target.
   */
  async extendOverdueLeases(): Promise<void> {
    if (performance.now() - this.#extendedAt > this.#leaseMs / 2) await this.extendLeases()
  }

  /** Drops all jobs and hands them back, so that another worker can take them before the lease expires. */
  async handBack(reason: string): Promise<void> {
    const rest = this.#attempts()
    for (const { id } of rest) this.drop(id, reason)
    if (rest.length > 0) await handBackJobs(this.#sql, rest)
  }

  async waitUntilNone(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs
    while (this.#jobs.size > 0 && performance.now() < deadline) await Bun.sleep(20)
  }

  #attempts(): { id: string; attempt: number }[] {
    return [...this.#jobs].map(([id, { attempt }]) => ({ id, attempt }))
  }
}
