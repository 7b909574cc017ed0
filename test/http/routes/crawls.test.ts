import { describe, expect, test } from 'bun:test'
import { pino } from 'pino'
import { createPortalAccess } from '../../../adapters/http/http-client'
import { CRAWLED_VENDORS, findAdapter } from '../../../adapters/registry'
import { LAYER, type LayerOptions, startLayer } from '../../adapters/crawl/layer'
import { insertSource, insertVendor } from '../../jobs/job-rows'
import { waitFor } from '../../support/servers'
import { insertCrawl, insertLayerSource, type TakeCrawlDeps, takeCrawl } from '../../work/crawls/crawl-rows'
import { readEventStream, waitForEarlierEvents } from '../event-source'
import { ADMIN_KEY, createTestApp } from '../test-app'

const { app, sql, call, readKey, signIn } = await createTestApp()
await insertVendor(sql, 'arcgis-rest', 50)
const portals = createPortalAccess({ userAgent: 'ParcelDataService/0', allowPrivate: true, spacingMs: 0 })
const deps: TakeCrawlDeps = {
  ...{ sql, findAdapter, vendors: CRAWLED_VENDORS, review: () => [], log: pino({ level: 'silent' }) },
  createContext: (source, signal) => ({ http: portals.clientFor(source, signal), openPage: null, signal }),
  heartbeatMs: 20,
}
const never = new AbortController().signal

let sources = 0
const addSource = async (layer: LayerOptions) => {
  const source = `county-${sources++}`
  await insertLayerSource(sql, source, startLayer(layer).url + LAYER)
  return source
}
const start = (source: string, options: Parameters<typeof call>[1] = {}) =>
  call(`/v1/admin/sources/${source}/crawls`, { method: 'POST', ...options })
const list = async (source: string, query = '') => (await call(`/v1/admin/sources/${source}/crawls${query}`)).body
/** A worker claims the crawl and starts its attempt. */
const work = (id: string, more: Partial<TakeCrawlDeps> = {}) => takeCrawl({ ...deps, ...more }, { id, signal: never })
const ids = Array.from({ length: 7 }, (_, index) => index)
const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe('GET', () => {
  test('200: newest first, each with its progress; the list has pages', async () => {
    const source = await addSource({
      ids,
      attributes: (id) => ({ PIN: id === 6 ? null : `P-${id}`, OWNER: 'ROSE' }),
    })
    expect(await list(source)).toEqual({ count: 0, crawls: [], next: null })
    const first = (await start(source)).body.id
    await work(first)
    const second = (await start(source)).body.id
    await work(second)
    const third = (await start(source)).body.id
    const { crawls, ...page } = await list(source)
    expect(page).toEqual({ count: 3, next: null })
    expect(crawls.map(({ id }: { id: string }) => id)).toEqual([third, second, first])
    const about = { source, vendor: 'arcgis-rest', requested_by: ADMIN_KEY.slice(0, 8), error_code: null }
    const none = { pages: 0, inserted: 0, updated: 0, unchanged: 0, rejected: 0 }
    const more = { error_message: null, waits_for: null, waits_until: null }
    expect(crawls[0]).toEqual({
      ...{ id: third, ...about, ...more, status: 'queued', attempts: 0, ...none, total: null },
      ...{ created_at: MOMENT, started_at: null, finished_at: null },
    })
    expect(crawls[1]).toEqual({
      ...{ id: second, ...about, ...more, status: 'done', attempts: 1 },
      ...{ ...none, pages: 3, unchanged: 6, rejected: 1, total: 7 },
      ...{ created_at: MOMENT, started_at: MOMENT, finished_at: MOMENT },
    })
    expect(crawls[2]).toMatchObject({ inserted: 6, unchanged: 0 })

    expect(await list(source, '?limit=2')).toMatchObject({ count: 2, next: second })
    expect(await list(source, `?limit=2&after=${second}`)).toMatchObject({
      count: 1,
      crawls: [{ id: first }],
      next: null,
    })
    expect(await list(await addSource({ ids }))).toMatchObject({ count: 0 })
  })

  test('200: a crawl lists the first hundred records it could not store, in order', async () => {
    const many = Array.from({ length: 250 }, (_, index) => index)
    const source = await addSource({ ids: many, maxRecordCount: 60, attributes: () => ({ PIN: ' ', OWNER: 'ROSE' }) })
    const { id } = (await start(source)).body
    await work(id)
    const { status, body } = await call(`/v1/admin/sources/${source}/crawls/${id}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, status: 'done', rejected: 250 })
    expect(body.rejects).toEqual(
      many.slice(0, 100).map((index) => ({ what: `OID_1 ${index}`, reason: 'PIN is empty' })),
    )
  })

  test('a crawl that waits for its vendor or for a load says why, and until when if that is known', async () => {
    const source = await addSource({ ids })
    const { id } = (await start(source)).body
    const waits = async () => {
      const [{ waits_for, waits_until }] = (await list(source)).crawls
      const { body } = await call(`/v1/work/${id}`)
      expect(body).toMatchObject({ waits_for, waits_until })
      return [waits_for, waits_until]
    }
    const setVendor = (columns: Record<string, unknown>) =>
      sql`update vendor_concurrency set ${sql(columns)} where vendor = 'arcgis-rest'`
    const [now, end] = [new Date(), new Date(Date.now() + 3_600_000)]
    expect(await waits()).toEqual([null, null])
    // A probe has just begun, and the next one is a minute away.
    await setVendor({ breaker_opened_at: now, probed_at: now })
    expect(await waits()).toEqual(['breaker', new Date(now.getTime() + 60_000).toISOString()])
    await setVendor({ probed_at: null })
    expect(await waits()).toEqual([null, null])
    await setVendor({
      breaker_opened_at: null,
      paused_at: now,
      paused_until: end,
      pause_reason: 'test',
      paused_by: 'operator',
    })
    expect(await waits()).toEqual(['pause', end.toISOString()])
    await setVendor({ paused_until: null })
    expect(await waits()).toEqual(['pause', null])
    await setVendor({ paused_at: null, pause_reason: null, paused_by: null })
    await sql`insert into work (kind, subject, payload) values ('load', ${source}, '{}')`
    expect(await waits()).toEqual(['load', null])
    await sql`delete from work where kind = 'load' and subject = ${source}`
    expect(await waits()).toEqual([null, null])
    await call(`/v1/work/${id}`, { method: 'DELETE' })
  })

  test('a crawl that waits for its portal says why and until when', async () => {
    const source = await addSource({
      ids,
      before: ({ searchParams }) =>
        searchParams.get('where')?.includes('OID_1 > 5') ? new Response('', { status: 503 }) : undefined,
    })
    const { id } = (await start(source)).body
    await work(id, { retryDelay: () => 3_600_000 })
    const [{ waits_until, ...crawl }] = (await list(source)).crawls
    expect(Date.parse(waits_until)).toBeWithin(Date.now() + 3_500_000, Date.now() + 3_600_001)
    expect(crawl).toMatchObject({
      ...{ id, status: 'queued', pages: 2, inserted: 6, error_code: 'network', waits_for: 'retry' },
      error_message: expect.stringMatching(/^the features page of 127\.0\.0\.1:\d+ returned status 503$/),
    })
  })

  test('404: an unknown source, an unknown crawl, or a crawl of another source', async () => {
    const [source, other] = [await addSource({ ids }), await addSource({ ids })]
    const { id } = (await start(source)).body
    for (const path of ['nowhere/crawls', `${source}/crawls/x`, `${other}/crawls/${id}`]) {
      expect(await call(`/v1/admin/sources/${path}`), path).toMatchObject({ status: 404, body: { error: 'not found' } })
    }
  })
})

describe('POST', () => {
  test('200: a crawl is queued, even for an inactive source; a second request returns the same crawl', async () => {
    const source = await addSource({ ids })
    await sql`update sources set active = false where source = ${source}`
    const { status, body } = await start(source)
    expect(status).toBe(200)
    expect(body).toMatchObject({ source, status: 'queued', rejects: [] })
    const again = await Promise.all(Array.from({ length: 8 }, () => start(source)))
    expect(new Set(again.map(({ body }) => body.id))).toEqual(new Set([body.id]))
    await work(body.id)
    expect((await call(`/v1/admin/sources/${source}/crawls/${body.id}`)).body.status).toBe('done')
    expect((await start(source)).body.id).not.toBe(body.id)
  })

  test('parallel requests start one crawl', async () => {
    const source = await addSource({ ids })
    const answers = await Promise.all(Array.from({ length: 8 }, () => start(source)))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect((await list(source)).count).toBe(1)
  })

  test('a request for a crawl that the scheduler started keeps it running when the source is switched off', async () => {
    const source = await addSource({ ids })
    await insertCrawl(sql, source, { status: 'queued' })
    const [scheduled] = (await list(source)).crawls
    expect(scheduled.requested_by).toBeNull()
    const { email, headers } = await signIn({ role: 'admin' })
    const { body } = await start(source, { key: null, headers })
    expect(body).toMatchObject({ id: scheduled.id, requested_by: email })
    // A second request does not change the requester.
    expect((await start(source)).body.requested_by).toBe(email)
  })

  test('a crawl does not continue after its source was reconfigured', async () => {
    const source = await addSource({ ids })
    const { id } = (await start(source)).body
    await sql`update sources set vendor_config = '{"columns": {"parcel_id": "OWNER"}}' where source = ${source}`
    const { body } = await start(source)
    expect(body.id).not.toBe(id)
    expect((await list(source)).crawls[1]).toMatchObject({
      ...{ id, status: 'error', error_code: 'cancelled' },
      error_message: 'the source was changed: a new crawl starts from the first page',
    })
  })

  test('an Idempotency-Key returns the first response again, even after that crawl has ended', async () => {
    const source = await addSource({ ids })
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const { body } = await start(source, { headers })
    await work(body.id)
    const again = await start(source, { headers })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.body).toEqual(body)
    expect((await list(source)).count).toBe(1)
  })

  test('409: a vendor that cannot be crawled, named; 404: an unknown source', async () => {
    await insertSource(sql, 'pages', 'pacs-property-access')
    expect(await start('pages')).toMatchObject({
      status: 409,
      body: {
        error:
          'pages cannot be crawled, because its vendor is pacs-property-access; these vendors support crawls: arcgis-rest, socrata-soda',
      },
    })
    expect(await start('nowhere')).toMatchObject({ status: 404, body: { error: 'unknown source: nowhere' } })
    expect((await list('pages')).count).toBe(0)
  })
})

describe('DELETE', () => {
  const cancel = (source: string, id: string, options: Parameters<typeof call>[1] = {}) =>
    call(`/v1/admin/sources/${source}/crawls/${id}`, { method: 'DELETE', ...options })

  test('200: a running crawl stores nothing more and says who cancelled it; then 404', async () => {
    const held = Promise.withResolvers<undefined>()
    const isSecondPage = ({ searchParams }: URL) => searchParams.get('where')?.includes('OID_1 > 2') === true
    const source = await addSource({ ids, before: (url) => (isSecondPage(url) ? held.promise : undefined) })
    const { id } = (await start(source)).body
    const working = work(id)
    await waitFor(async () => (await list(source)).crawls[0].pages > 0)
    const { status, body } = await cancel(source, id)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      ...{ id, status: 'error', error_code: 'cancelled', finished_at: MOMENT },
      error_message: `cancelled by ${ADMIN_KEY.slice(0, 8)}`,
    })
    held.resolve(undefined)
    await working
    expect((await list(source)).crawls).toEqual([body])
    expect((await cancel(source, id)).status).toBe(404)
  })

  test('200: a queued crawl; a person is named by their email', async () => {
    const source = await addSource({ ids })
    const { id } = (await start(source)).body
    const { email, headers } = await signIn({ role: 'admin' })
    expect(await cancel(source, id, { key: null, headers })).toMatchObject({
      status: 200,
      body: { status: 'error', error_message: `cancelled by ${email}` },
    })
    expect(await work(id)).toBe(false)
  })

  test('404: an unknown crawl, or a crawl of another source', async () => {
    const [source, other] = [await addSource({ ids }), await addSource({ ids })]
    const { id } = (await start(source)).body
    for (const [of, crawl] of [
      [source, 'current'],
      [source, crypto.randomUUID()],
      [other, id],
      ['nowhere', id],
    ] as const) {
      expect(await cancel(of, crawl), `${of} ${crawl}`).toMatchObject({ status: 404, body: { error: 'not found' } })
    }
    expect((await list(source)).crawls[0].status).toBe('queued')
  })
})

test('events report a crawl as it is queued, runs, advances page by page and ends; a repeated request adds no event', async () => {
  const source = await addSource({ ids })
  await waitForEarlierEvents(sql)
  const { body: stream } = await app.handle(
    new Request('http://localhost/v1/events?types=crawl', { headers: { 'x-service-key': ADMIN_KEY } }),
  )
  if (stream === null) throw new Error('no body')
  const { events, cancel } = readEventStream(stream)
  const { id } = (await start(source)).body
  await start(source)
  await work(id)
  await waitFor(() => events.at(-1)?.data.status === 'done')
  await cancel()
  expect(events.map(({ data: { status, pages, inserted } }) => [status, pages, inserted])).toEqual([
    ['queued', 0, 0],
    ['running', 0, 0],
    ['running', 1, 3],
    ['running', 2, 6],
    ['done', 3, 7],
  ])
  expect(events.at(-1)).toMatchObject({
    event: 'crawl',
    data: {
      ...{ id, source, vendor: 'arcgis-rest', status: 'done', attempts: 1, pages: 3, inserted: 7, updated: 0 },
      ...{ unchanged: 0, rejected: 0, total: 7, error_code: null, error_message: null, waits_until: null, at: MOMENT },
    },
  })
})

test('403: only operators see crawls', async () => {
  const source = await addSource({ ids })
  const key = await readKey()
  expect((await call(`/v1/admin/sources/${source}/crawls`, { key })).status).toBe(403)
  expect((await start(source, { key })).status).toBe(403)
})
