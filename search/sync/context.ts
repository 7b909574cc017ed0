import type { EnqueuedTask, EnqueuedTaskPromise, Meilisearch } from 'meilisearch'
import type { Transaction } from '../../core/postgres/database'
import type { StateSet } from '../../core/state-set'
import type { Queue } from '../../drizzle/queries/search/search-outbox'
import type { InstanceQueue } from '../../drizzle/queries/search/search-queues'
import type { IndexNames } from '../index/indexes'
import type { Connections } from './connections'
import type { SyncEvent } from './events'

/** What the parts of the sync of one instance of Meilisearch share. */
export interface SyncContext {
  connections: Connections
  /** The states that the instance has. */
  states: StateSet
  queue: Queue
  /** The queues of all instances. Empty: there is only one instance, which gets all changes. */
  queues: readonly InstanceQueue[]
  /** The suffix of duty names in all processes that have these queues. */
  plan: string
  /** The subject of its rows in `work`. */
  subject: string
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
