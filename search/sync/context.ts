import type { Meilisearch } from 'meilisearch'
import type { IndexNames } from '../indexes'
import type { Connections } from './connections'
import type { SyncEvent } from './events'

/** What the parts of one sync work with. */
export interface SyncContext {
  connections: Connections
  client: Meilisearch
  indexes: IndexNames
  say: (event: SyncEvent) => void
}
