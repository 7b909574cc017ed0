import type { Logger } from 'pino'
import { runEach } from '../../../core/concurrency/run-each'
import { withSpan } from '../../../core/observe/with-span'
import type { Sql } from '../../../core/postgres/database'
import type { Lead } from '../../../core/postgres/leader/lead'
import { FILE_VENDOR } from '../../../core/sources/file-vendor'
import { enqueueRunSet, listRunsToEnqueue } from '../../../drizzle/queries/refreshes/enqueue-runs'
import { finishRuns } from '../../../drizzle/queries/refreshes/finish-runs'
import { listDueSources } from '../../../drizzle/queries/refreshes/list-due-sources'
import { startCrawlRun, startFileRun, startRun } from '../../../drizzle/queries/refreshes/start-run'
import { nextDue } from './next-due'

export interface RefreshDeps {
  sql: Sql
  log: Logger
  /** Vendors whose sources are refreshed by crawls. */
  crawledVendors: readonly string[]
}

const DUE_AT_ONCE = 50
/** Most jobs that one statement queues. It takes some tens of milliseconds. */
const JOBS_AT_A_TIME = 5_000

/** Starts the runs of due sources. */
export const startDueRuns = async ({ sql, log, crawledVendors }: RefreshDeps, lead: Lead): Promise<void> => {
  const now = new Date()
  await runEach(await listDueSources(sql, DUE_AT_ONCE), async (due) => {
    const { source, vendor, cadence, agriculturalOnly, nextDueAt: dueAt } = due
    const nextDueAt = nextDue(cadence, dueAt, now)
    // A crawl fetches the whole layer. If only agricultural parcels are wanted, they are scraped one by one.
    const isCrawl = crawledVendors.includes(vendor) && !agriculturalOnly
    const start = vendor === FILE_VENDOR ? startFileRun : isCrawl ? startCrawlRun : startRun
    await withSpan('start refresh', { source }, () => lead.begin(sql, (tx) => start(tx, source, { dueAt, nextDueAt })))
    log.info({ source, nextDueAt, isCrawl }, 'refresh started')
  })
}

/** Queues the jobs of started runs. Sources take turns, one set each, so that a large source does not delay the others. */
export const enqueueRuns = async ({ sql }: RefreshDeps, lead: Lead, isStopped: () => boolean): Promise<void> => {
  let sources = await listRunsToEnqueue(sql)
  while (sources.length > 0 && !isStopped()) {
    const unfinished: string[] = []
    await runEach(sources, async (source) => {
      const hasMore = await withSpan('enqueue refresh', { source }, () =>
        lead.begin(sql, (tx) => enqueueRunSet(tx, source, JOBS_AT_A_TIME)),
      )
      if (hasMore) unfinished.push(source)
    })
    sources = unfinished
  }
}

/** Ends the runs whose jobs have all ended. */
export const endRuns = async ({ sql, log }: RefreshDeps, lead: Lead): Promise<void> => {
  for (const source of await lead.begin(sql, finishRuns)) log.info({ source }, 'refresh finished')
}
