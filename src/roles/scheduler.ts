import { CRAWLED_VENDORS } from '../../adapters/registry'
import { listDataFolders } from '../config'
import { createScheduler, type Scheduler } from '../jobs/scheduler'
import { createCompaction } from '../jobs/scheduler/compaction'
import { registerAlertMetrics } from '../operations/observe/alert-metrics'
import { registerCrawlMetrics } from '../operations/observe/crawl-metrics'
import { registerPageGauges } from '../operations/observe/page-metrics'
import { registerQueueMetrics } from '../operations/observe/queue-metrics'
import { registerWebhookMetrics } from '../operations/observe/webhook-metrics'
import { createWatchMatcher } from '../watches/watch-matcher'
import { createPools, type RoleContext } from './role'

/** Refreshes sources when they are due, raises alerts, compares changes with watches, and compacts old changes. */
export const startScheduler = (context: RoleContext): Pick<Scheduler, 'stop'> => {
  const { config, components, metrics, watchLoop, log } = context
  const { databaseUrl } = components
  const sql = createPools(context)(databaseUrl, { max: 3, applicationName: 'scheduler', patience: 'background' })
  registerQueueMetrics(metrics, sql)
  registerCrawlMetrics(metrics, sql, CRAWLED_VENDORS)
  registerWebhookMetrics(metrics, sql)
  registerPageGauges(metrics, sql)
  registerAlertMetrics(metrics, sql)
  // One turn may queue whole sources.
  const turned = {
    refresh: watchLoop('refreshes', 10 * 60_000),
    tune: watchLoop('tuner', 3 * 60_000),
    // The first turn counts all parcels.
    cover: watchLoop('coverage', 30 * 60_000),
    alert: watchLoop('alerts', 5 * 60_000),
  }
  const scheduler = createScheduler({
    databaseUrl,
    sql,
    log,
    crawledVendors: CRAWLED_VENDORS,
    health: { folders: listDataFolders(config), baseUrl: config.baseUrl },
    onTurn: (task) => turned[task](),
  })
  const matcher = createWatchMatcher({ databaseUrl, sql, log, onTurn: watchLoop('watches', 3 * 60_000) })
  const { changesKeepMonths: keepMonths } = config
  const compaction = keepMonths === null ? null : createCompaction({ databaseUrl, keepMonths, log })
  scheduler.start()
  matcher.start()
  compaction?.start()
  return {
    stop: async () => {
      await Promise.all([scheduler.stop(), matcher.stop(), compaction?.stop()])
      await sql.end({ timeout: 5 })
    },
  }
}
