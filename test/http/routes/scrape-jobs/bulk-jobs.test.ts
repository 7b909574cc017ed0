import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { CHANNELS } from '../../../../core/channels'
import { connectDatabase } from '../../../../core/postgres/database'
import { claimJobs } from '../../../../drizzle/queries/jobs/run/claim-jobs'
import { completeJobs } from '../../../../drizzle/queries/jobs/run/complete-jobs'
import { failJob } from '../../../../drizzle/queries/jobs/run/fail-job'
import { upsertParcels } from '../../../../drizzle/queries/parcels/upsert-parcels'
import { insertSource, insertVendor } from '../../../jobs/job-rows'
import { WAIT_TIMEOUT_MS } from '../../../support/deadlines'
import { waitFor } from '../../../support/servers'
import { createTestApp } from '../../test-app'

const { sql, url, call, readKey } = await createTestApp()
await insertVendor(sql, 'oak', 4)
await insertVendor(sql, 'fir', 2)
for (const [source, vendor] of [
  ['elm', 'oak'],
  ['ash', 'oak'],
  ['yew', 'fir'],
] as const) {
  await insertSource(sql, source, vendor)
}
const PARCELS = 20
await upsertParcels(
  sql,
  'elm',
  Array.from({ length: PARCELS }, (_, index) => ({ sourceParcelId: `${index}`, acreage: index, landUseClass: 'FARM' })),
)
await upsertParcels(sql, 'yew', [{ sourceParcelId: 'only', acreage: 3 }])
const listener = connectDatabase(url, { max: 1 })
afterAll(() => listener.end({ timeout: 1 }))

const order = (body: unknown, key?: string) =>
  call('/v1/scrape-jobs/refresh', { method: 'POST', body, ...(key === undefined ? {} : { key }) })
const cancel = (body: unknown) => call('/v1/scrape-jobs/cancel', { method: 'POST', body })
const totals = async (query = '') => (await call(`/v1/scrape-jobs/totals${query}`)).body
const queued = async () => (await sql`select from scrape_jobs where status = 'queued'`).length
/** Claims the queued jobs of these parcels. */
const start = async (source: string, ...ids: string[]) => {
  const rows = await sql<{ id: string; attempts: number }[]>`
    select id, attempts from scrape_jobs where source = ${source} and source_parcel_id = any(${ids}) and status = 'queued'`
  return (await claimJobs(sql, rows, 60_000)).claimed
}

beforeEach(async () => {
  await sql`delete from scrape_jobs`
  await sql`update parcels set scraped_at = null`
})

describe('POST refresh', () => {
  test('the orders and estimates of one caller leave database connections to others', async () => {
    const holder = connectDatabase(url, { max: 1 })
    const held = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const holding = holder.begin(async (tx) => {
      await tx`lock table parcels in access exclusive mode`
      held.resolve()
      await release.promise
    })
    await held.promise
    const orders = Array.from({ length: 10 }, (_, index) =>
      order({ filter: { bbox: '-180,-90,180,90' }, dry_run: index % 2 === 0 }),
    )
    const waiting = () =>
      sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await waitFor(async () => (await waiting()).length > 0)
    const other = await Promise.race([call(`/v1/scrape-jobs/${crypto.randomUUID()}`), Bun.sleep(WAIT_TIMEOUT_MS)])
    release.resolve()
    await holding
    await holder.end()
    expect(other?.status).toBe(404)
    expect(new Set((await Promise.all(orders)).map(({ status }) => status))).toEqual(new Set([200]))
  })

  test('200: the parcels of a filter are queued once; fresh ones are skipped unless skip_fresh is false', async () => {
    await sql`update parcels set scraped_at = now() where source = 'elm' and acreage in (15, 16)`
    const filter = { source: 'elm', min_acres: 12 }
    expect((await order({ filter, dry_run: true })).body).toEqual({ parcels: 6, skipped_fresh: 2, seconds: null })
    expect(await queued()).toBe(0)
    expect(await order({ filter })).toMatchObject({
      status: 200,
      body: { considered: 8, enqueued: 6, skipped_fresh: 2, already_queued: 0 },
    })
    expect((await order({ filter, skip_fresh: false })).body).toEqual({
      ...{ considered: 8, enqueued: 2, skipped_fresh: 0, already_queued: 6 },
    })
    expect(await queued()).toBe(8)
    expect([...(await sql`select distinct priority, vendor from scrape_jobs`)]).toEqual([
      { priority: 'normal', vendor: 'oak' },
    ])
  })

  test('200: at most the limit is queued; further requests queue the rest', async () => {
    const filter = { source: 'elm' }
    expect((await order({ filter, limit: 15 })).body.enqueued).toBe(15)
    expect((await order({ filter, limit: 100 })).body).toMatchObject({ enqueued: 5, already_queued: 15 })
    expect((await order({ filter, limit: 3, dry_run: true })).body.parcels).toBe(3)
  })

  test('the estimate covers the queue and the requested jobs, at the pace of the last scrapes; a paused vendor has no estimate', async () => {
    await order({ filter: { source: 'elm', max_acres: 9 } })
    for (const { id } of await start('elm', '0', '1')) {
      await sql`update scrape_jobs set status = 'done', started_at = now() - interval '8 s', finished_at = now(), duration_ms = 8000,
        lease_expires_at = null where id = ${id}`
    }
    // 8 are queued, 18 are requested, each takes 8 s, 4 at the same time.
    expect((await order({ filter: { source: 'elm', min_acres: 2 }, dry_run: true })).body).toEqual({
      ...{ parcels: 18, skipped_fresh: 0, seconds: 52 },
    })
    expect(await totals()).toMatchObject({ queued: 8, running: 0, done: 2, failed: 0, seconds_left: 16 })
    await sql`update vendor_concurrency set paused_at = now(), pause_reason = 'x', paused_by = 'y' where vendor = 'oak'`
    expect((await totals()).seconds_left).toBeNull()
    expect((await order({ filter: { source: 'elm' }, dry_run: true })).body.seconds).toBeNull()
    await sql`update vendor_concurrency set paused_at = null, pause_reason = null, paused_by = null`
  })

  test('400: no filter, one that no index serves, an unknown field; 404: an unknown source; 403: a read-only key', async () => {
    const cases: [body: unknown, status: number, error: string][] = [
      [{}, 400, 'filter is missing'],
      [{ filter: {} }, 400, 'a refresh needs a narrower filter'],
      [{ filter: { min_acres: 5 } }, 400, 'a refresh needs a narrower filter'],
      [{ filter: { sauce: 'elm' } }, 400, 'unknown field "sauce"'],
      [{ filter: { source: 'elm' }, limit: 0 }, 400, 'limit'],
      [{ filter: { source: 'none' } }, 404, 'unknown source: none'],
      [{ filter: { source: 'none' }, dry_run: true }, 404, 'unknown source: none'],
    ]
    for (const [body, status, error] of cases) {
      expect(await order(body)).toMatchObject({ status, body: { error: expect.stringContaining(error) } })
    }
    expect((await order({ filter: { source: 'elm' } }, await readKey())).status).toBe(403)
    expect(await queued()).toBe(0)
  })
})

describe('POST cancel', () => {
  test('200: the jobs of a source, or of a vendor, or only the queued ones; workers are notified of running ones', async () => {
    await order({ filter: { source: 'elm' } })
    await order({ filter: { source: 'yew' } })
    const running = await start('elm', '3', '4')
    const heard: string[] = []
    await listener.listen(CHANNELS.jobCancelled, (id) => heard.push(id))
    expect((await cancel({ source: 'elm', status: 'queued', limit: 10 })).body).toEqual({ cancelled: 10, left: 8 })
    expect((await cancel({ source: 'elm', status: 'queued' })).body).toEqual({ cancelled: 8, left: 0 })
    expect(await totals('?source=elm')).toMatchObject({ queued: 0, running: 2, failed: 18 })
    expect(heard).toEqual([])
    expect((await cancel({ vendor: 'oak' })).body).toEqual({ cancelled: 2, left: 0 })
    await waitFor(() => heard.length === 2)
    expect(heard.toSorted()).toEqual(running.map(({ id }) => id).toSorted())
    const [row] =
      await sql`select error_code, error_message, failures from scrape_jobs where id = ${running[0]?.id ?? ''}`
    expect(row).toMatchObject({
      error_code: 'cancelled',
      error_message: expect.stringContaining('cancelled by'),
      failures: [{ attempt: 1, outcome: 'cancelled' }],
    })
    // The worker's result comes too late.
    expect([...(await sql.begin((tx) => completeJobs(tx, running)))]).toEqual([])
    expect(await totals()).toMatchObject({ queued: 1, running: 0, done: 0, failed: 20 })
    expect((await cancel({ vendor: 'oak' })).body).toEqual({ cancelled: 0, left: 0 })
  })

  test('400: neither source nor vendor, or both', async () => {
    for (const body of [{}, { source: 'elm', vendor: 'oak' }]) {
      expect(await cancel(body)).toMatchObject({ status: 400, body: { error: 'give either source or vendor' } })
    }
  })
})

describe('GET totals and failed jobs', () => {
  test('totals count a source, a vendor or all, and ended jobs since a time', async () => {
    await order({ filter: { source: 'elm', max_acres: 4 } })
    await order({ filter: { source: 'yew' } })
    const [failed] = await start('elm', '0')
    const failure = { code: 'timeout', message: 'slow', retryAfterMs: null, retryInMs: null }
    await failJob(sql, { id: failed?.id ?? '', attempt: 1, ...failure })
    expect(await totals()).toMatchObject({ queued: 5, running: 0, failed: 1 })
    expect(await totals('?vendor=fir')).toMatchObject({ queued: 1, failed: 0 })
    expect(await totals('?source=elm')).toMatchObject({ queued: 4, failed: 1 })
    expect(await totals(`?since=${new Date(Date.now() + 1_000).toISOString()}`)).toMatchObject({ failed: 0 })
    expect((await call('/v1/scrape-jobs/totals?since=yesterday')).status).toBe(400)
  })

  test('jobs of one class of failure, newest first, in pages', async () => {
    await order({ filter: { source: 'elm', max_acres: 4 } })
    for (const { id, sourceParcelId } of await start('elm', '0', '1', '2', '3')) {
      const code = sourceParcelId === '1' ? 'blocked' : 'timeout'
      await failJob(sql, { id, attempt: 1, code, message: code, retryAfterMs: null, retryInMs: null })
    }
    const list = async (query: string) => (await call(`/v1/scrape-jobs?source=elm&failure_class=timeout${query}`)).body
    const ids = (page: { jobs: { source_parcel_id: string }[] }) => page.jobs.map((job) => job.source_parcel_id)
    expect(ids(await list('')).toSorted()).toEqual(['0', '2', '3'])
    const first = await list('&limit=2')
    expect(ids(first)).toHaveLength(2)
    expect([...ids(first), ...ids(await list(`&limit=2&after=${first.next}`))].toSorted()).toEqual(['0', '2', '3'])
    const refused: [query: string, error: string][] = [
      ['?failure_class=timeout', 'failure_class needs source'],
      ['?source=elm&failure_class=none', 'failure_class must be'],
      ['?source=elm&failure_class=timeout&status=done', 'status must be error'],
      ['?source=elm&failure_class=timeout&parcel_id=1', 'either parcel_id or failure_class'],
    ]
    for (const [query, error] of refused) {
      expect(await call(`/v1/scrape-jobs${query}`)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining(error) },
      })
    }
  })
})
