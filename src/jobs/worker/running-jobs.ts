import type { Sql } from '../../../core/postgres/database'
import { extendLeases } from '../../../drizzle/queries/jobs/run/extend-leases'
import { handBackJobs } from '../../../drizzle/queries/jobs/run/hand-back-jobs'

/** Why a running job is to end without a result. */
export class Dropped extends Error {}

interface RunningJob {
  attempt: number
  abort: AbortController
}

/** The jobs that run in this process, and their leases. */
export class RunningJobs {
  readonly #sql: Sql
  readonly #leaseMs: number
  readonly #jobs = new Map<string, RunningJob>()
  /** When leases were last extended (`performance.now`). */
  #extendedAt = performance.now()

  constructor(sql: Sql, leaseMs: number) {
    this.#sql = sql
    this.#leaseMs = leaseMs
  }

  get size(): number {
    return this.#jobs.size
  }

  /** Runs `work` as the job. The signal aborts when the job is dropped. */
  async run(id: string, attempt: number, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const abort = new AbortController()
    this.#jobs.set(id, { attempt, abort })
    try {
      await work(abort.signal)
    } finally {
      this.#jobs.delete(id)
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
    for (const id of lost) this.drop(id, 'the job is no longer this try')
  }

  /** Leases may have run out while the database was away. They are extended before other jobs start, so that these are counted too. */
  async extendOverdueLeases(): Promise<void> {
    if (performance.now() - this.#extendedAt > this.#leaseMs / 2) await this.extendLeases()
  }

  /** Drops all jobs and gives them back: another worker can take them without waiting for the lease. */
  async handBack(reason: string): Promise<void> {
    const rest = this.#attempts()
    for (const { id } of rest) this.drop(id, reason)
    if (rest.length > 0) await handBackJobs(this.#sql, rest)
  }

  async waitUntilNone(timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs
    while (this.#jobs.size > 0 && Date.now() < deadline) await Bun.sleep(20)
  }

  #attempts(): { id: string; attempt: number }[] {
    return [...this.#jobs].map(([id, { attempt }]) => ({ id, attempt }))
  }
}
