import type { FetchContext } from '../../adapters/adapter'
import { createBrowser } from '../../adapters/browser'
import type { Waiting } from '../../adapters/http/host-turns'
import { createPortalAccess } from '../../adapters/http-client'
import { findAdapter } from '../../adapters/registry'
import type { Sql } from '../../drizzle/database'
import type { CrawlDeps } from '../services/crawl-source'
import { createScrapeParcel, type ScrapeParcel } from '../services/scrape-parcel'
import type { RoleContext } from './role'

/**
 * Scrapes through the registry's adapters, one polite client and, where it may run, one browser. Spacing between requests is
 * kept within the process.
 */
export const openPortals = (
  { config, ownOrigins }: RoleContext,
  sql: Sql,
  { withBrowser }: { withBrowser: boolean },
): { scrapeParcel: ScrapeParcel; createContext: CrawlDeps['createContext']; close: () => Promise<void> } => {
  const { userAgent, chromiumPath } = config
  const portals = createPortalAccess({ userAgent, allowPrivate: config.allowPrivateSources, ownOrigins })
  const browser = withBrowser ? createBrowser({ executablePath: chromiumPath, userAgent, portals }) : null
  const createContext = (source: string, signal: AbortSignal, waiting?: Waiting): FetchContext => ({
    http: portals.clientFor(source, signal, waiting),
    openPage: browser && (() => browser.openPage(signal, waiting)),
    signal,
  })
  const scrapeParcel = createScrapeParcel({ sql, findAdapter, createContext })
  return { scrapeParcel, createContext, close: async () => browser?.stop() }
}
