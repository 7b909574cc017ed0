import { expect, test } from 'bun:test'
import { createTestApp, insertCounty } from '../test-app'

const MAPS = 'https://maps.example'
const closed = await createTestApp()
const some = await createTestApp({ corsOrigins: new Set([MAPS, 'http://localhost:5173']) })
const open = await createTestApp({ corsOrigins: '*' })
await insertCounty(some.sql)

const from = (origin: string) => ({ headers: { origin } })
const ask = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-service-key' }
const preflight = (app: typeof closed, path: string, origin: string) =>
  app.call(path, { method: 'OPTIONS', key: null, headers: { origin, ...ask } })

test('a page of a configured origin may read responses, including errors', async () => {
  for (const answer of [
    await some.call('/v1/sources', from(MAPS)),
    await some.call('/v1/sources', { key: 'nobody', ...from(MAPS) }),
    await some.call('/v1/parcels?bbox=x', from(MAPS)),
    await some.call('/nope', from(MAPS)),
    await some.call('/health', { key: null, ...from(MAPS) }),
  ]) {
    expect(answer.headers.get('access-control-allow-origin')).toBe(MAPS)
    expect(answer.headers.get('access-control-expose-headers')).toContain('ETag')
    // The name and the size of an export.
    expect(answer.headers.get('access-control-expose-headers')).toContain('Content-Disposition, Content-Length')
    // Cookies are never accepted across origins.
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  }
})

test('a preflight for a key, a body, a conditional request or an MCP client needs no key', async () => {
  const answer = await preflight(some, '/v1/scrape-jobs', MAPS)
  expect([answer.status, answer.text]).toEqual([204, ''])
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'access-control-allow-origin': MAPS,
    'access-control-max-age': '7200',
    vary: 'Origin',
  })
  const allowed = answer.headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
  for (const name of [
    'x-service-key',
    'content-type',
    'idempotency-key',
    'if-none-match',
    'x-request-id',
    'mcp-protocol-version',
  ]) {
    expect(allowed).toContain(name)
  }
})

test('a preflight allows every method that a route of the API has', async () => {
  const allowed = (await preflight(some, '/v1/sources', MAPS)).headers.get('access-control-allow-methods')?.split(', ')
  const methods = new Set(some.app.routes.filter(({ path }) => path.startsWith('/v1/')).map(({ method }) => method))
  expect(methods.size).toBeGreaterThan(3)
  expect([...methods].filter((method) => !allowed?.includes(method))).toEqual([])
})

test('a page of another origin gets no CORS headers', async () => {
  for (const origin of ['https://evil.example', 'https://maps.example.evil.example', 'http://maps.example', 'null']) {
    const answer = await some.call('/v1/sources', from(origin))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    const asked = await preflight(some, '/v1/sources', origin)
    expect([asked.status, asked.headers.get('access-control-allow-methods')]).toEqual([405, null])
  }
  expect((await closed.call('/v1/sources', from(MAPS))).headers.get('access-control-allow-origin')).toBeNull()
  expect((await preflight(closed, '/v1/sources', MAPS)).status).toBe(405)
})

test('Vary contains Origin in addition to Accept-Encoding', async () => {
  for (const headers of [{ origin: MAPS }, {}]) {
    expect((await some.call('/v1/sources', { headers })).headers.get('vary')).toBe('Origin, Accept-Encoding')
  }
  expect((await open.call('/v1/sources', from(MAPS))).headers.get('vary')).toBe('Accept-Encoding')
  expect((await closed.call('/v1/sources', from(MAPS))).headers.get('vary')).toBe('Accept-Encoding')
})

test('with * every origin is allowed; an OPTIONS request that is not a preflight is refused', async () => {
  expect((await open.call('/v1/sources', from(MAPS))).headers.get('access-control-allow-origin')).toBe('*')
  expect((await preflight(open, '/v1/sources', MAPS)).status).toBe(204)
  const plain = await open.call('/v1/sources', { method: 'OPTIONS', key: null })
  expect([plain.status, plain.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
})

test('tiles are open to every origin, whatever is configured', async () => {
  for (const app of [closed, some, open]) {
    const manifest = await app.call('/tiles/manifest.json', { key: null, ...from('https://any.example') })
    expect(manifest.headers.get('access-control-allow-origin')).toBe('*')
    expect((await preflight(app, '/tiles/manifest.json', 'https://any.example')).status).toBe(204)
  }
})
