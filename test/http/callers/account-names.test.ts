import { afterAll, expect, test } from 'bun:test'
import { waitFor } from '../../servers'
import { readEventStream } from '../routes/event-source'
import { ADMIN_KEY, createTestApp, insertCounty } from '../test-app'

const { app, sql, call, readKey, signIn, eventFeed } = await createTestApp({ countDocuments: async () => 0 })
await insertCounty(sql)
await sql`insert into vendor_concurrency (vendor, min_concurrency, max_concurrency, target_concurrency, slow_threshold_ms, fast_threshold_ms)
  values ('arcgis-rest', 1, 8, 4, 8000, 2000)`
afterAll(() => eventFeed.stop())

const ada = await signIn({ email: 'ada"x@people.example', role: 'admin', plan: 'paid' })
const ben = await signIn({ email: 'ben@people.example' })
const asAda = (method: string, path: string, body?: unknown) =>
  call(path, { method, key: null, headers: ada.headers, ...(body === undefined ? {} : { body }) })

/** One of each thing that says who did it; the job that was cancelled. */
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

/** What everybody may follow of events until the one of this job's end. */
const eventsOf = async (headers: Record<string, string>, id: string, after: string) => {
  const response = await app.handle(new Request(`http://localhost/v1/events?after=${after}`, { headers }))
  if (response.body === null) throw new Error('no stream')
  const stream = readEventStream(response.body)
  await waitFor(() => stream.events.some(({ data }) => data.id === id && data.status === 'error'))
  await stream.cancel()
  return JSON.stringify(stream.events)
}

test("no answer to a key that may only read, of any route of the document, has another person's email in it; admins are told it", async () => {
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
  // At least the job, the list of jobs, the tries, the tuning log and the vendors.
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

  // Events: of jobs that a member's key asked for, and of all for admins.
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

test('a key is named by its first 8 characters, for everybody', async () => {
  const { body } = await call('/v1/scrape-jobs', { method: 'POST', body: { source: 'elm', source_parcel_id: '2' } })
  const id = body.jobs[0].id
  expect((await call(`/v1/scrape-jobs/${id}`, { method: 'DELETE' })).body.error_message).toBe('cancelled by test-adm')
  expect((await call(`/v1/scrape-jobs/${id}`, { key: await readKey() })).body.error_message).toBe(
    'cancelled by test-adm',
  )
})

test('of an account that was removed the short name stays', async () => {
  await sql`delete from accounts where id = ${ada.accountId}`
  const { text } = await call('/v1/admin/tuning-log')
  expect(text).toMatch(/"actor":"account [0-9a-f]{12}"/)
})
