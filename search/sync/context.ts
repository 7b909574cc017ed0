import type { EnqueuedTask, EnqueuedTaskPromise, Meilisearch } from 'meilisearch'
import type { Transaction } from '../../core/postgres/database'
import type { IndexNames } from '../index/indexes'
import type { Connections } from './connections'
import type { SyncEvent } from './events'

/** What the parts of one sync work with. */
export interface SyncContext {
  connections: Connections
  /** For reading. What writes goes through `enqueue`. */
  client: Meilisearch
  indexes: IndexNames
  say: (event: SyncEvent) => void
  /**
   * A transaction that takes effect under the lead or not at all.
   *
   * @throws ServiceError `lead_lost`
   */
  write: <Result>(work: (tx: Transaction) => Promise<Result>) => Promise<Result>
  enqueue: Enqueue
}

/**
 * Sends a write to Meilisearch if this process still leads, and names its task. Meilisearch knows nothing of leads: a process that is
 * frozen after it was asked here, and before the request arrives, writes late. `LeadDuties.end` is where that is mended.
 *
 * @throws ServiceError `lead_lost`
 */
export type Enqueue = (request: (client: Meilisearch) => EnqueuedTaskPromise | Promise<EnqueuedTask>) => Promise<number>
