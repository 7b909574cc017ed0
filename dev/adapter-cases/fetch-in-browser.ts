import type { Adapter, Fetched } from '../../adapters/adapter'
import { createBrowser } from '../../adapters/browser/browser'
import type { Case } from './case'
import { REPLAYED_AT, replay } from './replay'
import { configOf, targetOf } from './run-case'
import { serveCase } from './serve-case'

const LIMIT_MS = 30_000
/** For a page that shows something else, and never what is awaited. */
const REFUSAL_READY_MS = 3_000

/**
 * What an adapter that needs a browser fetches from the portal of a case: its pages and scripts come from a server on this
 * machine, by whatever name and port they are asked for, and run in a real Chromium. Addresses of such cases begin with
 * `http://`: nobody has a certificate for the invented hosts. `asked` is what that server was asked for.
 */
export const fetchInBrowser = async (
  adapter: Adapter,
  one: Case,
  executablePath: string,
): Promise<{ fetched: Fetched; asked: readonly string[] }> => {
  const server = serveCase(one)
  const browser = createBrowser({
    executablePath,
    userAgent: 'ParcelDataService/0',
    portals: { approach: async () => {}, heed: () => {}, resolve: async () => '127.0.0.1' },
    route: async () => ({ address: '127.0.0.1', port: server.port }),
    ...('refusal' in one.expect ? { readyMs: REFUSAL_READY_MS } : {}),
  })
  const over = new AbortController()
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(LIMIT_MS)])
  try {
    const openPage = () => browser.openPage(signal)
    const fetched = await adapter.fetch(targetOf(one), configOf(adapter, one), { http: replay(one), openPage, signal })
    const { asked } = server
    if ('notModified' in fetched) return { fetched, asked }
    const documents = fetched.documents.map((document) => ({ ...document, fetchedAt: REPLAYED_AT }))
    return { fetched: { documents }, asked }
  } finally {
    over.abort()
    await browser.stop()
    await server.stop()
  }
}
