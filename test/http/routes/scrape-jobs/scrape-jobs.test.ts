import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { CHANNELS } from '../../../../core/channels'
import { connectDatabase } from '../../../../core/postgres/database'
import { requeueExpiredJobs } from '../../../../drizzle/queries/jobs/dispatch/requeue-expired-jobs'
import { claimJobs } from '../../../../drizzle/queries/jobs/run/claim-jobs'
import { completeJobs } from '../../../../drizzle/queries/jobs/run/complete-jobs'
import { failJob } from '../../../../drizzle/queries/jobs/run/fail-job'
import { handBackJobs } from '../../../../drizzle/queries/jobs/run/hand-back-jobs'
import { upsertParcels } from '../../../../drizzle/queries/parcels/upsert-parcels'
import { issueKey } from '../../../../src/people/issue-key'
import { waitFor } from '../../../support/servers'
import { ADMIN_KEY, createTestApp, insertCounty } from '../../test-app'

const { sql, url, call, readKey } = await createTestApp()
for (const source of ['elm', 'ash']) await insertCounty(sql, source)
const listener = connectDatabase(url, { max: 1 })
afterAll(() => listener.end({ timeout: 1 }))

const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const UNKNOWN_ID = '019b76da-8c00-7000-8000-000000000001'

const post = (body: unknown, key = ADMIN_KEY) => call('/v1/scrape-jobs', { method: 'POST', body, key })
const enqueue = async (source: string, ...ids: string[]): Promise<string[]> =>
  (await post(ids.map((id) => ({ source, source_parcel_id: id })))).body.jobs.map((job: { id: string }) => job.id)
const rowOf = async (id: string) => (await sql`select * from scrape_jobs where id = ${id}`)[0]

/** Collects the notifications of a channel from now on. */
const hear = async (channel: string): Promise<string[]> => {
  const heard: string[] = []
  await listener.listen(channel, (text) => heard.push(text))
  return heard
}

beforeEach(async () => {
  await sql`delete from scrape_jobs`
})

describe('POST jobs', () => {
  test('200: one parcel, known to the service or not', async () => {
    const { status, body } = await post({ source: 'elm', source_parcel_id: '12-0345/7 é' })
    expect(status).toBe(200)
    expect(body).toEqual({
      count: 1,
      jobs: [{ id: expect.any(String), source: 'elm', source_parcel_id: '12-0345/7 é' }],
    })
    expect(await rowOf(body.jobs[0].id)).toMatchObject({
      vendor: 'arcgis-rest',
      status: 'queued',
      attempts: 0,
      requested_by: ADMIN_KEY.slice(0, 8),
      overrides: {},
    })
  })

  test('200: an array keeps its order; duplicates become one job and count once', async () => {
    const parcel = (source: string, source_parcel_id: string) => ({ source, source_parcel_id })
    const { body } = await post([parcel('elm', '2'), parcel('ash', '9'), parcel('elm', '1'), parcel('elm', '2')])
    expect(body.count).toBe(3)
    expect(body.jobs.map((job: Record<string, string>) => `${job.source} ${job.source_parcel_id}`)).toEqual([
      'elm 2',
      'ash 9',
      'elm 1',
    ])
  })

  test('200: a repeated request keeps the job and updates updated_at', async () => {
    const [id = ''] = await enqueue('elm', '1')
    await sql`update scrape_jobs set created_at = '2026-01-01Z', updated_at = '2026-01-01Z', overrides = '{"vendorKey": "7"}'`
    expect(await enqueue('elm', '1')).toEqual([id])
    const row = await rowOf(id)
    expect(row?.created_at).toEqual(new Date('2026-01-01Z'))
    expect(Date.now() - row?.updated_at.getTime()).toBeLessThan(60_000)
    expect(row?.overrides).toEqual({ vendorKey: '7' })
  })

  test('200: up to 100 parcels have priority; requesting a parcel that is queued for a refresh raises its priority and dispatches it again', async () => {
    const ids = Array.from({ length: 101 }, (_, index) => `${index}`)
    const many = await enqueue('elm', ...ids)
    const prioritiesOf = async (jobs: string[]) =>
      (
        await sql<{ priority: string; handed: number; n: number }[]>`
          select priority, count(dispatched_at)::int as handed, count(*)::int as n from scrape_jobs
          where id = any(${jobs}::uuid[]) group by priority order by priority`
      ).map((row) => ({ ...row }))
    expect(await prioritiesOf(many)).toEqual([{ priority: 'normal', handed: 0, n: 101 }])
    await sql`update scrape_jobs set dispatched_at = now()`
    expect(await enqueue('elm', ...ids.slice(1))).toEqual(many.slice(1))
    expect(await prioritiesOf(many)).toEqual([
      { priority: 'high', handed: 0, n: 100 },
      { priority: 'normal', handed: 1, n: 1 },
    ])
    // One raise is enough, and a larger request does not lower the priority.
    await sql`update scrape_jobs set dispatched_at = now()`
    await enqueue('elm', ...ids.slice(1))
    await enqueue('elm', ...ids)
    expect(await prioritiesOf(many)).toEqual([
      { priority: 'high', handed: 100, n: 100 },
      { priority: 'normal', handed: 1, n: 1 },
    ])
  })

  test('200: a parcel whose job is running or finished gets a queued job', async () => {
    const [running = ''] = await enqueue('elm', '1')
    await sql`update scrape_jobs set status = 'running'`
    const [queued = ''] = await enqueue('elm', '1')
    expect(queued).not.toBe(running)
    await sql`update scrape_jobs set status = 'done' where id = ${running}`
    await sql`update scrape_jobs set status = 'error' where id = ${queued}`
    expect([running, queued]).not.toContain((await enqueue('elm', '1'))[0])
  })

  test('dispatchers are notified', async () => {
    const heard = await hear(CHANNELS.jobsQueued)
    await enqueue('elm', '1', '2')
    await waitFor(() => heard.length > 0)
    expect(heard).toHaveLength(1)
  })

  test('404: an unknown source is named, and nothing is queued', async () => {
    const answer = await post([
      { source: 'elm', source_parcel_id: '1' },
      { source: 'nowhere', source_parcel_id: '1' },
    ])
    expect(answer).toMatchObject({ status: 404, body: { error: 'unknown source: nowhere' } })
    expect(await sql`select from scrape_jobs`).toHaveLength(0)
  })

  test('400: an id without a letter or digit, which no portal has, and nothing is queued', async () => {
    for (const id of ['!!!', '.', '..', '\u00b7']) {
      const { status, body } = await post([
        { source: 'elm', source_parcel_id: '7' },
        { source: 'elm', source_parcel_id: id },
      ])
      expect({ id, status }).toEqual({ id, status: 400 })
      expect(body.error).toMatch(/source_parcel_id must be .* with at least one letter or digit/)
    }
    expect((await post({ source: 'elm', source_parcel_id: '-\u5730' })).status).toBe(200)
    const [{ count }] = (await sql`select count(*)::int from scrape_jobs`) as unknown as [{ count: number }]
    expect(count).toBe(1)
  })

  test('403: a read-only key; 200: a key with enqueue', async () => {
    const order = { source: 'elm', source_parcel_id: '1' }
    expect(await post(order, await readKey())).toMatchObject({
      status: 403,
      body: { error: 'this key lacks the capability: enqueue' },
    })
    const { key } = await issueKey(sql, { name: 'partner', capabilities: ['read', 'enqueue'] })
    expect((await post(order, key)).status).toBe(200)
  })

  test('the same parcels requested in parallel, in different orders, become one job per parcel', async () => {
    const seeds = fc.sample(fc.integer(), { numRuns: 10, seed: 4 })
    const sets = [0, 1, 2, 3, 4].map((set) =>
      Array.from({ length: 200 }, (_, index) => ({ source: 'elm', source_parcel_id: `${set}-${index}` })),
    )
    const shuffle = <Item>(items: Item[], seed: number): Item[] =>
      fc.sample(fc.shuffledSubarray(items, { minLength: items.length }), { numRuns: 1, seed })[0] ?? []
    const clients = seeds.map(async (seed) => {
      for (const set of shuffle(sets, seed)) {
        const { status, body } = await post(shuffle(set, seed))
        expect(status, JSON.stringify(body).slice(0, 200)).toBe(200)
        expect(body.count).toBe(200)
      }
    })
    await Promise.all(clients)
    const [row] = await sql`
      select count(*)::int as jobs, count(distinct source_parcel_id)::int as parcels from scrape_jobs where status = 'queued'`
    expect(row).toEqual({ jobs: 1_000, parcels: 1_000 })
  })
})

describe('GET jobs', () => {
  test('200: newest first, in pages, with every field', async () => {
    const ids = (await enqueue('elm', '1', '2', '3')).sort().reverse()
    const first = (await call('/v1/scrape-jobs?limit=2')).body
    expect(first).toMatchObject({ count: 2, next: ids[1] })
    expect(first.jobs[0]).toEqual({
      id: ids[0],
      source: 'elm',
      source_parcel_id: '3',
      vendor: 'arcgis-rest',
      status: 'queued',
      priority: 'high',
      error_message: null,
      attempts: 0,
      created_at: MOMENT,
      updated_at: MOMENT,
      started_at: null,
      finished_at: null,
      duration_ms: null,
    })
    const second = (await call(`/v1/scrape-jobs?limit=2&after=${first.next}`)).body
    expect(second).toMatchObject({ count: 1, next: null, jobs: [{ id: ids[2] }] })
  })

  test('200: the pages of any filter return each matching job once, newest first', async () => {
    const states = ['queued', 'running', 'done', 'error']
    await sql`
      insert into scrape_jobs (source, source_parcel_id, vendor, status)
      select case n % 3 when 0 then 'ash' else 'elm' end, n::text, 'arcgis-rest', (${states}::text[])[1 + n % 4]::job_status
      from generate_series(1, 120) n`
    for (const source of [null, 'elm', 'ash', 'none']) {
      for (const status of [null, ...states]) {
        const wanted = await sql<{ id: string }[]>`
          select id from scrape_jobs where source = coalesce(${source}, source) and status::text = coalesce(${status}, status::text)
          order by id desc`
        const filter = `${source === null ? '' : `&source=${source}`}${status === null ? '' : `&status=${status}`}`
        const seen: string[] = []
        for (let after: string | null = ''; after !== null; ) {
          const path: string = `/v1/scrape-jobs?limit=7${filter}${after === '' ? '' : `&after=${after}`}`
          const { body } = await call(path)
          seen.push(...body.jobs.map((job: { id: string }) => job.id))
          after = body.next
        }
        expect(seen, filter).toEqual(wanted.map(({ id }) => id))
      }
    }
  })

  test('200: the last 100 without a limit', async () => {
    await sql`
      insert into scrape_jobs (source, source_parcel_id, vendor) select 'elm', n::text, 'x' from generate_series(1, 101) n`
    expect((await call('/v1/scrape-jobs')).body.count).toBe(100)
  })
})

describe('jobs of one parcel', () => {
  test('200: by parcel, in one source or all; by status; in pages; newest first', async () => {
    await sql`
      insert into scrape_jobs (source, source_parcel_id, vendor, status)
      select source, parcel, 'arcgis-rest', status::job_status
      from unnest(array['elm', 'ash']) source, unnest(array['7', '8']) parcel,
        unnest(array['done', 'queued', 'error', 'done', 'running']) status`
    for (const source of [null, 'elm', 'none']) {
      for (const status of [null, 'queued', 'running', 'done', 'error']) {
        const wanted = await sql<{ id: string }[]>`
          select id from scrape_jobs where source_parcel_id = '7' and source = coalesce(${source}, source)
            and status::text = coalesce(${status}, status::text) order by id desc`
        const filter = `${source === null ? '' : `&source=${source}`}${status === null ? '' : `&status=${status}`}`
        const seen: string[] = []
        for (let after: string | null = ''; after !== null; ) {
          const page: string = `/v1/scrape-jobs?parcel_id=7&limit=3${filter}${after === '' ? '' : `&after=${after}`}`
          const { body } = await call(page)
          seen.push(...body.jobs.map((job: { id: string }) => job.id))
          after = body.next
        }
        expect(seen, filter).toEqual(wanted.map(({ id }) => id))
      }
    }
    expect((await call('/v1/scrape-jobs?parcel_id=nobody')).body).toEqual({ count: 0, jobs: [], next: null })
  })
})

describe('attempts of a job', () => {
  const claim = async (id: string, attempts: number) =>
    expect((await claimJobs(sql, [{ id, attempts }], 60_000)).claimed).toHaveLength(1)
  const attemptsOf = async (id: string, key = ADMIN_KEY) => (await call(`/v1/scrape-jobs/${id}/attempts`, { key })).body
  const failed = { retryAfterMs: null, code: 'throttled', message: 'the portal asked for a pause' }

  test('200: each attempt with its outcome; the successful one is last', async () => {
    const [id = ''] = await enqueue('elm', '1')
    expect((await attemptsOf(id)).attempts).toEqual([])
    await claim(id, 0)
    expect((await attemptsOf(id)).attempts).toEqual([
      { attempt: 1, outcome: null, error_message: null, started_at: MOMENT, ended_at: null, duration_ms: null },
    ])
    await failJob(sql, { id, attempt: 1, ...failed, retryInMs: 0 })
    await claim(id, 1)
    await handBackJobs(sql, [{ id, attempt: 2 }])
    await claim(id, 2)
    await sql`update scrape_jobs set lease_expires_at = now() - interval '1 second' where id = ${id}`
    await requeueExpiredJobs(sql, { at: Date.now(), maxAttempts: 3, limit: 10 })
    await claim(id, 3)
    await sql.begin((tx) => completeJobs(tx, [{ id, attempt: 4 }]))
    const { attempts, requested_by } = await attemptsOf(id)
    expect(requested_by).toBe(ADMIN_KEY.slice(0, 8))
    expect(attempts.map(({ attempt, outcome }: { attempt: number; outcome: string }) => [attempt, outcome])).toEqual([
      [1, 'throttled'],
      [2, 'worker_stopped'],
      [3, 'worker_lost'],
      [4, 'done'],
    ])
    expect(attempts[0]).toEqual({
      attempt: 1,
      outcome: 'throttled',
      error_message: 'the portal asked for a pause',
      started_at: MOMENT,
      ended_at: MOMENT,
      duration_ms: expect.any(Number),
    })
  })

  test('200: the last attempt of a job that failed or was cancelled while running', async () => {
    const [failing = '', cancelled = '', waiting = ''] = await enqueue('elm', '1', '2', '3')
    await claim(failing, 0)
    await failJob(sql, { id: failing, attempt: 1, ...failed, retryInMs: null })
    await claim(cancelled, 0)
    for (const id of [cancelled, waiting]) await call(`/v1/scrape-jobs/${id}`, { method: 'DELETE' })
    expect((await attemptsOf(failing)).attempts).toMatchObject([{ attempt: 1, outcome: 'throttled' }])
    expect((await attemptsOf(cancelled)).attempts).toMatchObject([{ attempt: 1, outcome: 'cancelled' }])
    expect((await attemptsOf(waiting)).attempts).toEqual([])
  })

  test('only admins see who requested a job', async () => {
    const [id = ''] = await enqueue('elm', '1')
    expect(await attemptsOf(id, await readKey())).toEqual({ attempts: [] })
  })

  test('404: an unknown job', async () => {
    for (const id of [UNKNOWN_ID, 'x']) expect((await call(`/v1/scrape-jobs/${id}/attempts`)).status).toBe(404)
  })
})

describe('POST retry', () => {
  const retry = (id: string, key = ADMIN_KEY) => call(`/v1/scrape-jobs/${id}/retry`, { method: 'POST', key })

  test('200: a new job of the parcel with the same overrides; callers of the first job receive its events too', async () => {
    const { key } = await issueKey(sql, { name: 'paid', capabilities: ['enqueue'] })
    const id = (await post({ source: 'elm', source_parcel_id: '1' }, key)).body.jobs[0].id
    await sql`update scrape_jobs set status = 'error', overrides = '{"vendorKey": "7"}' where id = ${id}`
    const { status, body } = await retry(id)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      source: 'elm',
      source_parcel_id: '1',
      status: 'queued',
      priority: 'high',
      attempts: 0,
    })
    expect(body.id).not.toBe(id)
    const [before, now] = [await rowOf(id), await rowOf(body.id)]
    expect(now).toMatchObject({ overrides: { vendorKey: '7' }, requested_by: ADMIN_KEY.slice(0, 8) })
    expect(now?.watchers).toHaveLength(2)
    expect(now?.watchers).toContain(before?.watchers[0])
    expect((await retry(id)).body.id).toBe(body.id)
  })

  test('404: an unknown job; 409: an unfinished job; 403: a key without admin', async () => {
    for (const id of [UNKNOWN_ID, 'x']) expect((await retry(id)).status).toBe(404)
    const [id = ''] = await enqueue('elm', '1')
    expect(await retry(id)).toMatchObject({ status: 409, body: { error: 'this job has not ended yet' } })
    expect((await retry(id, await readKey())).status).toBe(403)
  })
})

describe('one job', () => {
  test('200: its row', async () => {
    const [id] = await enqueue('elm', '1')
    expect((await call(`/v1/scrape-jobs/${id}`)).body).toMatchObject({ id, status: 'queued' })
  })

  test('404: an unknown id, and an id that is not a UUID', async () => {
    for (const id of [UNKNOWN_ID, 'x', '%00', "'", `${UNKNOWN_ID}0`]) {
      expect(await call(`/v1/scrape-jobs/${id}`)).toMatchObject({ status: 404, body: { error: 'not found' } })
      expect(await call(`/v1/scrape-jobs/${id}`, { method: 'DELETE' })).toMatchObject({
        status: 404,
        body: { error: 'not found' },
      })
    }
  })
})

describe('DELETE a job', () => {
  const cancel = (id: string, key = ADMIN_KEY) => call(`/v1/scrape-jobs/${id}`, { method: 'DELETE', key })

  test('200: a queued job ends with an error that names the key', async () => {
    const [id = ''] = await enqueue('elm', '1')
    const { status, body } = await cancel(id)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, status: 'error', error_message: 'cancelled by test-adm', finished_at: MOMENT })
    expect(body).toMatchObject({ started_at: null, duration_ms: null })
  })

  test('200: a running job ends too, and its worker is notified', async () => {
    const heard = await hear(CHANNELS.jobCancelled)
    const [id = ''] = await enqueue('elm', '1')
    await sql`
      update scrape_jobs set status = 'running', attempts = 1, started_at = now() - interval '2 s',
        lease_expires_at = now() + interval '1 minute'`
    expect((await cancel(id)).body).toMatchObject({ status: 'error', attempts: 1, duration_ms: expect.any(Number) })
    expect(await rowOf(id)).toMatchObject({ lease_expires_at: null, error_code: 'cancelled' })
    await waitFor(() => heard.length > 0)
    expect(heard).toEqual([id])
  })

  test('404: a finished job does not change', async () => {
    for (const status of ['done', 'error']) {
      const [id = ''] = await enqueue('elm', '1')
      await sql`update scrape_jobs set status = ${status}, error_message = 'as it was' where id = ${id}`
      const before = await rowOf(id)
      expect(await cancel(id)).toMatchObject({ status: 404, body: { error: 'not found' } })
      expect(await rowOf(id)).toEqual(before)
    }
  })

  test('403: a key without admin', async () => {
    const [id = ''] = await enqueue('elm', '1')
    const { key } = await issueKey(sql, { name: 'partner', capabilities: ['enqueue'] })
    expect((await cancel(id, key)).status).toBe(403)
    expect(await rowOf(id)).toMatchObject({ status: 'queued' })
  })

  test('a cancelled job does not block the next one', async () => {
    const [id = ''] = await enqueue('elm', '1')
    await cancel(id)
    expect((await enqueue('elm', '1'))[0]).not.toBe(id)
  })
})

describe('enqueue-ag-county', () => {
  const enqueueAg = (body: unknown) => call('/v1/scrape-jobs/enqueue-ag-county', { method: 'POST', body })
  const queued = async () =>
    (await sql<{ id: string }[]>`select source_parcel_id as id from scrape_jobs where status = 'queued'`)
      .map(({ id }) => id)
      .sort()

  /** `scraped`: how long ago, as an interval. Null: never. */
  const farm = async (id: string, scraped: string | null, isAgricultural = true, source = 'elm') => {
    await upsertParcels(sql, source, [{ sourceParcelId: id, isAgricultural }])
    await sql`update parcels set scraped_at = now() - ${scraped}::interval where source = ${source} and source_parcel_id = ${id}`
  }

  beforeEach(async () => {
    await sql`delete from parcels`
    await farm('a', '1 day')
    await farm('b', '2 years')
    await farm('c', null)
    await farm('d', '11 months')
    await farm('e', '13 months')
    await farm('town', null, false)
    await farm('other', null, true, 'ash')
  })

  test('200: agricultural parcels whose last scrape is older than the cadence are queued', async () => {
    expect((await enqueueAg({ source: 'elm' })).body).toEqual({
      source: 'elm',
      considered: 5,
      enqueued: 3,
      skipped_fresh: 2,
      already_queued: 0,
    })
    expect(await queued()).toEqual(['b', 'c', 'e'])
    expect([...(await sql`select distinct priority from scrape_jobs`)]).toEqual([{ priority: 'normal' }])
  })

  test('200: the cadence decides which parcels are fresh', async () => {
    await sql`update source_refresh_policies set cadence = 'daily' where source = 'elm'`
    expect((await enqueueAg({ source: 'elm' })).body).toMatchObject({ enqueued: 5, skipped_fresh: 0 })
    await sql`update source_refresh_policies set cadence = 'annual' where source = 'elm'`
  })

  test('200: every agricultural parcel, up to the limit, when skip_existing is false', async () => {
    expect((await enqueueAg({ source: 'elm', skip_existing: false, limit: 2 })).body).toEqual({
      source: 'elm',
      considered: 2,
      enqueued: 2,
      skipped_fresh: 0,
      already_queued: 0,
    })
    expect(await queued()).toEqual(['a', 'b'])
    expect((await enqueueAg({ source: 'elm', skip_existing: false })).body).toMatchObject({
      considered: 5,
      enqueued: 3,
      already_queued: 2,
    })
  })

  test('200: a repeated request adds nothing; fresh parcels do not count toward the limit', async () => {
    const first = (await enqueueAg({ source: 'elm', limit: 2 })).body
    expect(first).toMatchObject({ considered: 3, enqueued: 2, skipped_fresh: 1 })
    expect((await enqueueAg({ source: 'elm', limit: 2 })).body).toMatchObject({ enqueued: 0, already_queued: 2 })
    expect(await queued()).toEqual(['b', 'c'])
  })

  test('200: a county without farms', async () => {
    await sql`delete from parcels where source = 'ash'`
    expect((await enqueueAg({ source: 'ash' })).body).toMatchObject({ considered: 0, enqueued: 0 })
  })

  test('404: an unknown source', async () => {
    expect(await enqueueAg({ source: 'none' })).toMatchObject({ status: 404, body: { error: 'unknown source: none' } })
  })
})
