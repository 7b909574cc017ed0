import { afterAll, expect, spyOn, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { browserProblem } from '../../adapters/http/network-problem'
import { expectPage } from '../../adapters/reading/page/expect-page'
import { SCRAPE_LIMIT_MS } from '../../adapters/scrape-limits'
import { openClient, startPortal } from './portal'

const FOREIGN =
  /verbose|fetch\(\)|second argument|Unable to connect|is the computer|fetching "|getaddrinfo|page\.goto|net::/i

/** A server that handles the connection freely after the first request. */
const startSocket = async (answer: (socket: Socket) => void): Promise<string> => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (data) =>
      // Only the page fails: robots.txt says that there are no rules.
      String(data).startsWith('GET /robots.txt')
        ? socket.end('HTTP/1.1 404 no\r\ncontent-length: 0\r\n\r\n')
        : answer(socket),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `127.0.0.1:${address.port}`
}

const failureOf = (url: string, options = {}): Promise<{ code: string; message: string }> =>
  openClient(options)
    .request({ name: 'page', url })
    .then(
      () => ({ code: 'none', message: 'it did not fail' }),
      ({ code, message }) => ({ code, message }),
    )

test('broken connections, invalid HTTP and invalid compression: the message names the host and what failed', async () => {
  const cases: [(socket: Socket) => void, string][] = [
    [(socket) => socket.resetAndDestroy(), 'closed the connection before its response was complete'],
    [(socket) => socket.end(), 'closed the connection before its response was complete'],
    [
      (socket) => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nno length\r\nabc'),
      'sent a response that is not valid HTTP',
    ],
    [
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 6\r\n\r\nabcdef'),
      'sent a response that cannot be decompressed',
    ],
  ]
  for (const [answer, problem] of cases) {
    const host = await startSocket(answer)
    const failure = await failureOf(`http://${host}/page`)
    expect(failure).toEqual({ code: 'network', message: expect.stringContaining(`${host} ${problem}`) })
    expect(failure.message).not.toMatch(FOREIGN)
  }
})

test('the message for a response cut off after its status line has the status', async () => {
  const host = await startSocket((socket) => {
    socket.write('HTTP/1.1 500 no\r\ncontent-length: 100\r\n\r\nabc')
    setTimeout(() => socket.destroy(), 50)
  })
  expect(await failureOf(`http://${host}/page`)).toEqual({
    code: 'network',
    message: `${host} closed the connection before its response was complete (status 500)`,
  })
})

test('the messages for a refused connection and an unknown name', async () => {
  const refused = await failureOf('http://127.0.0.1:1/page')
  expect(refused).toEqual({
    code: 'network',
    message: '127.0.0.1:1 refused the connection, so its robots.txt is not known and nothing else is requested',
  })
  const unknown = await failureOf('http://no-such-host.invalid/page')
  expect(unknown.message).toMatch(
    /^no-such-host\.invalid (is not known: name not found|could not be looked up: the name service did not answer)$/,
  )
})

test('the message for an untrusted certificate says so', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'certificate-'))
  afterAll(() => rmSync(dir, { recursive: true }))
  const made = Bun.spawnSync(
    [
      'openssl',
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      'key',
      '-out',
      'cert',
      '-days',
      '1',
      '-subj',
      '/CN=x',
    ],
    { cwd: dir },
  )
  expect(made.exitCode).toBe(0)
  const server = createTlsServer(
    { key: readFileSync(join(dir, 'key')), cert: readFileSync(join(dir, 'cert')) },
    (socket) => socket.on('error', () => {}).end(),
  ).on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => void server.close())
  const host = `127.0.0.1:${(server.address() as { port: number }).port}`
  expect((await failureOf(`https://${host}/page`)).message).toStartWith(
    `${host} has a TLS certificate problem: it is self-signed`,
  )
})

test('the message for a slow portal names the time limit of the whole scrape', async () => {
  const portal = startPortal(async ({ url }) => {
    if (url.endsWith('/robots.txt')) return new Response('', { status: 404 })
    await Bun.sleep(400)
    return new Response('late')
  })
  const host = new URL(portal.url).host
  expect(await failureOf(`${portal.url}/page`, { timeoutMs: 200 })).toEqual({
    code: 'timeout',
    message: `${host} did not answer within 0.2 s`,
  })
  const limits = spyOn(AbortSignal, 'timeout')
  expect((await openClient().request({ name: 'page', url: `${portal.url}/page` })).body).toBe('late')
  const ofExchanges = limits.mock.calls.map(([ms]) => ms).filter((ms) => ms !== 20_000)
  limits.mockRestore()
  expect(ofExchanges.length).toBeGreaterThan(0)
  for (const ms of ofExchanges) expect(ms).toBeGreaterThanOrEqual(SCRAPE_LIMIT_MS.plain)
})

test("the message for a failed robots.txt has the portal's status", async () => {
  const portal = startPortal(() => new Response('', { status: 503 }))
  expect((await failureOf(`${portal.url}/page`)).message).toBe(
    `${new URL(portal.url).host} answered with status 503, so its robots.txt is not known and nothing else is requested`,
  )
})

test('the message for an unexpected status names the page, the host and the status', () => {
  const document = {
    name: 'property',
    url: 'https://portal.example/parcel/7',
    headers: {},
    body: 'x',
    fetchedAt: '2026-01-02T03:04:05.678Z',
  }
  for (const [status, code, message] of [
    [500, 'network', 'the property page of portal.example returned status 500'],
    [403, 'blocked', 'the property page of portal.example is refused (status 403)'],
    [404, 'not_found', 'the property page of portal.example does not exist (status 404)'],
    [429, 'throttled', 'the property page of portal.example returned status 429: too many requests'],
  ] as const) {
    expect(() => expectPage({ ...document, status })).toThrow(expect.objectContaining({ code, message }))
  }
})

test("a browser's errors have the same messages", () => {
  for (const [message, told] of [
    ['page.goto: net::ERR_CONNECTION_RESET at http://x/', 'closed the connection before its response was complete'],
    ['page.goto: net::ERR_CERT_DATE_INVALID at https://x/', 'has a TLS certificate problem: it has expired'],
    ['page.goto: net::ERR_UNSAFE_PORT at http://x:1/', 'cannot be loaded (UNSAFE_PORT)'],
    ['page.content: Target page, context or browser has been closed', 'was closed before it was read'],
    ['locator.click: something else', 'the browser could not read the page of portal.example'],
  ] as const) {
    const said = browserProblem('portal.example', message)
    expect(said).toContain(told)
    expect(said).toContain('portal.example')
    expect(said).not.toMatch(FOREIGN)
  }
})
