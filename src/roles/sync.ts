import { createSearchSync, type SearchSync } from '../../search/sync/sync'
import { registerSyncMetrics } from '../observe/sync-metrics'
import { createPools, type RoleContext } from './role'

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
    onEvent: (event) => {
      syncMetrics.onEvent(event)
      if ('error' in event) {
        const { error, ...rest } = event
        log.warn({ err: error, ...rest }, 'search sync')
      } else log[event.kind === 'refused' ? 'warn' : 'info'](event, 'search sync')
    },
  })
  syncMetrics.watch(sync)
  sync.start()
  return sync
}
