import { afterAll, expect, spyOn, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { browserProblem } from '../../../adapters/http/network-problem'
import { expectPage } from '../../../adapters/reading/page/expect-page'
import type { ScrapeError } from '../../../adapters/scrape-error'
import { SCRAPE_LIMIT_MS } from '../../../adapters/scrape-limits'
import { commandOf } from '../../runner/programs'
import { openClient, startPortal } from '../portal'

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

const failureOf = (
  url: string,
  options = {},
): Promise<Pick<ScrapeError, 'message' | 'failureClass'> & { code: string }> =>
  openClient(options)
    .request({ name: 'page', url })
    .then(
      () => ({ code: 'none', failureClass: null, message: 'it did not fail' }),
      ({ code, failureClass, message }) => ({ code, failureClass, message }),
    )

test('broken connections, invalid HTTP and invalid compression: the message names the host and what failed', async () => {
  const cases: [(socket: Socket) => void, string][] = [
    [(socket) => socket.resetAndDestroy(), 'closed the connection before its response was complete'],
    [(socket) => socket.end(), 'closed the connection before its response was complete'],
    [
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(4_000_000)}`),
      'sent a response whose headers are too large',
    ],
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
    expect(failure).toEqual({
      ...{ code: 'network', failureClass: null },
      message: expect.stringContaining(`${host} ${problem}`),
    })
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
    failureClass: null,
    message: `${host} closed the connection before its response was complete (status 500)`,
  })
})

test('the messages for a refused connection and an unknown name', async () => {
  const refused = await failureOf('http://127.0.0.1:1/page')
  expect(refused).toEqual({
    code: 'network',
    failureClass: null,
    message: '127.0.0.1:1 refused the connection, so its robots.txt is not known and nothing else is requested',
  })
  const unknown = await failureOf('http://no-such-host.invalid/page')
  expect(unknown.message).toMatch(
    /^no-such-host\.invalid (is not known: name not found|could not be looked up: the name service did not answer)$/,
  )
})

test('certificates: the message says what is wrong, and the failure has a class of its own', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'certificate-'))
  afterAll(() => rmSync(dir, { recursive: true }))
  const openssl = (command: string): void => {
    const made = Bun.spawnSync(['openssl', ...command.split(' ')], { cwd: dir })
    expect(made.exitCode, made.stderr.toString()).toBe(0)
  }
  openssl('req -x509 -newkey rsa:2048 -nodes -keyout authority.key -out authority.crt -days 2 -subj /CN=authority')
  openssl('req -x509 -newkey rsa:2048 -nodes -keyout self-signed.key -out self-signed.crt -days 2 -subj /CN=portal')
  const sign = (name: string, { host, days }: { host: string; days: number }): void => {
    writeFileSync(join(dir, 'names'), `subjectAltName=${host}`)
    openssl(`req -new -newkey rsa:2048 -nodes -keyout ${name}.key -out request -subj /CN=portal`)
    openssl(
      `x509 -req -in request -CA authority.crt -CAkey authority.key -CAcreateserial -days ${days} -extfile names -out ${name}.crt`,
    )
  }
  sign('valid', { host: 'IP:127.0.0.1', days: 2 })
  sign('expired', { host: 'IP:127.0.0.1', days: -1 })
  sign('other-name', { host: 'DNS:other.example', days: 2 })
  const serve = async (name: string): Promise<string> => {
    const [key, cert] = ['key', 'crt'].map((kind) => readFileSync(join(dir, `${name}.${kind}`)))
    const server = createTlsServer({ key, cert }, (socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'))
    }).on('tlsClientError', () => {})
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    afterAll(() => void server.close())
    return `127.0.0.1:${(server.address() as { port: number }).port}`
  }
  const problems: Record<string, string | null> = {
    valid: null,
    expired: 'it has expired',
    'other-name': 'it is for another name',
    'self-signed': 'it is self-signed',
  }
  const hosts = await Promise.all(Object.keys(problems).map(serve))
  const urls = hosts.map((host) => `https://${host}/page`)
  const asking = Bun.spawn(commandOf('test/adapters/http/request-process.ts', ...urls), {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: join(dir, 'authority.crt') },
  })
  const lines = (await asking.stdout.text()).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    Object.values(problems).map((problem, index) =>
      problem === null
        ? { code: null, failureClass: null, message: 'ok' }
        : {
            code: 'network',
            failureClass: 'certificate',
            message: expect.stringContaining(`${hosts[index]} has a TLS certificate problem: ${problem}`),
          },
    ),
  )
  // Here the authority is not known, as when a server does not send its intermediate certificate.
  expect(await failureOf(urls[0] as string)).toMatchObject({
    failureClass: 'certificate',
    message: expect.stringContaining('or the server does not send its intermediate certificate'),
  })
})

test('a connection that ends or stalls during the TLS handshake', async () => {
  const open = async (answer: (socket: Socket) => void) => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => answer(socket))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    afterAll(() => void server.close())
    return `https://127.0.0.1:${(server.address() as { port: number }).port}/page`
  }
  for (const answer of [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()]) {
    expect(await failureOf(await open(answer))).toMatchObject({
      code: 'network',
      message: expect.stringContaining('closed the connection before its response was complete'),
    })
  }
  const ALERT_HANDSHAKE_FAILURE = Buffer.from([0x15, 3, 3, 0, 2, 2, 40])
  expect(await failureOf(await open((socket) => socket.end(ALERT_HANDSHAKE_FAILURE)))).toMatchObject({
    code: 'network',
    message: expect.stringContaining('does not speak TLS as expected'),
  })
  expect(await failureOf(await open(() => {}), { timeoutMs: 300 })).toMatchObject({
    failureClass: 'timeout',
    message: expect.stringContaining('did not answer within 0.3 s'),
  })
})

test('a response of HTTP/1.0, one without a length, and one that is longer than its length are read', async () => {
  for (const response of [
    'HTTP/1.0 200 OK\r\n\r\nhello',
    'HTTP/1.0 200 OK\r\ncontent-length: 5\r\n\r\nhello',
    'HTTP/1.1 200 OK\r\n\r\nhello',
    'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello and more',
  ]) {
    const host = await startSocket((socket) => socket.end(response))
    expect((await openClient().request({ name: 'page', url: `http://${host}/page` })).body).toBe('hello')
  }
})

test('a body that is cut off is never read, however its length is given', async () => {
  const zipped = gzipSync('a parcel '.repeat(1_000))
  const cut = zipped.subarray(0, zipped.length - 9)
  const gzip = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n`
  for (const [head, body] of [
    ['HTTP/1.1 200 OK\r\ncontent-length: 50\r\n', 'hello'],
    ['HTTP/1.0 200 OK\r\ncontent-length: 50\r\n', 'hello'],
    ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n', '5\r\nhello\r\n'],
    ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n', '50\r\nhello'],
    [gzip, cut],
    [`${gzip}content-length: ${cut.length}\r\n`, cut],
    [`${gzip}content-length: ${zipped.length}\r\n`, cut],
  ] as const) {
    const host = await startSocket((socket) => {
      socket.write(`${head}\r\n`)
      socket.end(body)
    })
    expect(await failureOf(`http://${host}/page`)).toMatchObject({
      code: 'network',
      message: expect.stringMatching(/closed the connection before|cannot be decompressed/),
    })
  }
})

test('a Content-Length that is no number, or two of them', async () => {
  for (const lengths of ['content-length: abc', 'content-length: -3', 'content-length: 3\r\ncontent-length: 5']) {
    const host = await startSocket((socket) => socket.end(`HTTP/1.1 200 OK\r\n${lengths}\r\n\r\nhello`))
    expect((await failureOf(`http://${host}/page`)).message).toBe(
      `${host} sent a response that is not valid HTTP: its Content-Length is not a number, or there are two`,
    )
  }
})

test('a redirect to another host that cannot be reached names the portal and that host', async () => {
  for (const [location, problem] of [
    ['http://no-such-host.invalid/', 'no-such-host.invalid'],
    ['http://localhost:1/', 'localhost:1 refused the connection'],
  ] as const) {
    const portal = startPortal(({ url }) =>
      url.endsWith('/robots.txt') ? new Response('', { status: 404 }) : Response.redirect(location),
    )
    expect(await failureOf(`${portal.url}/page`)).toMatchObject({
      code: 'network',
      failureClass: 'redirected',
      message: expect.stringContaining(`${new URL(portal.url).host} redirected elsewhere: ${problem}`),
    })
  }
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
    failureClass: null,
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
