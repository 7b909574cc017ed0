import { join } from 'node:path'
import { CRAWLED_VENDORS, findAdapter } from '../../adapters/registry'
import { throttleReports } from '../../core/observe/throttle-reports'
import { createExportStore } from '../exports/export-store'
import { createDispatcher } from '../jobs/dispatcher'
import { refuseUnfitRedis } from '../jobs/queue/eviction-policy'
import { createWorker } from '../jobs/worker'
import { registerCrawlCounters } from '../operations/observe/crawl-counters'
import { repeatProofChecks } from '../scrape/prove/check-proofs'
import { review } from '../scrape/review/review'
import { DRAIN_DEFAULTS } from '../watches/drain-receiver'
import { createRunners } from '../work/runners'
import { createWorkLoop } from '../work/work-loop'
import { openPortals } from './portals'
import { createPools, type RoleContext } from './role'

/** The worker's loops run every second or two. */
const LOOP_MS = 30_000

/**
 * Runs jobs and long-running work, and dispatches jobs from the table to the queue.
 *
 * @throws ServiceError `data_dir_in_use` when another process has the embedded queue, `bad_config` on a Redis that evicts keys or refuses the password
 */
export const startWorker = async (context: RoleContext) => {
  const { config, components, metrics, watchLoop, log } = context
  if (config.redisUrl !== null) await refuseUnfitRedis(config.redisUrl, log)
  const { databaseUrl } = components
  const sql = createPools(context)(databaseUrl, {
    max: 8,
    applicationName: 'worker',
    patience: 'background',
    planned: 'each',
  })
  // Loads only the driver that is used.
  const openQueue = async () => {
    if (config.redisUrl === null) {
      const { createEmbeddedQueue } = await import('../jobs/queue/bunqueue')
      return createEmbeddedQueue(join(config.dataDir, 'queue'))
    }
    const { createRedisQueue } = await import('../jobs/queue/redis')
    return createRedisQueue(config.redisUrl, {
      onReset: () => dispatcher.refill(),
      onAnswer: watchLoop('job queue in Redis', LOOP_MS),
      onError: throttleReports((error, times) =>
        log.warn({ err: error, times }, 'the job queue in Redis fails; jobs wait'),
      ),
    })
  }
  const queue = await openQueue()
  const { scrapeParcel, createContext, readers, portals, close } = openPortals(context, sql, { withBrowser: true })
  const turned = {
    leases: watchLoop('leases of jobs', LOOP_MS),
    targets: watchLoop('targets of vendors', LOOP_MS),
  }
  const worker = createWorker({ sql, queue, scrapeParcel, review, log, onTurn: (loop) => turned[loop]() })
  const dispatcher = createDispatcher({ databaseUrl, sql, queue, log, onTurn: watchLoop('dispatcher', 60_000) })
  const crawls = { vendors: CRAWLED_VENDORS, findAdapter, createContext, readers, review, log }
  const workLoop = createWorkLoop({
    sql,
    log,
    runners: createRunners({
      databaseUrl,
      crawl: { ...crawls, sql, watcher: registerCrawlCounters(metrics, CRAWLED_VENDORS) },
      exports: {
        databaseUrl,
        databaseReadUrls: config.databaseReadUrls,
        log,
        store: createExportStore(config.exportsUrl),
        workDir: join(config.dataDir, 'exports-work'),
        maxBytes: config.maxExportsBytes,
      },
      files: {
        databaseUrl,
        portals,
        log,
        userAgent: config.userAgent,
        allowPrivateSources: config.allowPrivateSources,
        workDir: join(config.dataDir, 'files-work'),
      },
      webhooks: { ...DRAIN_DEFAULTS, userAgent: config.userAgent, allowPrivate: config.allowPrivateWebhooks },
    }),
    onTurn: watchLoop('work', 60_000),
  })
  const proofs = repeatProofChecks(
    { sql, readers, findAdapter, log },
    throttleReports((error, times) => log.warn({ err: error, times }, 'golden pages could not be checked; retrying')),
  )
  worker.start()
  dispatcher.start()
  workLoop.start()
  return {
    stop: async () => {
      await dispatcher.stop()
      await Promise.all([worker.stop(), workLoop.stop(), proofs.stop()])
      await close()
      await sql.end({ timeout: 5 })
    },
  }
}
