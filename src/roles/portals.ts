import type { FetchContext } from '../../adapters/adapter'
import { createBrowser } from '../../adapters/browser/browser'
import type { Waiting } from '../../adapters/http/host-turns'
import { createPortalAccess, type PortalAccess } from '../../adapters/http/http-client'
import { findAdapter } from '../../adapters/registry'
import { throttleReports } from '../../core/observe/throttle-reports'
import type { Sql } from '../../core/postgres/database'
import { registerPageCounters } from '../operations/observe/page-metrics'
import { createScrapeParcel, type ScrapeParcel } from '../scrape/fetch/scrape-parcel'
import { createLabelCounter } from '../scrape/labels/count-labels'
import { createPageKeeper } from '../scrape/pages/keep-pages'
import { createPageStore } from '../scrape/pages/page-store'
import { createReaderPool, type ReaderPool } from '../scrape/readers/reader-pool'
import type { RoleContext } from './role'

/**
 * Scrapes with the registry's adapters, one polite client and, if allowed, one browser. Spacing between requests is per process.
 * Separate processes parse the portals' responses. The pages of each scrape are stored, unless that is switched off.
 */
export const openPortals = (
  { config, ownOrigins, metrics, log }: RoleContext,
  sql: Sql,
  { withBrowser }: { withBrowser: boolean },
): {
  scrapeParcel: ScrapeParcel
  createContext: (source: string, signal: AbortSignal, waiting?: Waiting) => FetchContext
  readers: ReaderPool
  /** For loading files of parcels, which does not need the rest. */
  portals: PortalAccess
  close: () => Promise<void>
} => {
  const { userAgent, chromiumPath } = config
  const portals = createPortalAccess({ userAgent, allowPrivate: config.allowPrivateSources, ownOrigins })
  const browser = withBrowser ? createBrowser({ executablePath: chromiumPath, userAgent, portals }) : null
  const createContext = (source: string, signal: AbortSignal, waiting?: Waiting): FetchContext => ({
    http: portals.clientFor(source, signal, waiting),
    openPage: browser && (() => browser.openPage(signal, waiting)),
    signal,
  })
  const readers = createReaderPool({
    onKill: (about) =>
      log.warn(about, 'a response took too much time or memory to read: the reader process was replaced'),
  })
  const store = createPageStore(config.pagesUrl)
  const keeper =
    config.maxPagesBytes === 0
      ? null
      : createPageKeeper({
          sql,
          store,
          maxBytes: config.maxPagesBytes,
          ...registerPageCounters(metrics),
          onError: throttleReports((error, times) =>
            log.warn(
              { err: error, times, pages: store.location },
              'pages of portals could not be kept; scrapes continue without them',
            ),
          ),
        })
  const labels = createLabelCounter({
    sql,
    onError: throttleReports((error, times) => log.warn({ err: error, times }, 'unread labels could not be counted')),
  })
  const close = async () => {
    readers.stop()
    await labels.stop()
    await keeper?.stop()
    await browser?.stop()
  }
  return {
    scrapeParcel: createScrapeParcel({ sql, findAdapter, createContext, readers, keeper, labels }),
    createContext,
    readers,
    portals,
    close,
  }
}
