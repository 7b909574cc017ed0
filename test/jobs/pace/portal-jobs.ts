import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Adapter } from '../../../adapters/adapter'
import type { PortalAccess } from '../../../adapters/http/http-client'
import type { Sql } from '../../../core/postgres/database'
import { createDispatcher } from '../../../src/jobs/dispatcher'
import { createEmbeddedQueue } from '../../../src/jobs/queue/bunqueue'
import { createWorker } from '../../../src/jobs/worker'
import { createScrapeParcel, type ScraperDeps } from '../../../src/scrape/fetch/scrape-parcel'

interface Options extends Pick<ScraperDeps, 'timeLimitMs' | 'longestWaitMs'> {
  url: string
  sql: Sql
  adapter: Adapter
  portals: PortalAccess
}

/** Scrapes with `adapter` from the portals of a test. */
export const createPortalScrape = ({ sql, adapter, portals, ...limits }: Omit<Options, 'url'>) =>
  createScrapeParcel({
    sql,
    findAdapter: () => adapter,
    createContext: (source, signal, waiting) => ({
      http: portals.clientFor(source, signal, waiting),
      openPage: null,
      signal,
    }),
    ...limits,
  })

/** Runs the jobs of a test file, which scrape from its portals: a dispatcher and a worker, from `start` until the tests have ended. */
export const createPortalJobs = ({ url, ...options }: Options): { start: () => void } => {
  const { sql } = options
  const dir = mkdtempSync(join(tmpdir(), 'portal-jobs-'))
  const log = pino({ level: 'silent' })
  const queue = createEmbeddedQueue(dir)
  const worker = createWorker({ sql, queue, scrapeParcel: createPortalScrape(options), review: () => [], log })
  const dispatcher = createDispatcher({ databaseUrl: url, sql, queue, log })
  afterAll(async () => {
    await dispatcher.stop()
    await worker.stop(0)
    rmSync(dir, { recursive: true, force: true })
  })
  return {
    start: () => {
      worker.start()
      dispatcher.start()
    },
  }
}
