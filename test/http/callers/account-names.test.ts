import { afterAll, expect, test } from 'bun:test'
import { ALL_STATES } from '../../../core/state-set'
import { waitFor } from '../../support/servers'
import { readEventStream } from '../event-source'
import { ADMIN_KEY, createTestApp, insertCounty } from '../test-app'

const { app, sql, call, readKey, signIn, eventFeed } = await createTestApp({
  indexedInstances: [{ name: 'meilisearch:7700', states: ALL_STATES, queue: null, countDocuments: async () => 0 }],
})
await insertCounty(sql)
await sql`insert into vendor_concurrency (vendor, min_concurrency, max_concurrency, target_concurrency, slow_threshold_ms, fast_threshold_ms)
  values ('arcgis-rest', 1, 8, 4, 8000, 2000)`
afterAll(() => eventFeed.stop())

const ada = await signIn({ email: 'ada"x@people.example', role: 'admin', plan: 'paid' })
const ben = await signIn({ email: 'ben@people.example' })
const asAda = (method: string, path: string, body?: unknown) =>
  call(path, { method, key: null, headers: ada.headers, ...(body === undefined ? {} : { body }) })

/** Makes one of each record that names its actor. Returns the cancelled job's id. */
const act = async (): Promise<string> => {
  const { body } = await asAda('POST', '/v1/scrape-jobs', { source: 'elm', source_parcel_id: '1' })
  const id = body.jobs[0].id as string
  const done = [
    await asAda('DELETE', `/v1/scrape-jobs/${id}`),
    await asAda('PATCH', '/v1/admin/concurrency/arcgis-rest', { mode: 'manual', target_concurrency: 2 }),
    await asAda('POST', '/v1/admin/sources/elm/crawls'),
    await asAda('POST', '/v1/admin/tiles/build'),
    await asAda('POST', '/v1/admin/search-index/check'),
  ]
  expect(done.map(({ status }) => status)).toEqual([200, 200, 200, 202, 202])
  return id
}

/** Reads the events until this job ends. */
const eventsOf = async (headers: Record<string, string>, id: string, after: string) => {
  const response = await app.handle(new Request(`http://localhost/v1/events?after=${after}`, { headers }))
  if (response.body === null) throw new Error('no stream')
  const stream = readEventStream(response.body)
  await waitFor(() => stream.events.some(({ data }) => data.id === id && data.status === 'error'))
  await stream.cancel()
  return JSON.stringify(stream.events)
}

test("no response to a read-only key, on any route, contains another person's email; admins see it", async () => {
  const before = await sql<{ at: string }[]>`select pg_snapshot_xmin(pg_current_snapshot()) || '-0' as at`
  const id = await act()
  const crawl = (await asAda('GET', '/v1/admin/sources/elm/crawls')).body.crawls[0]
  const { paths } = (await call('/openapi.json', { key: null })).body
  const values: Record<string, string> = { source: 'elm', vendor: 'arcgis-rest', layer: 'parcels' }
  const urlOf = (path: string) =>
    path.replace(/\{(\w+)\}/g, (_, name) =>
      name === 'id'
        ? path.includes('/crawls/')
          ? crawl.id
          : path.includes('/scrape-jobs/')
            ? id
            : '1'
        : (values[name] ?? '1'),
    )
  const key = await readKey()
  let withNames = 0
  for (const [path, item] of Object.entries<Record<string, unknown>>(paths)) {
    if (!('get' in item) || path.endsWith('/events') || path.startsWith('/auth/')) continue
    for (const caller of [{ key }, { key: null, headers: ben.headers }]) {
      const { text } = await call(urlOf(path), caller)
      expect([path, text.replaceAll(ben.email, '')]).toEqual([path, expect.not.stringContaining('@people.example')])
      if (/account [0-9a-f]{12}/.test(text)) withNames++
    }
  }
  // At least the job, the list of jobs, the attempts, the tuning log and the vendors.
  expect(withNames).toBeGreaterThanOrEqual(10)

  for (const path of [
    '/v1/scrape-jobs',
    `/v1/scrape-jobs/${id}`,
    `/v1/scrape-jobs/${id}/attempts`,
    '/v1/admin/tuning-log',
    '/v1/admin/concurrency',
    '/v1/admin/concurrency/arcgis-rest/history',
    '/v1/admin/sources/elm/crawls',
    `/v1/admin/sources/elm/crawls/${crawl.id}`,
    '/v1/admin/tiles',
    '/v1/admin/search-index',
  ]) {
    const { status, text } = await call(path)
    expect([path, status, text]).toEqual([path, 200, expect.stringContaining(JSON.stringify(ada.email).slice(1, -1))])
    expect([path, text]).toEqual([path, expect.not.stringMatching(/account [0-9a-f]{12}/)])
  }

  // Events: a member's key sees its own jobs, an admin sees all.
  const keyOf = (
    await call('/v1/account/keys', { method: 'POST', key: null, headers: ben.headers, body: { name: 'b' } })
  ).body.key
  await sql`update events set watchers = array[${ben.accountId}::uuid] where job_id = ${id}`
  const after = before[0]?.at ?? ''
  const bens = await eventsOf({ 'x-service-key': keyOf }, id, after)
  expect(bens).toMatch(/cancelled by account [0-9a-f]{12}"/)
  expect(bens).not.toContain('@')
  expect(await eventsOf({ 'x-service-key': ADMIN_KEY }, id, after)).toContain(
    `cancelled by ${JSON.stringify(ada.email).slice(1, -1)}`,
  )
})

test('every caller sees a key by its first 8 characters', async () => {
  const { body } = await call('/v1/scrape-jobs', { method: 'POST', body: { source: 'elm', source_parcel_id: '2' } })
  const id = body.jobs[0].id
  expect((await call(`/v1/scrape-jobs/${id}`, { method: 'DELETE' })).body.error_message).toBe('cancelled by test-adm')
  expect((await call(`/v1/scrape-jobs/${id}`, { key: await readKey() })).body.error_message).toBe(
    'cancelled by test-adm',
  )
})

test('a removed account keeps its short name', async () => {
  await sql`delete from accounts where id = ${ada.accountId}`
  const { text } = await call('/v1/admin/tuning-log')
  expect(text).toMatch(/"actor":"account [0-9a-f]{12}"/)
})
