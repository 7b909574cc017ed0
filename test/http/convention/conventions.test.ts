import { afterAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { ADMIN_KEY, createTestApp, insertCounty } from '../test-app'
import { withoutReferences } from './openapi/openapi-requests'

const { app, sql, call, readKey, signIn } = await createTestApp()
await insertCounty(sql)
// Over a real port, because Bun's router parses paths in its own way.
app.listen({ port: 0, hostname: '127.0.0.1' })
afterAll(() => app.stop())

/** The response to a change with this Host header, which `fetch` would not send. */
const changeWithHost = (host: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const body = '{"attribution":"somebody"}'
    const socket = connect(app.server?.port ?? 0, '127.0.0.1')
    let response = ''
    socket.on('data', (bytes) => {
      response += bytes
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(response))
    socket.write(
      `PATCH /v1/sources/elm HTTP/1.1\r\nHost: ${host}\r\nX-Service-Key: ${ADMIN_KEY}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
  })

describe('order of checks', () => {
  test('an invalid Host is 400 before anything is changed', async () => {
    for (const host of ['a b', '[:::', 'elm:99999', 'user@elm', 'elm/x', '']) {
      const response = await changeWithHost(host)
      expect(response, host).toStartWith('HTTP/1.1 400 ')
      expect(response, host).toContain('{"error":"the Host header is not a host name with an optional port"}')
      expect(response, host).toContain('X-Content-Type-Options: nosniff')
    }
    expect((await sql`select attribution from sources where source = 'elm'`)[0]?.attribution).toBeNull()
    expect(await sql`select from admin_actions`).toHaveLength(0)
    for (const host of ['elm', 'elm.example:4410', '127.0.0.1', '[::1]:80']) {
      expect(await changeWithHost(host), host).toStartWith('HTTP/1.1 200 ')
    }
  })

  test('an unknown route is 404 for every caller', async () => {
    for (const path of ['/nope', '/v1/nope', '/v1', '/v1/parcels/a/b/c', '/tiles/x', '/tiles', '/']) {
      expect(await call(path, { key: null })).toMatchObject({ status: 404, body: { error: 'no such route' } })
    }
  })

  test('a wrong method is 405 and names the allowed methods', async () => {
    const answer = await call('/v1/sources/elm', { method: 'PUT', key: null, body: {} })
    expect(answer).toMatchObject({
      status: 405,
      body: { error: 'PUT is not allowed here; allowed: GET, HEAD, PATCH, DELETE' },
    })
    expect(answer.headers.get('allow')).toBe('GET, HEAD, PATCH, DELETE')
    expect((await call('/v1/sources', { method: 'PUT' })).headers.get('allow')).toBe('GET, HEAD, POST')
    expect((await call('/v1/sources/', { method: 'PUT' })).headers.get('allow')).toBe('GET, HEAD, POST')
    expect((await call('/app/search', { method: 'POST' })).headers.get('allow')).toBe('GET, HEAD')
  })

  test('a body with a Content-Length over 1 MiB is 413 before the key is checked; without Content-Length the key is checked first', async () => {
    const big = 'x'.repeat(2 * 1024 * 1024)
    const tooLarge = { status: 413, body: { error: 'the body is larger than 1048576 bytes' } }
    const send = (key: string | null, headers: Record<string, string> = {}) =>
      call('/v1/sources/elm', { method: 'PATCH', key, body: big, headers })
    expect(await send(null, { 'content-length': String(big.length) })).toMatchObject(tooLarge)
    expect(await send(null)).toMatchObject({ status: 401 })
    expect(await send(ADMIN_KEY)).toMatchObject(tooLarge)
  })

  test('a missing, unknown or empty key is 401 before query and body are validated', async () => {
    for (const key of [null, '', 'wrong', 'pk_'.padEnd(67, '0')]) {
      expect(await call('/v1/parcels?bbox=x', { key })).toMatchObject({
        status: 401,
        body: { error: 'missing or invalid api key' },
      })
      expect((await call('/v1/sources/elm', { method: 'PATCH', key, body: '{' })).status).toBe(401)
    }
  })

  test('a read-only key is 403 on admin routes before the body is validated', async () => {
    const answer = await call('/v1/sources/elm', { method: 'PATCH', key: await readKey(), body: '{' })
    expect(answer).toMatchObject({ status: 403, body: { error: 'this key lacks the capability: admin' } })
  })

  test('a body with another Content-Type than JSON is 415; malformed JSON is 400', async () => {
    const patch = (body: string, type: string) =>
      call('/v1/sources/elm', { method: 'PATCH', body, headers: { 'content-type': type } })
    expect((await patch('{"active":true}', 'text/plain')).status).toBe(415)
    expect((await patch('a=b', 'application/x-www-form-urlencoded')).status).toBe(415)
    expect((await patch('{"active":', 'application/json')).body).toEqual({
      error: 'the body is not valid JSON in UTF-8',
    })
    expect((await patch('{"active":true}', 'application/json; charset=utf-8')).status).toBe(200)
  })
})

// biome-ignore lint/suspicious/noExplicitAny: a part of the document
type Json = any

const ORDERED_ID =
  'a source_parcel_id: 1 to 256 characters without control characters, with at least one letter or digit'

describe('bad input is 400, naming the field and what it takes', () => {
  const cases: [string, string][] = [
    [
      '/v1/parcels',
      'bbox is missing: it must be four comma-separated numbers: west,south,east,north, in degrees (EPSG:4326). Or select parcels by at, near, source, county, owner or parcel_id',
    ],
    [
      '/v1/parcels?bbox=1,2,3',
      'bbox must be four comma-separated numbers: west,south,east,north, in degrees (EPSG:4326)',
    ],
    [
      '/v1/parcels?bbox=1,2,3,NaN',
      'bbox must be four comma-separated numbers: west,south,east,north, in degrees (EPSG:4326)',
    ],
    [
      '/v1/parcels?bbox=1,2,3,',
      'bbox must be four comma-separated numbers: west,south,east,north, in degrees (EPSG:4326)',
    ],
    [
      '/v1/parcels?bbox=0x1,2,3,4',
      'bbox must be four comma-separated numbers: west,south,east,north, in degrees (EPSG:4326)',
    ],
    [
      '/v1/parcels?bbox=1,2,3,Infinity',
      'bbox must be four comma-separated numbers: west,south,east,north, in degrees (EPSG:4326)',
    ],
    ['/v1/parcels?bbox=1,4,3,2', 'bbox: south must not be greater than north'],
    ['/v1/parcels?bbox=-181,2,3,4', 'bbox: west and east must be from -180 to 180'],
    ['/v1/parcels?bbox=1,2,3,91', 'bbox: south and north must be from -90 to 90'],
    ['/v1/parcels?bbox=1,2,3,4&limit=0', 'limit must be a whole number from 1 to 5000'],
    ['/v1/parcels?bbox=1,2,3,4&limit=-1', 'limit must be a whole number from 1 to 5000'],
    ['/v1/parcels?bbox=1,2,3,4&limit=5001', 'limit must be a whole number from 1 to 5000'],
    ['/v1/parcels?bbox=1,2,3,4&limit=x', 'limit must be a whole number from 1 to 5000'],
    ['/v1/parcels?bbox=1,2,3,4&limit=1.5', 'limit must be a whole number from 1 to 5000'],
    ['/v1/parcels?bbox=1,2,3,4&limit=', 'limit must be a whole number from 1 to 5000'],
    ['/v1/parcels?bbox=1,2,3,4&after=x', 'after must be the `next` of the previous page'],
    ['/v1/parcels/elm/a%00b', 'id must be a source_parcel_id: 1 to 256 characters without control characters'],
    [
      `/v1/parcels/elm/${'9'.repeat(10_000)}`,
      'id must be a source_parcel_id: 1 to 256 characters without control characters',
    ],
    ['/v1/parcels/e%20lm/1', 'source must be the slug of a source: 1 to 100 letters, digits, - or _'],
    ['/v1/parcels/elm/%zz', 'the path contains a percent-escape that is not UTF-8'],
    ['/v1/parcels/elm/a%', 'the path contains a percent-escape that is not UTF-8'],
    ['/v1/parcels/elm/%E9', 'the path contains a percent-escape that is not UTF-8'],
    ['/v1/parcels/elm/%ED%A0%80', 'the path contains a percent-escape that is not UTF-8'],
    ['/v1/findings/elm/1?limit=501', 'limit must be a whole number from 1 to 500'],
    ['/v1/scrape-jobs?status=waiting', 'status must be one of queued, running, done, error'],
    ['/v1/scrape-jobs?limit=501', 'limit must be a whole number from 1 to 500'],
    ['/v1/scrape-jobs?limit=0', 'limit must be a whole number from 1 to 500'],
    ['/v1/scrape-jobs?after=x', 'after must be the `next` of the previous page'],
    ['/v1/admin/tuning-log?limit=501', 'limit must be a whole number from 1 to 500'],
    ['/v1/admin/tuning-log?vendor=a%20b', 'vendor must be the name of a vendor: 1 to 100 letters, digits, - or _'],
    ['/v1/admin/concurrency?limit=0', 'limit must be a whole number from 1 to 500'],
    ['/v1/admin/sources/health?limit=501', 'limit must be a whole number from 1 to 500'],
    ['/v1/search?q=a%00b', 'the query contains a NUL character (%00)'],
    ['/v1/search?q=Pe%F1a', 'the query contains a percent-escape that is not UTF-8'],
    ['/v1/parcels?source=elm&owner=caf%c3', 'the query contains a percent-escape that is not UTF-8'],
    ['/v1/search', 'q must be ≥2 chars'],
    [`/v1/search?q=${'ab%20'.repeat(100)}`, 'q must be at most 200 characters'],
    ['/v1/search?q=', 'q must be ≥2 chars'],
    ['/v1/search?q=%20a%20', 'q must be ≥2 chars'],
    ['/v1/search?q=%F0%9F%8F%A0', 'q must be ≥2 chars'],
    ['/v1/search?q=elm&limit=101', 'limit must be a whole number from 1 to 100'],
    ['/v1/search?q=elm&lat=1', 'lon is missing: lat and lon must be given together'],
    ['/v1/search?q=elm&lon=1', 'lat is missing: lat and lon must be given together'],
    ['/v1/search?q=elm&lat=91&lon=1', 'lat must be a number from -90 to 90'],
    ['/v1/search?q=elm&lat=45&lon=-181', 'lon must be a number from -180 to 180'],
    ['/v1/search?q=elm&lat=45&lon=5&proximity_km=0', 'proximity_km must be a number above 0, at most 20000'],
    ['/v1/search?q=elm&lat=45&lon=5&group=x', 'group must be owner'],
    ['/v1/search?q=elm&proximity_km=5&explain=2', 'explain must be 1 or 0'],
    ['/v1/search?q=elm&proximity_km=0', 'proximity_km must be a number above 0, at most 20000'],
    ['/v1/search?q=elm&types=', 'types must be a comma-separated subset of parcels, entities'],
    ['/v1/search?q=elm&types=parcels,roads', 'types must be a comma-separated subset of parcels, entities'],
    ['/v1/search?q=elm&state=ZZ', 'state must be the 2-letter code of a US state, DC or a territory'],
    ['/v1/search?q=elm&group=city', 'group must be owner'],
  ]
  for (const [path, error] of cases) {
    test(path.slice(0, 60), async () => {
      expect(await call(path)).toMatchObject({ status: 400, body: { error } })
      const answer = await fetch(`http://127.0.0.1:${app.server?.port}${path}`, {
        headers: { 'x-service-key': ADMIN_KEY },
      })
      expect(answer.status).toBe(400)
      expect(await answer.json()).toEqual({ error })
    })
  }

  test('number-like strings such as 0x10 are refused in every query and in boxes', async () => {
    const { body: document } = await call('/openapi.json', { key: null })
    const { headers } = await signIn({ role: 'admin', plan: 'paid' })
    const answerTo = async (path: string, query: Record<string, string>) => {
      const search = new URLSearchParams({ bbox: '1,2,3,4', q: 'elm', ...query })
      const { status, body } = await call(`${path}?${search}`, { key: null, headers })
      return `${path} ${JSON.stringify(query)}: ${status} ${status === 400 ? body.error.split(' ')[0] : ''}`
    }
    let numbers = 0
    for (const [template, { get }] of Object.entries<Json>(withoutReferences(document.paths, document))) {
      const path = template.replace('{source}', 'elm').replace('{vendor}', 'arcgis-rest').replace('{id}', '1')
      const isNumber = ({ schema, in: where }: Json) => where === 'query' && /^(number|integer)$/.test(schema.type)
      for (const { name, schema } of (get?.parameters ?? []).filter(isNumber)) {
        numbers++
        const signed = schema.type === 'number' ? ['+-1', '1.2.3', '.'] : ['+1', '1.0']
        for (const text of ['0x10', '0b1', '1e1', ' 1', '1 ', '1_0', '１', '1n', ...signed]) {
          for (const form of [path, path.slice('/v1'.length)]) {
            expect(await answerTo(form, { [name]: text })).toBe(
              `${form} ${JSON.stringify({ [name]: text })}: 400 ${name}`,
            )
          }
        }
      }
    }
    expect(numbers).toBeGreaterThan(15)
    for (const bbox of ['0x1,2,3,4', '1e0,2,3,4', '1,2,3,4_0', '1,2,3,+-4', '1,2,3,4 5']) {
      expect(await answerTo('/v1/parcels', { bbox })).toBe(`/v1/parcels {"bbox":"${bbox}"}: 400 bbox`)
    }
  })

  test('a number may have a sign or a decimal point where negative or fractional values are allowed', async () => {
    const near = new URLSearchParams({ bbox: '-122.99, +45.51,-.5,46.', limit: '007' })
    expect((await call(`/v1/parcels?${near}`)).status).toBe(200)
  })

  const FIELDS = 'vendor, base_url, state, county_name, active, vendor_config, load_limits, license, attribution'
  const bodies: [unknown, string][] = [
    [[], `body must be an object with ${FIELDS}`],
    ['null', `body must be an object with ${FIELDS}`],
    ['"active"', `body must be an object with ${FIELDS}`],
    [{}, `body must have at least one of ${FIELDS}`],
    [{ active: 'yes' }, 'active must be true or false'],
    [{ vendor_config: [] }, 'vendor_config must be an object'],
    [
      '{"vendor_config":{"a":"\\u0000"}}',
      'the body contains a string with a NUL character or half of a surrogate pair',
    ],
    [
      '{"vendor_config":{"a":"\\ud800"}}',
      'the body contains a string with a NUL character or half of a surrogate pair',
    ],
    [{ active: true, colour: 1 }, `unknown field "colour"; known are ${FIELDS}`],
    ['{"constructor":1}', `unknown field "constructor"; known are ${FIELDS}`],
    ['{"__proto__":{}}', `unknown field "__proto__"; known are ${FIELDS}`],
  ]
  for (const [body, error] of bodies) {
    test(`PATCH of a source with ${JSON.stringify(body)}`, async () => {
      expect(await call('/v1/sources/elm', { method: 'PATCH', body })).toMatchObject({ status: 400, body: { error } })
    })
  }

  const ORDER = { source: 'elm', source_parcel_id: '1' }
  const orders: [unknown, string][] = [
    ['1', 'body must be an object with source, source_parcel_id or an array of 1 to 1000 items'],
    [null, 'body must be an object with source, source_parcel_id or an array of 1 to 1000 items'],
    [[], 'body must be an array of 1 to 1000 items'],
    [Array.from({ length: 1_001 }, () => ORDER), 'body must be an array of 1 to 1000 items'],
    [{ source: 'elm' }, `source_parcel_id is missing: it must be ${ORDERED_ID}`],
    [{ ...ORDER, priority: 1 }, 'unknown field "priority"; known are source, source_parcel_id'],
    [[ORDER, { ...ORDER, source: 7 }], 'body[1].source must be the slug of a source: 1 to 100 letters, digits, - or _'],
    [[{ ...ORDER, source_parcel_id: '' }], `body[0].source_parcel_id must be ${ORDERED_ID}`],
    [[{ ...ORDER, source_parcel_id: 'a\nb' }], `body[0].source_parcel_id must be ${ORDERED_ID}`],
    [[{ ...ORDER, priority: 1 }], 'body[0]: unknown field "priority"; known are source, source_parcel_id'],
    [[[ORDER]], 'body[0] must be an object with source, source_parcel_id'],
  ]
  for (const [body, error] of orders) {
    test(`POST of scrape jobs with ${JSON.stringify(body).slice(0, 60)}`, async () => {
      expect(await call('/v1/scrape-jobs', { method: 'POST', body })).toMatchObject({ status: 400, body: { error } })
    })
  }

  const counties: [unknown, string][] = [
    [{}, 'source is missing: it must be the slug of a source: 1 to 100 letters, digits, - or _'],
    [{ source: 'elm', limit: 0 }, 'limit must be a whole number from 1 to 100000'],
    [{ source: 'elm', limit: 100_001 }, 'limit must be a whole number from 1 to 100000'],
    [{ source: 'elm', skip_existing: 'no' }, 'skip_existing must be true or false'],
    [[], 'body must be an object with source, limit, skip_existing'],
  ]
  for (const [body, error] of counties) {
    test(`POST of enqueue-ag-county with ${JSON.stringify(body)}`, async () => {
      expect(await call('/v1/scrape-jobs/enqueue-ag-county', { method: 'POST', body })).toMatchObject({
        status: 400,
        body: { error },
      })
    })
  }

  const settings: [unknown, string][] = [
    [
      {},
      'body must have at least one of min_concurrency, max_concurrency, target_concurrency, mode, slow_threshold_ms, fast_threshold_ms, step_size, signal_window_minutes',
    ],
    [{ min_concurrency: 0 }, 'min_concurrency must be a whole number from 1 to 1000'],
    [{ step_size: 0 }, 'step_size must be a whole number from 1 to 1000'],
    [{ target_concurrency: '4' }, 'target_concurrency must be a whole number from 1 to 1000'],
    [{ target_concurrency: 1.5 }, 'target_concurrency must be a whole number from 1 to 1000'],
    [{ mode: 'off' }, 'mode must be one of auto, manual'],
    [{ signal_window_minutes: 0 }, 'signal_window_minutes must be a whole number from 1 to 1440'],
    [
      { vendor: 'x' },
      'unknown field "vendor"; known are min_concurrency, max_concurrency, target_concurrency, mode, slow_threshold_ms, fast_threshold_ms, step_size, signal_window_minutes',
    ],
  ]
  for (const [body, error] of settings) {
    test(`PATCH of a vendor's concurrency with ${JSON.stringify(body)}`, async () => {
      const answer = await call('/v1/admin/concurrency/arcgis-rest', { method: 'PATCH', body })
      expect(answer).toMatchObject({ status: 400, body: { error } })
    })
  }

  const times = ['0000-01-01T00:00:00Z', '1999-12-31T23:59:59Z', '2026-02-30T00:00:00Z', '9999-12-31T23:59:59-23:59']
  for (const next_due_at of times) {
    test(`PATCH of a refresh policy, due at ${next_due_at}`, async () => {
      const answer = await call('/v1/source-refresh-policies/elm', { method: 'PATCH', body: { next_due_at } })
      expect(answer).toMatchObject({
        status: 400,
        body: {
          error: 'next_due_at must be an ISO 8601 time in the years 2000 to 9999, for example 2026-01-02T03:04:05.678Z',
        },
      })
    })
  }

  test('SQL in an id is an ordinary id', async () => {
    const id = encodeURIComponent("1'; drop table parcels; --")
    expect(await call(`/v1/parcels/elm/${id}`)).toMatchObject({ status: 404, body: { error: 'not found' } })
  })

  test('unknown query parameters are ignored', async () => {
    expect((await call('/v1/sources?colour=green')).status).toBe(200)
    expect((await call('/v1/sources?colour=green&colour=red')).status).toBe(200)
  })

  test('a parameter that is given twice is refused after the key was checked, because only one value would be used', async () => {
    for (const path of ['/v1/sources?limit=2&limit=1', '/v1/search?q=elm&limit=1&types=parcels&limit=1']) {
      expect(await call(path)).toMatchObject({ status: 400, body: { error: 'limit is given more than once' } })
      expect((await call(path, { key: null })).status).toBe(401)
    }
  })

  test('an empty slug of a source is refused and does not select nothing', async () => {
    for (const path of ['/v1/parcels?source=', '/v1/search?q=elm&source=', '/v1/work?source=', '/v1/loads?source='])
      expect(await call(path), path).toMatchObject({
        status: 400,
        body: { error: 'source must be the slug of a source: 1 to 100 letters, digits, - or _' },
      })
  })

  test('an unknown kind of work is refused, naming the known ones', async () => {
    for (const kind of ['foo', '', 'crawl,load'])
      expect(await call(`/v1/work?kind=${kind}`)).toMatchObject({
        status: 400,
        body: { error: expect.stringMatching(/^kind must be one of (?=.*crawl)(?=.*webhooks)(?=.*export)/) },
      })
    expect((await call('/v1/work?kind=crawl')).status).toBe(200)
  })
})

describe('every response', () => {
  test('that needs a key may be cached only by its caller, not by a proxy', async () => {
    for (const path of ['/v1/sources', '/v1/parcels?bbox=1,2,3,4', '/v1/parcels/elm/none', '/v1/parcels?bbox=x']) {
      expect((await call(path)).headers.get('cache-control'), path).toBe('private, no-cache')
    }
    expect((await call('/v1/account')).headers.get('cache-control')).toContain('private')
  })

  test('with 401 names the authentication scheme', async () => {
    expect((await call('/v1/sources', { key: null })).headers.get('www-authenticate')).toBe('ServiceKey')
  })

  test("has the caller's request id if it is valid, else a new one", async () => {
    const id = (given: string, path = '/v1/sources') =>
      call(path, { headers: { 'x-request-id': given } }).then(({ headers }) => headers.get('x-request-id'))
    expect(await id('abc-1.2_3')).toBe('abc-1.2_3')
    expect(await id('abc', '/nope')).toBe('abc')
    expect(await id('no spaces')).toMatch(/^[0-9a-f-]{36}$/)
    expect(await id('x'.repeat(129))).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('for a path without /v1 names its sunset and successor, even if it is an error', async () => {
    for (const path of [
      '/sources',
      '/parcels?bbox=x',
      '/parcels/elm/none',
      '/sources/x/y',
      '/scrape-jobs',
      '/scrape-jobs/x',
    ]) {
      const { headers } = await call(path)
      expect(headers.get('deprecation')).toMatch(/^@\d{10}$/)
      expect(new Date(headers.get('sunset') ?? '').getTime()).toBeGreaterThan(
        Number(headers.get('deprecation')?.slice(1)) * 1000,
      )
      expect(headers.get('link')).toBe(`</v1${path.split('?')[0]}>; rel="successor-version"`)
    }
    for (const path of ['/v1/sources', '/health', '/openapi.json', '/nope']) {
      expect((await call(path)).headers.get('deprecation')).toBeNull()
    }
  })

  test('forbids sniffing and framing', async () => {
    const { headers } = await call('/v1/sources')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  })

  test('both forms of a path give the same response', async () => {
    expect((await call('/sources')).text).toBe((await call('/v1/sources')).text)
  })
})
