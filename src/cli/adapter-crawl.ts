import { pino } from 'pino'
import { createPortalAccess } from '../../adapters/http/http-client'
import { CRAWLED_VENDORS, findAdapter } from '../../adapters/registry'
import { connectDatabase, type Sql } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { migrate } from '../../drizzle/migrate'
import {
  type CrawlProgress,
  cancelCrawl,
  findCrawlProgress,
  listCrawlRejects,
} from '../../drizzle/queries/crawls/crawls'
import { findSourceVendor } from '../../drizzle/queries/sources/sources'
import { readConfig } from '../config'
import { takeCrawl } from '../jobs/take-crawl'
import { startCrawl } from '../orders/start-crawl'
import { useComponents } from '../roles/components'
import { review } from '../scrape/review/review'
import { createProgress, type Progress } from './progress'

/** Who asked, where a key's first 8 characters would stand. */
const ACTOR = 'operator'
const LOOK_EVERY_MS = 1_000
const MOST_REJECTS_SHOWN = 10

/**
 * Scrapes a source in full, by crawling, and shows how far it is. A worker that has the crawl keeps it, and is watched; one that was
 * stopped goes on after its last page. Ctrl-C leaves it to the workers, or to the same command.
 *
 * @throws ServiceError `not_found`, `conflict`; `cancelled` or the code of the failure when the crawl ends without being done
 */
export const crawlFromCommand = (source: string, { cancel }: { cancel: boolean }): Promise<void> =>
  withDatabase(async (sql) => {
    if (!cancel) return followCrawl(sql, source, await startCrawl(sql, source, ACTOR))
    if ((await findSourceVendor(sql, source)) === null) throw new ServiceError('not_found', `no source ${source}`)
    const ended = await cancelCrawl(sql, { source }, `cancelled by ${ACTOR}`)
    console.log(ended ? `The crawl of ${source} is cancelled.` : `No crawl of ${source} is queued or runs.`)
  })

const followCrawl = async (sql: Sql, source: string, id: string): Promise<void> => {
  const { userAgent, allowPrivateSources } = readConfig()
  const portals = createPortalAccess({ userAgent, allowPrivate: allowPrivateSources })
  const stop = new AbortController()
  const pressed = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        stop.abort(new Error(signal))
        resolve()
      })
    }
  })
  const deps = {
    ...{ sql, review, findAdapter, vendors: CRAWLED_VENDORS, log: pino({ level: 'silent' }) },
    createContext: (name: string, signal: AbortSignal) => ({
      http: portals.clientFor(name, signal),
      openPage: null,
      signal,
    }),
  }
  using screen = createCrawlScreen(source)
  const look = async (): Promise<CrawlProgress> => {
    const crawl = await findCrawlProgress(sql, id)
    if (crawl === null) throw new ServiceError('cancelled', `the crawl of ${source} was forgotten`)
    screen.show(crawl)
    return crawl
  }
  const isLive = ({ status }: CrawlProgress) => status === 'queued' || status === 'running'
  const watching = setInterval(() => void look().catch(() => {}), LOOK_EVERY_MS)
  try {
    while (!stop.signal.aborted && isLive(await look())) {
      if (await takeCrawl(deps, { id, signal: stop.signal })) continue
      await Promise.race([pressed, Bun.sleep(LOOK_EVERY_MS)])
    }
  } finally {
    clearInterval(watching)
  }
  const crawl = await look()
  screen.finish(crawl)
  for (const { what, reason } of await listCrawlRejects(sql, id, MOST_REJECTS_SHOWN))
    console.error(`${what}: ${reason}`)
  if (crawl.rejected > MOST_REJECTS_SHOWN) console.error(`... and ${crawl.rejected - MOST_REJECTS_SHOWN} more`)
  if (crawl.status === 'error') throw new ServiceError('cancelled', `${crawl.errorCode}: ${crawl.errorMessage}`)
}

const takenOf = ({ inserted, updated, unchanged, rejected }: CrawlProgress): number =>
  inserted + updated + unchanged + rejected

/** A bar as soon as the layer has said how much there is. */
const createCrawlScreen = (source: string) => {
  let progress: Progress | null = null
  return {
    show(crawl: CrawlProgress): void {
      if (crawl.pages === 0) return
      progress ??= createProgress(source, crawl.total)
      const waits = crawl.waitsMs > 0 ? `${crawl.errorCode}: again in ${Math.ceil(crawl.waitsMs / 1_000)} s` : undefined
      progress.update(takenOf(crawl), waits)
    },
    finish(crawl: CrawlProgress): void {
      const words = { done: 'scraped in full', error: 'ended', queued: 'goes on later', running: 'goes on elsewhere' }
      const { inserted, updated, unchanged, rejected, pages } = crawl
      const summary = `${source}: ${words[crawl.status]}. ${pages} pages: ${inserted} parcels new, ${updated} changed, ${unchanged} as they were, ${rejected} rejected`
      progress ??= createProgress(source, crawl.total)
      progress.finish(summary)
    },
    [Symbol.dispose]: () => progress?.[Symbol.dispose](),
  }
}

/** The crawl is in the database alone. An address for Meilisearch, which nobody calls, keeps one from being started. */
const withDatabase = async (work: (sql: Sql) => Promise<void>): Promise<void> => {
  const config = readConfig()
  const components = await useComponents(
    { ...config, meiliUrl: config.meiliUrl ?? 'http://127.0.0.1:9' },
    console.error,
  )
  const sql = connectDatabase(components.databaseUrl, { max: 3, applicationName: 'crawl' })
  try {
    await migrate(components.databaseUrl)
    await work(sql)
  } finally {
    await sql.end()
    await components.stop()
  }
}
