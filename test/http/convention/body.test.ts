import { afterAll, describe, expect, test } from 'bun:test'
import { BODIES_UNDER_WAY, LIST_BOUNDS, REQUEST_BODY } from '../../../core/bounds'
import { readJsonBody } from '../../../src/http/convention/body/body'
import { issueKey } from '../../../src/people/issue-key'
import { startProcessorClock } from '../../support/processor-clock'
import { waitFor } from '../../support/servers'
import { leastOf } from '../../support/shortest-time'
import { ADMIN_KEY, createTestApp, insertCounty } from '../test-app'

const { app, sql, call, signIn, registry } = await createTestApp()
await insertCounty(sql)
app.listen({ port: 0, hostname: '127.0.0.1' })
afterAll(() => app.stop(true))
const port = app.server?.port ?? 0
const person = await signIn({ plan: 'free' })
const UNKNOWN_KEY = 'pk_'.padEnd(67, '0')

const nest = (open: string, close: string, depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`
const patchSource = (body: string) => call('/v1/sources/elm', { method: 'PATCH', body })

/** The response, and the least processor time it took, in ms. Work of the compiler or the garbage collector may be in one try, not in all. */
const time = async <Answer>(limitMs: number, work: () => Promise<Answer>): Promise<Answer & { ms: number }> => {
  let answer = null as Answer | null
  const ms = await leastOf(limitMs, async () => {
    const processorMs = startProcessorClock()
    answer = await work()
    return processorMs()
  })
  return { ...(answer as Answer), ms }
}

describe('limits on the content of a body', () => {
  test('deep JSON to any route with a body is 400 immediately', async () => {
    const routes = app.routes.filter(({ method, hooks }) => method !== 'GET' && hooks.body !== undefined)
    expect(routes.length).toBeGreaterThan(10)
    const deep = [
      '['.repeat(100_000),
      nest('[', ']', 100_000),
      nest('{"a":', '}', 20_000),
      nest('[{"a":', '}]', 10_000),
    ]
    for (const { method, path } of routes) {
      for (const body of deep) {
        const sent = { method, body, ...(path.includes('/account/') ? { key: null, headers: person.headers } : {}) }
        const answer = await time(500, () => call(path.replace(/:\w+/g, 'elm'), sent))
        expect(answer).toMatchObject({ status: 400, body: { error: 'the body is nested more than 64 levels deep' } })
        expect(answer.ms).toBeLessThan(500)
      }
    }
  })

  test('64 levels, 10,000 values and a string of 16 KB are accepted; one more is 400 and names the bound', async () => {
    const bounds: [fits: string, exceeds: string, error: string][] = [
      [nest('[', ']', 64), nest('[', ']', 65), 'the body is nested more than 64 levels deep'],
      [`[${'1,'.repeat(9_998)}1]`, `[${'1,'.repeat(9_999)}1]`, 'the body has more than 10000 values'],
      [`"${'x'.repeat(16_384)}"`, `"${'x'.repeat(16_385)}"`, 'the body has a string of more than 16384 bytes'],
      [`{"${'x'.repeat(16_384)}":1}`, `{"${'x'.repeat(16_385)}":1}`, 'the body has a string of more than 16384 bytes'],
    ]
    for (const [fits, exceeds, error] of bounds) {
      expect((await patchSource(fits)).text).not.toContain('the body has')
      expect((await patchSource(fits)).text).not.toContain('nested')
      expect(await patchSource(exceeds)).toMatchObject({ status: 400, body: { error } })
    }
  })

  test('brackets, commas and escaped quotes inside strings are not counted', async () => {
    const text = JSON.stringify(`\\"${'[{,'.repeat(5_000)}"`)
    const answer = await patchSource(`{"vendor_config":{"note":${text}}}`)
    expect(answer.text).toContain('vendor_config')
    expect(answer.status).toBe(400)
  })

  test('a request for 1,000 parcels with the longest ids is accepted', async () => {
    const orders = Array.from({ length: 1_000 }, (_, i) => ({
      source: 'elm',
      source_parcel_id: String(i).padStart(256, 'x'),
    }))
    expect(await call('/v1/scrape-jobs', { method: 'POST', body: orders })).toMatchObject({
      status: 200,
      body: { count: 1_000 },
    })
  })

  test('a body of maximum size that does not match the schema is refused quickly, and so is a long string that nearly matches a pattern', async () => {
    const wide = `{${Array.from({ length: 9_500 }, (_, i) => `"field ${i}":"${'y'.repeat(30)}"`).join(',')}}`
    const indented = `${'['.repeat(62)}${'"x",'.repeat(9_500)}1${']'.repeat(62)}`
    for (const body of [wide, indented]) {
      for (const path of ['/v1/scrape-jobs', '/v1/parcels/elm/1/scrape-now', '/v1/scrape-jobs/enqueue-ag-county']) {
        const answer = await time(200, () => call(path, { method: 'POST', body }))
        expect(answer.status).toBe(400)
        expect(answer.text.length).toBeLessThan(1_000)
        expect(answer.ms).toBeLessThan(200)
      }
    }
    const name = `${'a'.repeat(16_000)}\n`
    const named = () => call('/v1/account/keys', { method: 'POST', key: null, headers: person.headers, body: { name } })
    const answer = await time(100, named)
    expect(answer.status).toBe(400)
    expect(answer.ms).toBeLessThan(100)
  })

  test('a long string that is not a number is refused quickly where a query takes a number', async () => {
    const long = `${'1'.repeat(14_000)}x`
    for (const path of [`/v1/search?q=ab&lon=1&lat=${long}`, `/v1/parcels?bbox=1,2,3,${long}`]) {
      // The first request to a route waits until its handler is compiled.
      await call(path)
      const answer = await time(100, () => call(path))
      expect(answer.status).toBe(400)
      expect(answer.ms).toBeLessThan(100)
    }
  })

  test('415: a compressed body is refused as such, whatever it contains', async () => {
    const sends: [path: string, method: string, contentType: string, body: string][] = [
      ['/v1/sources/elm', 'PATCH', 'application/json', '{"active":false}'],
      ['/v1/uploads', 'POST', 'text/csv', 'address\n1 Elm St\n'],
      [`/v1/files/${crypto.randomUUID()}`, 'PATCH', 'application/octet-stream', 'a,b\n'],
    ]
    for (const [path, method, contentType, body] of sends) {
      const send = async (encoding: string, bytes: string | Uint8Array<ArrayBuffer>) => {
        const headers = { 'x-service-key': ADMIN_KEY, 'content-type': contentType, 'content-encoding': encoding }
        const response = await app.handle(new Request(`http://localhost${path}`, { method, headers, body: bytes }))
        return { status: response.status, body: await response.json() }
      }
      expect(await send('gzip', Bun.gzipSync(body))).toEqual({
        ...{ status: 415, body: { error: 'the body must be sent without Content-Encoding, not as gzip' } },
      })
      expect((await send('identity', body)).status).not.toBe(415)
    }
  })

  test('a route without a body does not read one', async () => {
    // By default Elysia reads a body of any size from any caller.
    for (const { method, path, hooks } of app.routes) {
      if (!['GET', 'HEAD', 'OPTIONS'].includes(method)) expect(hooks.parse, `${method} ${path}`).toHaveLength(1)
    }
    for (const [path, status] of [
      ['/auth/sign-out', 204],
      ['/tiles/parcels.json', 405],
    ] as const) {
      const answer = await call(path, { method: 'POST', key: null, body: '{"a":' })
      expect(answer.status, path).toBe(status)
    }
  })
})

/** A connection that sends `text` and nothing more. `answer` is what it has received, `status` is from its first line. */
const connect = async (text: string) => {
  let answer = ''
  const came = Promise.withResolvers<void>()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data(_, bytes) {
        answer += new TextDecoder().decode(bytes)
        came.resolve()
      },
      close: () => came.resolve(),
      error: () => came.resolve(),
    },
  })
  socket.write(text)
  return {
    close: () => socket.terminate(),
    status: async () => {
      await came.promise
      return Number(answer.slice(9, 12))
    },
  }
}
const head = (key: string, length: string, path = '/v1/scrape-jobs') =>
  `POST ${path} HTTP/1.1\r\nHost: elm\r\nContent-Type: application/json\r\n${key === '' ? '' : `X-Service-Key: ${key}\r\n`}${length}\r\n\r\n`

describe('limits by caller', () => {
  test('without a valid key the response is sent before the body has arrived', async () => {
    for (const key of ['', UNKNOWN_KEY]) {
      for (const length of [`Content-Length: ${REQUEST_BODY.bytes}`, 'Transfer-Encoding: chunked']) {
        const connection = await connect(head(key, length))
        expect(await connection.status()).toBe(401)
        connection.close()
      }
    }
  })

  test('1,000 unknown callers with 1 MB each use no more memory than 64 of them', async () => {
    const before = process.memoryUsage().rss
    const text = head(UNKNOWN_KEY, `Content-Length: ${REQUEST_BODY.bytes}`) + ' '.repeat(60_000)
    const connections = await Promise.all(Array.from({ length: 1_000 }, () => connect(text)))
    const statuses = await Promise.all(connections.map(({ status }) => status()))
    for (const connection of connections) connection.close()
    expect(statuses.filter((status) => status !== 401 && status !== 503)).toEqual([])
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(64)
    expect((process.memoryUsage().rss - before) / 1024 ** 2).toBeLessThan(250)
  })

  test('a caller who sends many bodies slowly is refused; other callers are not', async () => {
    const most = BODIES_UNDER_WAY.callerBytes / REQUEST_BODY.bytes
    const length = `Content-Length: ${REQUEST_BODY.bytes}`
    const slow = []
    // One by one, so that each is checked before the next arrives.
    for (let i = 0; i < most; i++) {
      slow.push(await connect(head(ADMIN_KEY, length)))
      await fetch(`http://127.0.0.1:${port}/health`)
    }
    const further = await connect(head(ADMIN_KEY, length))
    expect(await further.status()).toBe(503)
    const { headers } = await signIn({ plan: 'paid' })
    const other = await fetch(`http://127.0.0.1:${port}/v1/scrape-jobs`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ source: 'elm', source_parcel_id: '1' }),
    })
    expect(other.status).toBe(200)
    for (const connection of [...slow, further]) connection.close()
  })

  test('the keys of one account share the limit of a caller', async () => {
    const { accountId } = await signIn()
    const issue = () => issueKey(sql, { name: 'one of many', capabilities: [], accountId })
    const [first, second] = [await issue(), await issue()]
    const send = (key: string) =>
      connect(head(key, `Content-Length: ${LIST_BOUNDS.bytes}`, '/v1/uploads').replace('application/json', 'text/csv'))
    const most = BODIES_UNDER_WAY.callerBytes / LIST_BOUNDS.bytes
    const connections = await Promise.all([...Array.from({ length: most }, () => send(first.key)), send(second.key)])
    expect(await Promise.race(connections.map(({ status }) => status()))).toBe(503)
    for (const connection of connections) connection.close()
  })

  test('slow lists, which may be larger than other bodies, count with their whole length', async () => {
    const most = BODIES_UNDER_WAY.callerBytes / LIST_BOUNDS.bytes
    for (const length of [`Content-Length: ${LIST_BOUNDS.bytes}`, 'Transfer-Encoding: chunked']) {
      const connections = await Promise.all(
        Array.from({ length: most + 1 }, () =>
          connect(head(ADMIN_KEY, length, '/v1/uploads').replace('application/json', 'text/csv')),
        ),
      )
      expect(await Promise.race(connections.map(({ status }) => status())), length).toBe(503)
      for (const connection of connections) connection.close()
      // Closed connections no longer count.
      await waitFor(async () => {
        const connection = await connect(`${head(ADMIN_KEY, 'Content-Length: 2')}{}`)
        const status = await connection.status()
        connection.close()
        return status === 400
      })
    }
  })

  test('an aborted upload is not an error of the service', async () => {
    // A request that is refused before its body is read has not reached its route.
    const count = async (status: number) => {
      const line = new RegExp(`_count\\{method="POST",route="none",status="${status}"\\} (\\d+)`)
      return Number(line.exec(await registry.metrics())?.[1] ?? 0)
    }
    const [refused, failed] = [await count(400), await count(500)]
    for (const [length, part] of [
      ['Content-Length: 1000', '[{"source":'],
      ['Transfer-Encoding: chunked', '5\r\n[{"so\r\n'],
    ] as const) {
      const connection = await connect(head(ADMIN_KEY, length) + part)
      await fetch(`http://127.0.0.1:${port}/health`)
      connection.close()
    }
    await waitFor(async () => (await count(400)) + (await count(500)) >= refused + failed + 2)
    expect(await count(500)).toBe(failed)
  })
})

test('large bodies that arrive together are read in turns, so that others have theirs in between', async () => {
  const ring = Array.from({ length: 9_000 }, (_, index) => [index / 101, index / 103])
  const body = JSON.stringify({ type: 'Polygon', coordinates: [ring] })
  const reading = { authorize: async () => {}, onRead: () => {} }
  let inTurn = 0
  let mostInTurn = 0
  let isDone = false
  const beginTurn = () => {
    inTurn = 0
    if (!isDone) setImmediate(beginTurn)
  }
  beginTurn()
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const headers = { 'content-type': 'application/json' }
      await readJsonBody(new Request('http://localhost/v1/parcels/within', { method: 'POST', body, headers }), reading)
      mostInTurn = Math.max(mostInTurn, ++inTurn)
    }),
  )
  isDone = true
  expect(mostInTurn).toBeLessThan(10)
})
