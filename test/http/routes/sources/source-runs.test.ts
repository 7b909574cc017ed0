import { expect, test } from 'bun:test'
import { noteSourceProblems } from '../../../../drizzle/queries/sources/source-runs'
import { foldTallies } from '../../../../drizzle/queries/tuner/fold-tallies'
import { insertSource } from '../../../jobs/job-rows'
import { insertCrawl } from '../../../work/crawls/crawl-rows'
import { createTestApp } from '../../test-app'

const { sql, call, readKey } = await createTestApp()

let sources = 0
const addSource = async (vendor = 'test'): Promise<string> => {
  const source = `elm-${++sources}`
  await insertSource(sql, source, vendor)
  return source
}

/** Ended jobs, oldest first. A run is `done`, a code, or `code/class`. */
const addRuns = async (source: string, runs: readonly string[], prefix = 'p'): Promise<void> => {
  const rows = runs.map((run, index) => {
    const [code = '', failureClass = null] = run.split('/')
    return { id: `${prefix}${index}`, code: code === 'done' ? null : code, failureClass, ago: runs.length - index }
  })
  await sql`
    insert into scrape_jobs (source, source_parcel_id, vendor, status, error_code, failure_class, attempts, overrides, finished_at)
    select ${source}, id, 'test', (case when code is null then 'done' else 'error' end)::job_status, code, "failureClass", 1,
      '{"vendorKey": "K"}', clock_timestamp() - ago * interval '1 second'
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r (id text, code text, "failureClass" text, ago int)
    order by ago desc`
}
/** Ended crawls, oldest first: `done`, a code, `code/class`, or the counts of one that is done. */
const addCrawls = async (source: string, runs: readonly (string | { inserted: number; rejected: number })[]) => {
  for (const run of runs) {
    const [code = '', failureClass = null] = typeof run === 'string' ? run.split('/') : ['done']
    const counts = typeof run === 'string' ? { inserted: 9, rejected: 1 } : run
    const finishedAt = new Date().toISOString()
    if (code === 'done') await insertCrawl(sql, source, { status: 'done', finishedAt, ...counts })
    else await insertCrawl(sql, source, { status: 'error', finishedAt, errorCode: code, failureClass })
    // The next one ends later.
    await Bun.sleep(2)
  }
}
const repeat = (run: string, times: number): string[] => Array.from({ length: times }, () => run)
const runsOf = async (source: string) => (await call(`/v1/sources/${source}/runs`)).body
const problemOf = async (source: string) => {
  const { body } = await call('/v1/admin/sources/health')
  const row = body.sources.find((one: { source: string }) => one.source === source)
  return { problem: row.problem, failure_class: row.failure_class, isSince: row.since !== null }
}
const eventsOf = async (source: string) =>
  (
    await sql<{ payload: Record<string, unknown> }[]>`
    select payload from events where kind = 'source' and payload ->> 'source' = ${source} order by xid, id`
  ).map(({ payload }) => payload)

test('200: the last runs with their classes, counted over the last 50 and since the last good scrape', async () => {
  const source = await addSource()
  await addRuns(source, [
    ...repeat('blocked/challenge', 10),
    ...repeat('done', 44),
    ...['timeout', 'page_changed', 'page_changed', 'network/name_not_found'],
  ])
  await foldTallies(sql)
  const body = await runsOf(source)
  expect(body).toMatchObject({ source, runs_counted: 50, problem: null, failed_since_success: 4 })
  expect(body.last_success_at).toBeString()
  expect(body.failures).toEqual(
    [
      { failure_class: 'page_changed', count: 2 },
      { failure_class: 'challenge', count: 2 },
      { failure_class: 'name_not_found', count: 1 },
      { failure_class: 'timeout', count: 1 },
    ].sort((a, b) => b.count - a.count || (a.failure_class < b.failure_class ? -1 : 1)),
  )
  expect(body.failures_since_success).toEqual([
    { failure_class: 'page_changed', count: 2 },
    { failure_class: 'name_not_found', count: 1 },
    { failure_class: 'timeout', count: 1 },
  ])
  expect(body.runs).toHaveLength(50)
  expect(body.runs[0]).toMatchObject({ source_parcel_id: 'p57', failure_class: 'name_not_found' })
  expect(body.runs[4]).toMatchObject({ failure_class: null })
  expect((await call(`/v1/sources/${source}/runs`, { key: await readKey() })).status).toBe(200)
  expect((await call('/v1/sources/unknown/runs')).status).toBe(404)
})

test('a changed site and a failed fetch are different problems in health and in events; a good scrape ends the problem', async () => {
  const [changed, unreachable, single, searching] = await Promise.all([1, 2, 3, 4].map(() => addSource()))
  await addRuns(changed as string, ['done', 'timeout', 'page_changed', 'not_found/redirected', 'page_changed'])
  await addRuns(unreachable as string, ['done', 'page_changed', 'network/name_not_found', 'network/name_not_found'])
  await addRuns(single as string, ['done', 'page_changed', ...repeat('not_found', 3), 'bad_config', 'cancelled'])
  await addRuns(searching as string, ['done', ...repeat('not_found', 10)])
  await noteSourceProblems(sql)
  await noteSourceProblems(sql)
  expect(await problemOf(changed as string)).toEqual({
    ...{ problem: 'site_changed', failure_class: 'page_changed', isSince: true },
  })
  expect(await problemOf(unreachable as string)).toEqual({
    ...{ problem: 'fetch_failed', failure_class: 'name_not_found', isSince: true },
  })
  expect(await problemOf(single as string)).toEqual({ problem: null, failure_class: null, isSince: false })
  expect(await problemOf(searching as string)).toEqual({
    ...{ problem: 'site_changed', failure_class: 'not_found', isSince: true },
  })
  expect(await eventsOf(single as string)).toEqual([])
  expect(await eventsOf(changed as string)).toMatchObject([
    { change: 'problem', problem: 'site_changed', failure_class: 'page_changed', failures: 4 },
  ])

  await addRuns(changed as string, ['done'], 'again')
  await noteSourceProblems(sql)
  expect(await problemOf(changed as string)).toEqual({ problem: null, failure_class: null, isSince: false })
  const [, ended] = await eventsOf(changed as string)
  expect(ended).toMatchObject({ problem: null })
  expect(ended?.last_success_at).toBeString()
})

test('a few pages that are missing (404) are vanished parcels; ten in a row are a changed site', async () => {
  const [few, all] = [await addSource(), await addSource()]
  await addRuns(few, ['done', ...repeat('not_found/page_missing', 5)])
  await addRuns(all, ['done', ...repeat('not_found/page_missing', 10)])
  await noteSourceProblems(sql)
  expect((await problemOf(few)).problem).toBeNull()
  expect(await problemOf(all)).toEqual({ problem: 'site_changed', failure_class: 'page_missing', isSince: true })
})

test('a problem that changes its kind sends a second event, and one that continues sends none', async () => {
  const source = await addSource()
  await addRuns(source, repeat('timeout', 3))
  await noteSourceProblems(sql)
  await addRuns(source, repeat('timeout', 2), 'b')
  await noteSourceProblems(sql)
  await addRuns(source, repeat('page_changed', 6), 'c')
  await noteSourceProblems(sql)
  expect((await eventsOf(source)).map(({ problem }) => problem)).toEqual(['fetch_failed', 'site_changed'])
  expect(await runsOf(source)).toMatchObject({ problem: 'site_changed', last_success_at: null })
})

test('a crawl is one run: a good crawl ends a problem, and a single failed crawl is a problem', async () => {
  const source = await addSource()
  await addRuns(source, repeat('timeout', 3))
  await noteSourceProblems(sql)
  expect((await problemOf(source)).problem).toBe('fetch_failed')
  await addCrawls(source, ['done'])
  await noteSourceProblems(sql)
  expect((await problemOf(source)).problem).toBeNull()
  const good = await runsOf(source)
  expect(good).toMatchObject({ runs_counted: 4, problem: null, failed_since_success: 0 })
  expect(good.runs[0]).toMatchObject({ job_id: null, source_parcel_id: null, failure_class: null })
  expect(good.runs[0].crawl_id).toBeString()
  expect(good.last_success_at).toBe(good.runs[0].finished_at)

  await addCrawls(source, ['page_changed/redirected'])
  await noteSourceProblems(sql)
  expect(await problemOf(source)).toEqual({ problem: 'site_changed', failure_class: 'redirected', isSince: true })
  expect(await runsOf(source)).toMatchObject({
    failures: [
      { failure_class: 'timeout', count: 3 },
      { failure_class: 'redirected', count: 1 },
    ],
    ...{ failed_since_success: 1, failures_since_success: [{ failure_class: 'redirected', count: 1 }] },
    last_success_at: good.last_success_at,
  })
  expect((await eventsOf(source)).map(({ problem }) => problem)).toEqual(['fetch_failed', null, 'site_changed'])
})

test('a crawl without records, or with rejected records only, is not a good run; a cancelled one does not count', async () => {
  const [empty, rejected, cancelled, network] = await Promise.all([1, 2, 3, 4].map(() => addSource()))
  await addCrawls(empty as string, ['done', { inserted: 0, rejected: 0 }])
  await addCrawls(rejected as string, ['done', { inserted: 0, rejected: 7 }])
  await addCrawls(cancelled as string, ['done', 'cancelled', 'bad_config', 'worker_lost'])
  await addCrawls(network as string, ['network/name_not_found'])
  await noteSourceProblems(sql)
  expect(await problemOf(empty as string)).toMatchObject({ problem: 'site_changed', failure_class: 'not_found' })
  expect(await problemOf(rejected as string)).toMatchObject({ problem: 'site_changed', failure_class: 'page_changed' })
  expect(await problemOf(cancelled as string)).toMatchObject({ problem: null })
  expect(await problemOf(network as string)).toMatchObject({ problem: 'fetch_failed', failure_class: 'name_not_found' })
  const { runs } = await runsOf(empty as string)
  expect(runs.map((run: { failure_class: string | null }) => run.failure_class)).toEqual(['not_found', null])
})

const retry = async (body: unknown, more = {}) => call('/v1/scrape-jobs/retry', { method: 'POST', body, ...more })
const queuedOf = async (source: string) =>
  (
    await sql<{ id: string }[]>`
    select source_parcel_id as id from scrape_jobs where source = ${source} and status = 'queued' order by 1`
  ).map(({ id }) => id)

test('a retry of a class queues each parcel whose last job failed that way, once and with its overrides', async () => {
  const source = await addSource()
  await addRuns(source, ['page_changed', 'timeout', 'page_changed', 'page_changed', 'page_changed'])
  // A later job of p0 succeeded, p2 failed again, and p3 is queued.
  await addRuns(source, ['done'], 'p')
  await sql`insert into scrape_jobs (source, source_parcel_id, vendor, status, error_code, finished_at)
    values (${source}, 'p2', 'test', 'error', 'page_changed', now())`
  await sql`insert into scrape_jobs (source, source_parcel_id, vendor) values (${source}, 'p3', 'test')`
  const order = { source, failure_class: 'page_changed' }
  expect((await retry(order)).body).toEqual({ failed: 3, queued: 2, already_queued: 1, left: 0 })
  expect(await queuedOf(source)).toEqual(['p2', 'p3', 'p4'])
  const [row] =
    await sql`select overrides, priority from scrape_jobs where source_parcel_id = 'p4' and status = 'queued' and source = ${source}`
  expect(row).toEqual({ overrides: { vendorKey: 'K' }, priority: 'normal' })
  expect((await retry(order)).body).toEqual({ failed: 3, queued: 0, already_queued: 3, left: 0 })
})

test('a retry is bounded, says what is left, and the next one continues', async () => {
  const source = await addSource()
  await addRuns(source, repeat('network/name_not_found', 5))
  const order = { source, failure_class: 'name_not_found', limit: 2 }
  expect((await retry(order)).body).toEqual({ failed: 5, queued: 2, already_queued: 0, left: 3 })
  expect((await retry(order)).body).toEqual({ failed: 5, queued: 2, already_queued: 2, left: 1 })
  expect((await retry({ ...order, failure_class: 'network' })).body).toMatchObject({ failed: 0, queued: 0 })
  expect((await retry({ ...order, limit: 10_001 })).status).toBe(400)
})

test('a retry of a vendor covers its sources; without a scope, with two, or with an unknown one it is refused', async () => {
  const [one, other, stranger] = [await addSource('wedge'), await addSource('wedge'), await addSource('pacs')]
  for (const source of [one, other, stranger]) await addRuns(source, ['throttled'])
  expect((await retry({ vendor: 'wedge', failure_class: 'throttled' })).body).toMatchObject({ failed: 2, queued: 2 })
  expect(await queuedOf(stranger)).toEqual([])
  expect((await retry({ failure_class: 'throttled' })).status).toBe(400)
  expect((await retry({ source: one, vendor: 'wedge', failure_class: 'throttled' })).status).toBe(400)
  expect((await retry({ source: one, failure_class: 'bad luck' })).status).toBe(400)
  expect((await retry({ source: 'unknown', failure_class: 'throttled' })).status).toBe(404)
  expect((await retry({ vendor: 'unknown', failure_class: 'throttled' })).status).toBe(404)
  expect((await retry({ source: one, failure_class: 'throttled' }, { key: await readKey() })).status).toBe(403)
})

test('a retry of a class also restarts, once, a crawl that failed that way', async () => {
  const vendor = 'arcgis-rest'
  const [failed, mended] = [await addSource(vendor), await addSource(vendor)]
  await addCrawls(failed, ['done', 'timeout'])
  await addCrawls(mended, ['timeout', 'done'])
  const order = { vendor, failure_class: 'timeout' }
  expect((await retry(order)).body).toEqual({ failed: 1, queued: 1, already_queued: 0, left: 0 })
  expect((await retry(order)).body).toEqual({ failed: 1, queued: 0, already_queued: 1, left: 0 })
  const queued = await sql`select source from work where kind = 'crawl' and status = 'queued'`
  expect([...queued]).toEqual([{ source: failed }])
  expect((await retry({ source: mended, failure_class: 'timeout' })).body).toMatchObject({ failed: 0, queued: 0 })
})
