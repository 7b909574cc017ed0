import { createSearchSync, type SearchSync, type SyncEvent } from '../../search/sync/sync'
import { registerSyncMetrics } from '../operations/observe/sync-metrics'
import { createPools, type RoleContext } from './role'

const WORDS: Record<SyncEvent['kind'], string> = {
  leading: 'this process now writes to the search index',
  following: 'this process no longer writes to the search index',
  failed: 'the search index could not be updated; retrying',
  refused: 'Meilisearch refused a document: it is skipped until it changes',
  rebuild_started: 'a rebuild of the search index started',
  rebuild_cancelled: 'the rebuild of the search index was cancelled',
  rebuilt: 'the search index was rebuilt',
  drift_checked: 'the search index was compared with the database',
  drift_check_failed: 'the search index could not be compared with the database',
}

/** Keeps the search index in sync with the database. Null without Meilisearch: there is no index. */
export const startSync = (context: RoleContext): SearchSync | null => {
  const { components, metrics, watchLoop, log } = context
  if (components.meili === null) return null
  const syncMetrics = registerSyncMetrics(metrics)
  const sync = createSearchSync({
    databaseUrl: components.databaseUrl,
    meili: components.meili,
    openPool: createPools(context),
    // A turn may wait 30 s for Meilisearch.
    onTurn: watchLoop('search sync', 2 * 60_000),
    onEvent: (event, instance) => {
      syncMetrics.onEvent(event)
      if ('error' in event) {
        const { error, ...rest } = event
        log.warn({ err: error, ...rest, instance }, WORDS[event.kind])
      } else log[event.kind === 'refused' ? 'warn' : 'info']({ ...event, instance }, WORDS[event.kind])
    },
  })
  syncMetrics.watch(sync)
  sync.start()
  return sync
}
