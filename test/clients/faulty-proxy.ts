import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A proxy that fails in the way that its URL names: `BASE/FAULT~NAME/v1/...`. `NAME` separates tests: a fault concerns the first
 * requests of a name. Each request has its own connection: browsers and Bun repeat a request by themselves if a used connection breaks.
 */
type Fault = (turn: number, forward: Forward, response: ServerResponse) => void
interface Forward {
  /** Sends the response of the service. Cuts the connection after this many bytes of the body. */
  pass: (cutAfter?: number) => void
  /** Lets the service do its work, and closes the connection without a response. */
  lose: () => void
}

const answer = (
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body = '{"error":"busy"}',
) => {
  response.writeHead(status, {
    connection: 'close',
    'content-type': 'application/json',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'Retry-After, X-Request-Id',
    ...headers,
  })
  response.end(body)
}

const FAULTS: Record<string, Fault> = {
  /** One 503 that names a second, then one that names nothing. */
  busy: (turn, { pass }, response) => {
    if (turn === 0) answer(response, 503, { 'retry-after': '1' })
    else if (turn === 1) answer(response, 503, {})
    else pass()
  },
  /** 503 for a minute, which clients wait for. */
  crowded: (_, __, response) => answer(response, 503, { 'retry-after': '60' }),
  /** 503 for an hour. */
  gone: (_, __, response) => answer(response, 503, { 'retry-after': '3600' }),
  /** A proxy's page instead of JSON. */
  page: (_, __, response) => answer(response, 500, { 'content-type': 'text/html' }, '<h1>Oops</h1>'),
  /** Redirects callers to another server. */
  moved: (_, __, response) => answer(response, 301, { location: '/elsewhere~get/v1/sources' }),
  /** The first connection breaks before the request is passed on. */
  refused: (turn, { pass }, response) => (turn === 0 ? response.socket?.destroy() : pass()),
  /** The first response is lost, although the service has done its work. */
  lost: (turn, { pass, lose }) => (turn === 0 ? lose() : pass()),
  /** Nothing is ever sent. */
  silent: () => {},
  /** Each response takes two seconds, but no part of it does. */
  drip: (_, __, response) => {
    response.writeHead(200, {
      connection: 'close',
      'content-type': 'application/json',
      'access-control-allow-origin': '*',
    })
    const parts = ['{"count"', ':', '0', ',', '"sources"', ':', '[', ']', ',', '"next":null}']
    const timer = setInterval(() => {
      response.write(parts.shift())
      if (parts.length > 0) return
      clearInterval(timer)
      response.end()
    }, 200)
    response.on('close', () => clearInterval(timer))
  },
  /** The first response is silent. */
  slow: (turn, { pass }) => (turn === 0 ? undefined : pass()),
  /** A stream breaks twice, in the middle of its first event. */
  severed: (turn, { pass }) => pass(turn < 2 ? 100 : undefined),
  /** Downloads of files break twice after 1,000 bytes each. */
  cut: (turn, { pass }) => pass(turn < 2 ? 1_000 : undefined),
}

export const startFaultyProxy = async (target: string) => {
  const requests = new Map<string, string[]>()
  const open = new Set<ServerResponse>()

  const handle = (incoming: IncomingMessage, response: ServerResponse) => {
    const [, fault = '', name = '', path = '/'] = /^\/(\w+)~([\w-]+)(\/.*)$/.exec(incoming.url ?? '') ?? []
    open.add(response)
    response.on('close', () => open.delete(response))
    const forward = (use: (answered: IncomingMessage) => void) => {
      const sent = request(
        `${target}${path}`,
        { method: incoming.method ?? 'GET', headers: { ...incoming.headers, connection: 'close' } },
        use,
      )
      sent.on('error', () => response.destroy())
      incoming.pipe(sent)
    }
    const pass = (cutAfter?: number) =>
      forward((answered) => {
        response.writeHead(answered.statusCode ?? 500, { ...answered.headers, connection: 'close' })
        let passed = 0
        answered.on('data', (part: Buffer) => {
          if (cutAfter !== undefined && passed + part.length > cutAfter) {
            // Bytes that the client has not read yet are lost when the connection breaks.
            response.write(part.subarray(0, cutAfter - passed), () => setTimeout(() => response.socket?.destroy(), 50))
            return answered
              .removeAllListeners()
              .on('error', () => {})
              .destroy()
          }
          passed += part.length
          response.write(part)
        })
        answered.on('end', () => response.end())
        answered.on('error', () => response.socket?.destroy())
      })
    const lose = () => forward((answered) => answered.resume().on('end', () => response.socket?.destroy()))
    // A browser sends a preflight request before a header like X-Service-Key. It is not a request of the client.
    if (incoming.method === 'OPTIONS') return pass()
    const seen = requests.get(`${fault}~${name}`) ?? []
    const { method, headers } = incoming
    // Only files break: the requests before them have to succeed.
    const concerns = fault !== 'cut' || /\/file\?/.test(path) || method === 'POST'
    if (concerns)
      requests.set(`${fault}~${name}`, [
        ...seen,
        [method, path.split('?')[0], headers.range ?? headers['idempotency-key'] ?? ''].join(' ').trim(),
      ])
    if (concerns) FAULTS[fault]?.(seen.length, { pass, lose }, response)
    else pass()
  }

  const server = createServer((incoming, response) => {
    const [, asked] = /^\/requests\/(\S+)$/.exec(incoming.url ?? '') ?? []
    if (asked === undefined) return handle(incoming, response)
    answer(response, 200, {}, JSON.stringify(requests.get(asked) ?? []))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      for (const response of open) response.socket?.destroy()
      server.close()
    },
  }
}
