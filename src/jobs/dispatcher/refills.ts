import type { Sql } from '../../../core/postgres/database'
import { listDispatchedJobs } from '../../../drizzle/queries/jobs/dispatch/list-dispatched-jobs'
import type { DispatchedJob } from '../../../drizzle/queries/jobs/dispatch/take-undispatched-jobs'
import type { JobQueue } from '../queue/queue'

const SET_SIZE = 1_000
/** A job that was dispatched this long ago and has not started is dispatched again. If the queue still holds it, this has no effect. */
const REFILL_MS = 30_000

/** Adds jobs to the queue: new ones, and from time to time those that it may have lost. */
export class Refills {
  #isWanted = false
  #refilledAt = Number.NEGATIVE_INFINITY

  constructor(
    readonly sql: Sql,
    readonly queue: Pick<JobQueue, 'add'>,
  ) {}

  async add(jobs: readonly DispatchedJob[]): Promise<void> {
    const byVendor = Map.groupBy(jobs, ({ vendor }) => vendor)
    await Promise.all(
      [...byVendor].map(([vendor, of]) =>
        this.queue.add(
          vendor,
          of.map(({ id, attempts, priority }) => ({ id, attempts, priority })),
        ),
      ),
    )
  }

  /** All dispatched jobs may be lost: the next `refillIfDue` adds all of them. */
  wantAll(): void {
    this.#isWanted = true
  }

  async refillIfDue(): Promise<void> {
    const isWanted = this.#isWanted
    if (!isWanted && performance.now() - this.#refilledAt <= REFILL_MS) return
    this.#isWanted = false
    await this.#refill(isWanted ? 0 : REFILL_MS)
    this.#refilledAt = performance.now()
  }

  async #refill(ageMs: number): Promise<void> {
    for (let after: string | null = null; ; ) {
      const jobs = await listDispatchedJobs(this.sql, { ageMs, after, limit: SET_SIZE })
      await this.add(jobs)
      after = jobs.at(-1)?.id ?? null
      if (jobs.length < SET_SIZE) return
    }
  }
}
