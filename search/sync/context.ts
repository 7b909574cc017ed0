import type { EnqueuedTask, EnqueuedTaskPromise, Meilisearch } from 'meilisearch'
import type { Transaction } from '../../core/postgres/database'
import type { IndexNames } from '../index/indexes'
import type { Connections } from './connections'
import type { SyncEvent } from './events'

/** What the parts of one sync share. */
export interface SyncContext {
  connections: Connections
  /** For reads only. Writes go through `enqueue`. */
  client: Meilisearch
  indexes: IndexNames
  say: (event: SyncEvent) => void
  /**
   * Runs a transaction that commits only while this process leads.
   *
   * @throws ServiceError `lead_lost`
   */
  write: <Result>(work: (tx: Transaction) => Promise<Result>) => Promise<Result>
  enqueue: Enqueue
}

/**
 * Sends a write to Meilisearch if this process still leads, and returns its task id. Meilisearch does not know who leads: a process
 * that freezes between this check and the request writes late. `LeadDuties.lost` repairs that.
 *
 * @throws ServiceError `lead_lost`
 */
export type Enqueue = (request: (client: Meilisearch) => EnqueuedTaskPromise | Promise<EnqueuedTask>) => Promise<number>
