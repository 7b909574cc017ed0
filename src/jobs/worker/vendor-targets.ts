import type { Sql } from '../../../core/postgres/database'
import { listVendorTargets } from '../../../drizzle/queries/tuner/list-vendor-targets'
import type { JobQueue } from '../queue/queue'

/** The last known targets, breakers and pauses of the vendors. */
export class VendorTargets {
  readonly #sql: Sql
  readonly #queue: JobQueue
  readonly #targets = new Map<string, number>()
  readonly #open = new Set<string>()
  readonly #paused = new Set<string>()

  constructor(sql: Sql, queue: JobQueue) {
    this.#sql = sql
    this.#queue = queue
  }

  isBreakerOpen = (vendor: string): boolean => this.#open.has(vendor)

  isPaused = (vendor: string): boolean => this.#paused.has(vendor)

  /** Reads the targets, breakers and pauses, and sets the queue's concurrency limits. Then calls `take` for each vendor. */
  async follow(take: (vendor: string) => void): Promise<void> {
    for (const { vendor, targetConcurrency, isBreakerOpen, isPaused } of await listVendorTargets(this.#sql)) {
      if (isBreakerOpen) this.#open.add(vendor)
      else this.#open.delete(vendor)
      if (isPaused) this.#paused.add(vendor)
      else this.#paused.delete(vendor)
      if (this.#targets.get(vendor) !== targetConcurrency) {
        await this.#queue.setConcurrency(vendor, targetConcurrency)
        this.#targets.set(vendor, targetConcurrency)
      }
      take(vendor)
    }
  }
}
