import type { ScrapeOverrides } from '../../../../adapters/adapter'
import type { ScrapeError } from '../../../../adapters/scrape-error'
import type { Requester } from '../../../../drizzle/queries/jobs/order/watchers'
import type { JobKey } from '../../../../drizzle/queries/service/idempotency-keys'

export interface ScrapeNowRequest {
  source: string
  sourceParcelId: string
  overrides: ScrapeOverrides
  /** Null: no requester is recorded or notified. */
  requester: Requester | null
  /** The Idempotency-Key of the call: repeated calls with one key store one scrape. Null: no key. */
  key: JobKey | null
}

/** The deadline of a call, by `performance.now()`, and the error of a call that exceeds it. */
export interface Limit {
  deadline: number
  tookTooLong: ScrapeError
}
