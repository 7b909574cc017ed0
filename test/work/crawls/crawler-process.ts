import { pino } from 'pino'
import { createPortalAccess } from '../../../adapters/http/http-client'
import { CRAWLED_VENDORS, findAdapter } from '../../../adapters/registry'
import { connectDatabase } from '../../../core/postgres/database'
import { createReaderPool } from '../../../src/scrape/readers/reader-pool'
import { review } from '../../../src/scrape/review/review'
import { createCrawler } from './crawl-rows'

/* A worker that crawls and works on loads, in a separate process that tests can kill: bun test/work/crawls/crawler-process.ts DATABASE_URL LEASE_MS. */
const [databaseUrl = '', leaseMs = ''] = process.argv.slice(2)
const sql = connectDatabase(databaseUrl, {
  max: 4,
  applicationName: 'test-crawler',
  patience: 'background',
  planned: 'each',
})
const portals = createPortalAccess({ userAgent: 'ParcelDataService/0', allowPrivate: true, spacingMs: 0 })
createCrawler({
  readers: createReaderPool(),
  ...{ sql, findAdapter, review, vendors: CRAWLED_VENDORS },
  createContext: (source, signal) => ({ http: portals.clientFor(source, signal), openPage: null, signal }),
  log: pino({ level: process.env.LOG_LEVEL ?? 'silent' }, pino.destination(2)),
  ...{ leaseMs: Number(leaseMs), heartbeatMs: Number(leaseMs) / 4, pollMs: 50 },
}).start()
