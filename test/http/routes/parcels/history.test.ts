import { expect, test } from 'bun:test'
import { forgetAttempts } from '../../../../drizzle/queries/jobs/forget-attempts'
import { keepHistory } from '../../../../drizzle/queries/tuner/keep-history'
import { insertVendor } from '../../../jobs/job-rows'
import { insertCrawl } from '../../../work/crawls/crawl-rows'
import { createTestApp, insertCounty } from '../../test-app'

const { sql, call, readKey } = await createTestApp()
await insertVendor(sql, 'arcgis-rest', 7)
for (const source of ['ash', 'elm', 'oak']) await insertCounty(sql, source)

const count = async () => {
  while (await sql.begin((tx) => keepHistory(tx)));
}
/** Jobs that end in the five-minute interval that started about `minutesAgo` before the last complete one. */
const [{ base } = { base: new Date() }] = await sql<{ base: Date }[]>`
  select date_bin('5 minutes', now() - interval '10 minutes', '2000-01-01Z') as base`
const at = (minutesAgo: number) => new Date(base.getTime() - minutesAgo * 60_000 + 1_000)
const isoBin = (minutesAgo: number) => new Date(base.getTime() - minutesAgo * 60_000).toISOString()

const endJobs = (source: string, status: 'done' | 'error', n: number, finishedAt: Date) => sql`
  insert into scrape_jobs (source, source_parcel_id, vendor, status, finished_at)
  select ${source}, uuidv7()::text, 'arcgis-rest', ${status}, ${finishedAt} from generate_series(1, ${n})`
const endTries = (outcome: string, durationsMs: number[], endedAt: Date) => sql`
  insert into scrape_attempts (job_id, attempt, vendor, outcome, duration_ms, ended_at)
  select uuidv7(), 1, 'arcgis-rest', ${outcome}, ms, ${endedAt} from unnest(${durationsMs}::int[]) ms`
const historyOf = async (query = '') => (await call(`/v1/admin/concurrency/arcgis-rest/history${query}`)).body
const errorHistory = async (query = '') => (await call(`/v1/admin/sources/error-history${query}`)).body

test('a vendor: one point per five minutes with the target at its end, and every change with its reason', async () => {
  await sql`update history_counted set up_to = ${at(120)}`
  await endTries(
    'done',
    Array.from({ length: 100 }, (_, n) => 10 * (n + 1)),
    at(30),
  )
  await endTries('throttled', [5, 5, 5], at(30))
  await endTries('not_found', [5], at(30))
  await endTries('timeout', [60_000], at(20))
  await sql`
    insert into tuning_log (id, vendor, previous_target, new_target, reason, actor, created_at)
    select uuidv7(created - now()), 'arcgis-rest', was, will, reason, 'auto', created
    from (values (${at(27)}::timestamptz, 4, 2, 'refused: halved'), (${at(5)}::timestamptz, 2, 7, 'all well: up')) as t (created, was, will, reason)`
  await count()
  expect(await historyOf()).toEqual({
    vendor: 'arcgis-rest',
    points: [
      { at: isoBin(30), target: 2, p95_seconds: 0.95, errors: 3, finished: 104 },
      { at: isoBin(20), target: 2, p95_seconds: null, errors: 1, finished: 1 },
    ],
    changes: [
      { at: at(27).toISOString(), previous_target: 4, new_target: 2, reason: 'refused: halved', actor: 'auto' },
      { at: at(5).toISOString(), previous_target: 2, new_target: 7, reason: 'all well: up', actor: 'auto' },
    ],
  })
  expect((await historyOf('?hours=168')).points).toHaveLength(2)
})

test('a source: each requested day with its ended and failed jobs; nothing is counted twice', async () => {
  const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)
  await sql`update history_counted set up_to = now() - interval '20 days'`
  await endJobs('elm', 'done', 5, new Date(`${day(3)}T23:59:59.999Z`))
  await endJobs('elm', 'error', 2, new Date(`${day(3)}T00:00:00.000Z`))
  await endJobs('elm', 'error', 1, new Date(`${day(2)}T12:00:00.000Z`))
  await endJobs('ash', 'done', 4, new Date(`${day(9)}T12:00:00.000Z`))
  await count()
  await count()
  const { sources, counted_up_to } = await errorHistory('?days=4')
  expect(sources).toEqual([
    {
      source_slug: 'elm',
      days: [
        { day: day(3), finished: 7, errors: 2 },
        { day: day(2), finished: 1, errors: 1 },
        { day: day(1), finished: 0, errors: 0 },
        { day: day(0), finished: 0, errors: 0 },
      ],
    },
  ])
  expect(Date.now() - Date.parse(counted_up_to)).toBeLessThan(11 * 60_000)
  const fortnight = await errorHistory()
  expect(fortnight.count).toBe(2)
  expect(fortnight.sources[0].days).toHaveLength(14)

  // Jobs that end later are added to the counts.
  await sql`update history_counted set up_to = ${at(0)}`
  const today = new Date(at(0).getTime() + 1_000)
  await endJobs('elm', 'error', 3, today)
  await count()
  const [{ errors } = { errors: 0 }] = await sql<{ errors: number }[]>`
    select errors::int from source_days where source = 'elm' and day = ${today.toISOString().slice(0, 10)}`
  expect(errors).toBe(3)
})

test('after an outage of weeks, each transaction counts one hour at most', async () => {
  await sql`update history_counted set up_to = now() - interval '20 days'`
  const spans: number[] = []
  for (let hasMore = true; hasMore; ) {
    const upTo = async () => (await sql<{ at: Date }[]>`select up_to as at from history_counted`)[0]?.at.getTime() ?? 0
    const before = await upTo()
    hasMore = await sql.begin((tx) => keepHistory(tx))
    spans.push(((await upTo()) - before) / 3_600_000)
  }
  expect(spans.length).toBeGreaterThan(20 * 24 - 1)
  expect(Math.max(...spans)).toBe(1)
})

test('a full scrape of a source counts as one job of it', async () => {
  await sql`update history_counted set up_to = ${at(60)}`
  for (const status of ['done', 'error', 'error'] as const) {
    await insertCrawl(sql, 'oak', { status, finishedAt: at(30).toISOString() })
  }
  await count()
  await count()
  expect([...(await sql`select finished::int, errors::int from source_days where source = 'oak'`)]).toEqual([
    { finished: 3, errors: 2 },
  ])
})

test('unfinished intervals are not counted: neither the current five minutes nor those of an open transaction', async () => {
  const [{ up_to } = { up_to: new Date(0) }] = await sql<{ up_to: Date }[]>`select up_to from history_counted`
  expect(up_to.getTime()).toBeLessThanOrEqual(Date.now() - 10_000)
  await sql`update history_counted set up_to = ${at(60)}`
  await sql.begin(async (tx) => {
    const [{ began } = { began: new Date(0) }] = await tx<{ began: Date }[]>`select now() as began`
    await count()
    const [row] = await sql<{ up_to: Date }[]>`select up_to from history_counted`
    expect(row?.up_to.getTime()).toBeLessThanOrEqual(began.getTime())
  })
})

test('attempts stay until they are counted, although a transaction that is open for hours holds the count back', async () => {
  await sql`truncate scrape_attempts, vendor_history`
  // The transaction began here.
  await sql`update history_counted set up_to = ${at(240)}`
  await endTries('done', [10, 10], at(200))
  await forgetAttempts(sql)
  await count()
  expect((await historyOf()).points).toMatchObject([{ at: isoBin(200), finished: 2 }])
  await forgetAttempts(sql)
  expect(await sql`select from scrape_attempts`).toHaveLength(0)
})

test('404: an unknown vendor; 403: a key without admin; 400: a time span beyond the retention', async () => {
  expect((await call('/v1/admin/concurrency/nobody/history')).status).toBe(404)
  const key = await readKey()
  for (const path of ['/v1/admin/concurrency/arcgis-rest/history', '/v1/admin/sources/error-history']) {
    expect((await call(path, { key })).status).toBe(403)
  }
  expect((await call('/v1/admin/concurrency/arcgis-rest/history?hours=169')).body.error).toBe(
    'hours must be a whole number from 1 to 168',
  )
  expect((await call('/v1/admin/sources/error-history?days=31')).body.error).toBe(
    'days must be a whole number from 1 to 30',
  )
})
