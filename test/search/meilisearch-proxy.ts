/** What a test may do to a request to Meilisearch: answer it itself, or change its body. */
export interface Interference {
  answer?: (request: Request) => Response | undefined
  /** Holds the request until it settles. */
  hold?: (request: Request, body: string) => Promise<void>
  rewriteRequest?: (body: string) => string
  rewriteAnswer?: (request: Request, body: string) => string
}

/** One URL for a Meilisearch that is down, returns on another port, or answers as a test requires. */
export const startMeilisearchProxy = (findUrl: () => string | null, interference: Interference = {}) => {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    // A held request outlasts the 10 s after which Bun would end it.
    idleTimeout: 0,
    fetch: async (request) => {
      const own = interference.answer?.(request)
      if (own !== undefined) return own
      const url = findUrl()
      if (url === null) return new Response('away', { status: 502 })
      const { pathname, search } = new URL(request.url)
      const body = request.method === 'GET' ? null : await request.text()
      await interference.hold?.(request, body ?? '')
      const answer = await fetch(`${url}${pathname}${search}`, {
        method: request.method,
        headers: request.headers,
        body: body === null ? null : (interference.rewriteRequest?.(body) ?? body),
      })
      const text = await answer.text()
      return new Response(interference.rewriteAnswer?.(request, text) ?? text, {
        status: answer.status,
        headers: { 'content-type': answer.headers.get('content-type') ?? 'application/json' },
      })
    },
    error: () => new Response('away', { status: 502 }),
  })
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}
