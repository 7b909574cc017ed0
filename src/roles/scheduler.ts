import { CRAWLED_VENDORS } from '../../adapters/registry'
import { registerCrawlMetrics } from '../crawl-metrics'
import { createScheduler, type Scheduler } from '../jobs/scheduler'
import { registerQueueMetrics } from '../queue-metrics'
import { createPools, type RoleContext } from './role'

/** Refreshes sources when they are due. */
export const startScheduler = (context: RoleContext): Scheduler => {
  const { components, metrics, log } = context
  const { databaseUrl } = components
  const sql = createPools(context)(databaseUrl, { max: 2, applicationName: 'scheduler', patience: 'background' })
  registerQueueMetrics(metrics, sql)
  registerCrawlMetrics(metrics, sql, CRAWLED_VENDORS)
  const scheduler = createScheduler({ databaseUrl, sql, log, crawledVendors: CRAWLED_VENDORS })
  scheduler.start()
  return {
    ...scheduler,
    stop: async () => {
      await scheduler.stop()
      await sql.end({ timeout: 5 })
    },
  }
}
