import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { connectDatabase } from '../../../core/postgres/database'
import { createDispatcher } from '../../../src/jobs/dispatcher'
import { createWorker } from '../../../src/jobs/worker'
import { createScrapeParcel } from '../../../src/scrape/fetch/scrape-parcel'
import { createTestAdapter, createTestContext, scraped } from '../test-adapter'

/*
 * A worker in a separate process that tests can kill: bun test/jobs/worker/worker-process.ts DATABASE_URL QUEUE [SCRAPE_MS]. QUEUE is a Redis
 * URL or a folder. The portal responds after SCRAPE_MS. Prints `ready` after the start.
 */
const REPORT_MS = 20
const [databaseUrl = '', queueAddress = '', scrapeMs = '0'] = process.argv.slice(2)
const sql = connectDatabase(databaseUrl, { max: 6, applicationName: 'test-worker', planned: 'each' })
const log = pino({ level: process.env.LOG_LEVEL ?? 'silent' }, pino.destination(2))
/** Loads only the queue that is used, as the worker role does. */
const openQueue = async () => {
  if (!queueAddress.startsWith('redis:'))
    return (await import('../../../src/jobs/queue/bunqueue')).createEmbeddedQueue(queueAddress)
  const { createRedisQueue } = await import('../../../src/jobs/queue/redis')
  return createRedisQueue(queueAddress, {
    onReset: () => dispatcher.refill(),
    onError: (error) => log.debug({ err: error }),
  })
}
const queue = await openQueue()
const adapter = createTestAdapter(async ({ sourceParcelId }, { signal }) => {
  if (scrapeMs !== '0') await sleep(Number(scrapeMs), undefined, { signal })
  return scraped(sourceParcelId)
})
const worker = createWorker({
  sql,
  queue,
  log,
  review: () => [],
  scrapeParcel: createScrapeParcel({ sql, findAdapter: () => adapter, createContext: createTestContext }),
})
const dispatcher = createDispatcher({ databaseUrl, sql, queue, log })
worker.start()
dispatcher.start()
console.log('ready')
/** For a parent that waits until this process runs jobs. */
const reporting = process.send && setInterval(() => process.send?.(worker.running()), REPORT_MS)
process.on('SIGTERM', async () => {
  clearInterval(reporting)
  await dispatcher.stop()
  await worker.stop()
  await sql.end()
})
