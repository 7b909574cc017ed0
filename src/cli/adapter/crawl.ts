import { pino } from 'pino'
import { createPortalAccess } from '../../../adapters/http/http-client'
import { CRAWLED_VENDORS, findAdapter } from '../../../adapters/registry'
import { untilAborted } from '../../../core/concurrency/until-aborted'
import type { Sql } from '../../../core/postgres/database'
import { ServiceError } from '../../../core/service-error'
import { countNoun, formatCount } from '../../../core/text/count-noun'
import {
  type CrawlProgress,
  cancelCrawl,
  findCrawlProgress,
  listCrawlRejects,
} from '../../../drizzle/queries/crawls/crawls'
import { findStoredLoad } from '../../../drizzle/queries/loads/stored-load'
import { findSourceVendor } from '../../../drizzle/queries/sources/sources'
import { readConfig } from '../../config'
import { describeHeldLoad, HELD_CODE } from '../../loads/describe-load'
import { startCrawl } from '../../orders/start-crawl'
import { review } from '../../scrape/review/review'
import { createCrawlRunner } from '../../work/crawl-runner'
import { takeWork } from '../../work/take-work'
import { listenForStop } from '../command/stop-signal'
import { ACTOR, useDatabase } from '../command/use-database'
import { createProgress, type Progress } from '../terminal/progress'

const LOOK_EVERY_MS = 1_000
const MAX_REJECTS_SHOWN = 10

/**
 * Crawls a source and shows the progress. If a worker already runs the crawl, this command only watches. If the crawl is held,
 * prints why and exits with code 3. An interrupted crawl continues after its last page. After Ctrl-C, a worker or the next run of this
 * command continues it.
 *
 * @throws ServiceError `not_found`, `conflict`; `cancelled` or the failure's code when the crawl ends unfinished
 */
export const crawlFromCommand = (source: string, { cancel }: { cancel: boolean }): Promise<void> =>
  useDatabase({ applicationName: 'crawl', max: 3 }, async (sql) => {
    if (!cancel) return followCrawl(sql, source, await startCrawl(sql, source, ACTOR))
    if ((await findSourceVendor(sql, source)) === null) throw new ServiceError('not_found', `unknown source: ${source}`)
    const ended = await cancelCrawl(sql, { source }, `cancelled by ${ACTOR}`)
    console.log(ended ? `The crawl of ${source} is cancelled.` : `No crawl of ${source} is queued or running.`)
  })

const followCrawl = async (sql: Sql, source: string, id: string): Promise<void> => {
  const { userAgent, allowPrivateSources } = readConfig()
  const portals = createPortalAccess({ userAgent, allowPrivate: allowPrivateSources })
  const stop = listenForStop()
  const log = pino({ level: 'silent' })
  const runner = createCrawlRunner({
    sql,
    review,
    findAdapter,
    vendors: CRAWLED_VENDORS,
    log,
    createContext: (name: string, signal: AbortSignal) => ({
      http: portals.clientFor(name, signal),
      openPage: null,
      signal,
    }),
  })
  using screen = createCrawlScreen(source)
  const look = async (): Promise<CrawlProgress> => {
    const crawl = await findCrawlProgress(sql, id)
    if (crawl === null) throw new ServiceError('cancelled', `the crawl of ${source} no longer exists`)
    screen.show(crawl)
    return crawl
  }
  const isLive = ({ status }: CrawlProgress) => status === 'queued' || status === 'running'
  const watching = setInterval(() => void look().catch(() => {}), LOOK_EVERY_MS)
  try {
    while (!stop.aborted && isLive(await look())) {
      if (await takeWork({ sql, runner, log }, { id, signal: stop })) continue
      await untilAborted(stop, Bun.sleep(LOOK_EVERY_MS)).catch(() => {})
    }
  } finally {
    clearInterval(watching)
  }
  const crawl = await look()
  const load = await findStoredLoad(sql, id)
  screen.finish(crawl, load?.status === 'held')
  for (const { what, reason } of await listCrawlRejects(sql, id, MAX_REJECTS_SHOWN)) console.error(`${what}: ${reason}`)
  if (crawl.rejected > MAX_REJECTS_SHOWN) console.error(`... and ${crawl.rejected - MAX_REJECTS_SHOWN} more`)
  if (load?.status === 'held') {
    for (const line of describeHeldLoad(load)) console.error(line)
    process.exitCode = HELD_CODE
  }
  if (crawl.status === 'error') throw new ServiceError('cancelled', `${crawl.errorCode}: ${crawl.errorMessage}`)
}

const takenOf = ({ inserted, updated, unchanged, rejected }: CrawlProgress): number =>
  inserted + updated + unchanged + rejected

/** Shows a bar as soon as the layer has reported its size. */
const createCrawlScreen = (source: string) => {
  let progress: Progress | null = null
  return {
    show(crawl: CrawlProgress): void {
      if (crawl.pages === 0) return
      progress ??= createProgress(source, crawl.total)
      const waits = crawl.waitsMs > 0 ? `${crawl.errorCode}: retry in ${Math.ceil(crawl.waitsMs / 1_000)} s` : undefined
      progress.update(takenOf(crawl), waits)
    },
    finish(crawl: CrawlProgress, isHeld: boolean): void {
      const words = {
        done: isHeld ? 'crawl complete, but held' : 'crawl complete',
        error: 'crawl ended early',
        queued: 'crawl will continue later',
        running: 'crawl continues in another process',
      }
      const { inserted, updated, unchanged, rejected, pages } = crawl
      const summary = `${source}: ${words[crawl.status]}. ${countNoun(pages, 'page')}: ${countNoun(inserted, 'new parcel')}, ${formatCount(updated)} changed, ${formatCount(unchanged)} unchanged, ${formatCount(rejected)} rejected`
      progress ??= createProgress(source, crawl.total)
      progress.finish(summary)
    },
    [Symbol.dispose]: () => progress?.[Symbol.dispose](),
  }
}
