import { beforeAll, expect, test } from 'bun:test'
import { connectDatabase } from '../../../core/postgres/database'
import { ServiceError } from '../../../core/service-error'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { waitFor } from '../../support/servers'
import { leastOf } from '../../support/shortest-time'
import { createTestApp } from '../test-app'

const { app, sql, call, readKey, useSearch } = await createTestApp()
const WORLD = '/v1/parcels?bbox=-180,-90,180,90&limit=5000'

beforeAll(() => seedSampleCounty(sql, { parcels: 5_000, entities: 0 }), 60_000)

test('16 large boxes of one key do not delay the look-ups, boxes and health checks of others', async () => {
  const [heavy, other] = [await readKey(), await readKey()]
  const [parcel] = await sql<{ id: string }[]>`select source || '/' || source_parcel_id as id from parcels limit 1`
  let answered = 0
  const boxes = Array.from({ length: 16 }, async () => {
    expect((await call(WORLD, { key: heavy })).status).toBe(200)
    answered++
  })
  await waitFor(() => answered > 0)
  const others = [`/v1/parcels/${parcel?.id}`, '/v1/parcels?bbox=-120.5,43.9,-120.49,43.91', WORLD, '/health']
  for (const path of others) expect((await call(path, { key: other })).status).toBe(200)
  expect(answered).toBeLessThan(12)
  await Promise.all(boxes)
})

test('lists of one key do not delay the lists and look-ups of others', async () => {
  const [heavy, other] = [await readKey(), await readKey()]
  await sql`
    insert into scrape_jobs (source, source_parcel_id, vendor)
    select s.source, p.source_parcel_id, s.vendor from parcels p join sources s using (source) limit 2000`
  let answered = 0
  const lists = Array.from({ length: 100 }, async () => {
    expect((await call('/v1/scrape-jobs?limit=500', { key: heavy })).status).toBe(200)
    answered++
  })
  await waitFor(() => answered > 0)
  expect((await call('/v1/scrape-jobs?limit=500', { key: other })).status).toBe(200)
  expect((await call('/v1/scrape-jobs/00000000-0000-0000-0000-000000000000', { key: other })).status).toBe(404)
  expect(answered).toBeLessThan(50)
  await Promise.all(lists)
})

test('a box is not read after its caller has disconnected', async () => {
  const key = await readKey()
  const server = app.listen({ port: 0, hostname: '127.0.0.1' }).server
  const url = `http://127.0.0.1:${server?.port}${WORLD}`
  const readBox = async (signal?: AbortSignal) => {
    const startedAt = performance.now()
    const response = await fetch(url, { headers: { 'x-service-key': key }, ...(signal && { signal }) })
    expect(response.status).toBe(200)
    await response.arrayBuffer()
    return performance.now() - startedAt
  }
  const timeAfterDisconnect = async () => {
    const client = new AbortController()
    let failed = 0
    const requests = Array.from({ length: 200 }, () => readBox(client.signal).catch(() => failed++))
    await Bun.sleep(300)
    client.abort()
    await Promise.all(requests)
    expect(failed).toBeGreaterThan(100)
    return readBox()
  }
  try {
    await readBox()
    // Behind 100 or more boxes it would take longer than this.
    const limitMs = 25 * (await readBox())
    expect(await leastOf(limitMs, timeAfterDisconnect)).toBeLessThan(limitMs)
  } finally {
    await app.stop(true)
  }
})

test('every 503 has Retry-After', async () => {
  useSearch({ search: () => Promise.reject(new ServiceError('busy', 'The service is busy.')) })
  const { status, headers, body } = await call('/v1/search?q=adams')
  expect({ status, body }).toEqual({ status: 503, body: { error: 'The service is busy.' } })
  expect(headers.get('retry-after')).toBe('5')
  const away = await createTestApp({ sql: connectDatabase('postgres://nobody@127.0.0.1:1/none') })
  for (const path of ['/health', '/v1/sources', '/v1/admin/search-index/rebuild']) {
    const method = path.endsWith('rebuild') ? 'POST' : 'GET'
    const answer = await away.call(path, { method })
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
  }
})
