import { CHANNELS } from '../../../../core/channels'
import type { Sql } from '../../../../core/postgres/database'
import { findJobState } from '../../../../drizzle/queries/jobs/order/run-job-now'
import { cancelled } from './follow-job'

/** The scrapes that this process runs for its calls, by the ids of their jobs. Cancelling a job aborts its scrape. */
export class RunningScrapes {
  readonly #scrapes = new Map<string, AbortController>()
  #isListening = false

  constructor(readonly sql: Sql) {}

  add(id: string, abort: AbortController): void {
    this.#scrapes.set(id, abort)
  }

  remove(id: string): void {
    this.#scrapes.delete(id)
  }

  /** Opens one connection for all calls, at the first call. Without it, a cancelled scrape runs to its end, and its result is dropped. */
  listen(): void {
    if (this.#isListening) return
    this.#isListening = true
    void this.sql.listen(
      CHANNELS.jobCancelled,
      (id) => this.#scrapes.get(id)?.abort(cancelled()),
      () => void this.#abortCancelled().catch(() => {}),
    )
  }

  /** Aborts scrapes that were cancelled while there was no connection, because such notifications are lost. */
  async #abortCancelled(): Promise<void> {
    for (const [id, abort] of this.#scrapes) {
      const state = await findJobState(this.sql, id)
      if (state !== null && state.status !== 'running') abort.abort(cancelled())
    }
  }
}
