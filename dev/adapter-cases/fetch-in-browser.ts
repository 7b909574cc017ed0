import type { Adapter, BrowserPage, Fetched } from '../../adapters/adapter'
import { createBrowser } from '../../adapters/browser/browser'
import { READY_MS, setPatience } from '../../adapters/browser/patience'
import type { Case } from './case'
import { REPLAYED_AT, replay } from './replay'
import { configOf, targetOf } from './run-case'
import { serveCase } from './serve-case'

const LIMIT_MS = 30_000
/** How long a case waits for content that never appears, because the page shows a refusal. */
const REFUSAL_READY_MS = 3_000

/** Fetches cases with one Chromium, one case at a time. */
export interface CaseBrowser {
  /**
   * Returns what an adapter that needs a browser fetches from the portal of a case, and the requested paths of the portal. The case's
   * pages and scripts run in Chromium. A server on this machine answers for every host and port. Addresses in such cases begin with
   * `http://`, because there are no certificates for the invented hosts.
   */
  fetchCase: (adapter: Adapter, one: Case) => Promise<{ fetched: Fetched; asked: readonly string[] }>
  stop: () => Promise<void>
}

export const createCaseBrowser = (executablePath: string): CaseBrowser => {
  let port = 0
  const browser = createBrowser({
    executablePath,
    userAgent: 'ParcelDataService/0',
    portals: { approach: async () => {}, heed: () => {}, resolve: async () => '127.0.0.1' },
    route: async () => ({ address: '127.0.0.1', port }),
  })
  // Cases of a vendor share a page, because opening a page takes longer than everything else in a case.
  let shared: { vendor: string; page: BrowserPage; close: () => void } | null = null
  const closeShared = () => {
    shared?.close()
    shared = null
  }
  const pageFor = async ({ vendor }: Adapter): Promise<BrowserPage> => {
    if (shared?.vendor === vendor) return shared.page
    closeShared()
    const over = new AbortController()
    const page = await browser.openPage(over.signal)
    shared = { vendor, page, close: () => over.abort() }
    return page
  }

  return {
    fetchCase: async (adapter, one) => {
      const server = serveCase(one)
      ;({ port } = server)
      const limit = setTimeout(closeShared, LIMIT_MS)
      try {
        const openPage = async () => {
          const page = await pageFor(adapter)
          setPatience(page, 'refusal' in one.expect ? REFUSAL_READY_MS : READY_MS)
          return page
        }
        const context = { http: replay(one), openPage, signal: AbortSignal.timeout(LIMIT_MS) }
        const fetched = await adapter.fetch(targetOf(one), configOf(adapter, one), context)
        const { asked } = server
        if ('notModified' in fetched) return { fetched, asked }
        const documents = fetched.documents.map((document) => ({ ...document, fetchedAt: REPLAYED_AT }))
        return { fetched: { documents }, asked }
      } finally {
        clearTimeout(limit)
        await server.stop()
      }
    },
    stop: () => browser.stop(),
  }
}
