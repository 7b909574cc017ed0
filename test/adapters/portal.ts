import { afterAll } from 'bun:test'
import { createPortalAccess, type HttpClientOptions } from '../../adapters/http/http-client'

type Handler = (request: Request) => Response | Promise<Response>

/** A local server that stands in for a portal, with a log of its requests. */
export const startPortal = (handle: Handler) => {
  const asked: { path: string; at: number; headers: Record<string, string> }[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    // A test may hold a response longer than Bun's 10 s.
    idleTimeout: 0,
    fetch: (request) => {
      const { pathname, search } = new URL(request.url)
      asked.push({ path: pathname + search, at: performance.now(), headers: Object.fromEntries(request.headers) })
      return handle(request)
    },
  })
  afterAll(() => server.stop(true))
  return { url: `http://127.0.0.1:${server.port}`, port: server.port, asked }
}

/** A client that may request this machine and uses short delays. */
export const openClient = (options: Partial<HttpClientOptions> = {}, signal = AbortSignal.timeout(20_000)) =>
  createPortalAccess({
    userAgent: 'ParcelDataService/0 (+https://service.example)',
    allowPrivate: true,
    spacingMs: 0,
    ...options,
  }).clientFor('elm', signal)
