import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { listFailedCrawls } from '../../../../drizzle/queries/crawls/list-failed-crawls'
import { listSourceHealth } from '../../../../drizzle/queries/sources/source-health'
import { advanceErrorTallies } from '../../../../drizzle/queries/tuner/advance-error-tallies'
import { foldTallies } from '../../../../drizzle/queries/tuner/fold-tallies'
import { countRowsProcessed } from '../../../drizzle/rows-read'
import { createTestDatabase } from '../../../support/servers'
import { insertCrawl } from '../../../work/crawls/crawl-rows'
import { createTestApp, insertCounty } from '../../test-app'

const { sql, call, readKey } = await createTestApp()
const SOURCES = ['ash', 'elm', 'oak']
for (const source of SOURCES) await insertCounty(sql, source)

test('200: every source, by slug, for any key; in pages when a limit is given', async () => {
  const { body } = await call('/v1/admin/sources/health', { key: await readKey() })
  expect(body.count).toBe(3)
  expect(body).not.toHaveProperty('next')
  expect(body.sources[0]).toEqual({
    source: 'ash',
    state: 'OR',
    county_name: 'Elm',
    vendor: 'arcgis-rest',
    active: false,
    parcel_count: 0,
    queued: 0,
    running: 0,
    errors_24h: 0,
    recent_runs: 0,
    recent_failed: 0,
    last_success_at: null,
    last_error_at: null,
    cadence: 'annual',
    next_due_at: '2027-01-01T00:00:00.000Z',
    problem: null,
    failure_class: null,
    since: null,
  })
  expect((await call('/admin/sources/health?limit=2')).body).toMatchObject({ count: 2, next: 'elm' })
  expect((await call('/admin/sources/health?limit=2&after=elm')).body).toMatchObject({ count: 1, next: null })
})

test('counts are exact after any sequence of writes from parallel connections, including rollbacks', async () => {
  const source = fc.constantFrom(...SOURCES)
  const status = fc.constantFrom('queued', 'running', 'done', 'error')
  const step = fc.oneof(
    fc.record({ kind: fc.constant('parcels' as const), source, n: fc.integer({ min: 1, max: 20 }) }),
    fc.record({ kind: fc.constant('jobs' as const), source, status, n: fc.integer({ min: 1, max: 20 }) }),
    fc.record({ kind: fc.constant('move' as const), source, status, n: fc.integer({ min: 1, max: 10 }) }),
    fc.record({ kind: fc.constant('touch' as const), source }),
    fc.record({ kind: fc.constant('delete' as const), source, n: fc.integer({ min: 1, max: 10 }) }),
    fc.record({ kind: fc.constant('retire' as const), source, n: fc.integer({ min: 1, max: 10 }) }),
    fc.record({ kind: fc.constant('fold' as const), source }),
    fc.record({ kind: fc.constant('roll back' as const), source }),
    fc.record({ kind: fc.constant('lag' as const), hours: fc.integer({ min: 24, max: 48 }) }),
    fc.record({ kind: fc.constant('rename' as const), source }),
    fc.record({ kind: fc.constant('truncate' as const), source }),
  )
  // Nothing ends near 24 hours ago, because time passes between the two counts.
  const finished = (state: string) =>
    state === 'done' || state === 'error'
      ? sql`now() - random() * interval '23 hours' - round(random()) * interval '25 hours'`
      : sql`null`
  const insertJobs = (db: typeof sql, of: string, state: string, n: number) =>
    db`insert into scrape_jobs (source, source_parcel_id, vendor, status, finished_at)
      select ${of}, uuidv7()::text, 'arcgis-rest', ${state}::job_status, ${finished(state)} from generate_series(1, ${n})`
  const play = async (step_: typeof step extends fc.Arbitrary<infer Step> ? Step : never): Promise<void> => {
    switch (step_.kind) {
      case 'parcels':
        await sql`insert into parcels (source, source_parcel_id) select ${step_.source}, uuidv7()::text from generate_series(1, ${step_.n})`
        return
      case 'jobs':
        await insertJobs(sql, step_.source, step_.status, step_.n)
        return
      case 'move':
        await sql`with chosen as (select id from scrape_jobs where source = ${step_.source} order by id limit ${step_.n} for update skip locked)
          update scrape_jobs j set status = ${step_.status}::job_status, finished_at = ${finished(step_.status)} from chosen where j.id = chosen.id`
        return
      case 'touch':
        await sql`update scrape_jobs set lease_expires_at = now() where source = ${step_.source}`
        return
      case 'delete':
        await sql`delete from parcels where id in (select id from parcels where source = ${step_.source} order by random() limit ${step_.n} for update skip locked)`
        await sql`delete from scrape_jobs where id in (select id from scrape_jobs where source = ${step_.source} order by random() limit ${step_.n} for update skip locked)`
        return
      case 'retire':
        // Retires listed parcels, and lists retired ones again.
        await sql`update parcels set retired_at = case when retired_at is null then now() end
          where id in (select id from parcels where source = ${step_.source} order by random() limit ${step_.n} for update skip locked)`
        return
      case 'fold':
        await sql.begin(async (tx) => {
          await tx`select pg_advisory_xact_lock(7)`
          await advanceErrorTallies(tx)
          await foldTallies(tx)
        })
        return
      case 'lag':
        // As if the counters had not been read for hours.
        await sql`
          with moved as (
            update source_errors_since set since = least(since, now() - ${step_.hours} * interval '1 hour')
            returning old.since as before, new.since
          )
          insert into source_tallies as t (source, pid, errors) select source, 0, count(*) from scrape_jobs
          where status = 'error' and finished_at > (select since from moved) and finished_at <= (select before from moved)
          group by source on conflict (source, pid) do update set errors = t.errors + excluded.errors`
        return
      case 'rename':
        await sql`update sources set source = source || '-new' where source = ${step_.source}`
        await sql`update sources set source = ${step_.source} where source = ${`${step_.source}-new`}`
        return
      case 'truncate':
        await sql`truncate scrape_jobs`
        return
      case 'roll back':
        await sql
          .begin(async (tx) => {
            await tx`insert into parcels (source, source_parcel_id) values (${step_.source}, uuidv7()::text)`
            await tx`update scrape_jobs set status = 'done', finished_at = now() + interval '1 hour' where id = (select id from scrape_jobs where source = ${step_.source} limit 1 for update skip locked)`
            throw new Error('changed our mind')
          })
          .catch((error) => expect(error.message).toBe('changed our mind'))
    }
  }
  const exclusive = (kind: string) => kind === 'rename' || kind === 'lag' || kind === 'truncate' || kind === 'touch'
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { maxLength: 5 }), async (rounds) => {
      for (const round of rounds) {
        await Promise.all(round.filter(({ kind }) => !exclusive(kind)).map(play))
        for (const one of round.filter(({ kind }) => exclusive(kind))) await play(one)
      }
      const counted = await sql`
        select source, (select count(*)::int from live_parcels p where p.source = s.source) as parcel_count,
          (select count(*)::int from scrape_jobs j where j.source = s.source and status = 'queued') as queued,
          (select count(*)::int from scrape_jobs j where j.source = s.source and status = 'running') as running,
          (select count(*)::int from scrape_jobs j where j.source = s.source and status = 'error'
            and finished_at > now() - interval '24 hours') as errors_24h
        from sources s order by source`
      const { body } = await call('/v1/admin/sources/health')
      expect(body.sources).toMatchObject([...counted])
    }),
    { numRuns: 60, seed: 5 },
  )
})

test('the last success and the last error remain after their jobs are deleted', async () => {
  await sql`truncate scrape_jobs`
  await insertCounty(sql, 'yew')
  await sql`insert into scrape_jobs (source, source_parcel_id, vendor) select 'yew', n::text, 'arcgis-rest' from generate_series(1, 3) n`
  await sql`update scrape_jobs set status = 'done', finished_at = '2026-01-01T00:00:00Z' where source_parcel_id = '1' and source = 'yew'`
  await sql`update scrape_jobs set status = 'done', finished_at = '2026-01-02T00:00:00Z' where source_parcel_id = '2' and source = 'yew'`
  await sql`update scrape_jobs set status = 'error', finished_at = '2026-01-03T00:00:00Z' where source_parcel_id = '3' and source = 'yew'`
  await sql`delete from scrape_jobs`
  const { body } = await call('/v1/admin/sources/health?after=oak&limit=1')
  expect(body.sources[0]).toMatchObject({
    source: 'yew',
    queued: 0,
    errors_24h: 0,
    last_success_at: '2026-01-02T00:00:00.000Z',
    last_error_at: '2026-01-03T00:00:00.000Z',
  })
})

test('a crawl counts as a job while it is queued, running and finished', async () => {
  await insertCounty(sql, 'zelkova')
  const health = async () => (await call('/v1/admin/sources/health?after=yew')).body.sources[0]
  await insertCrawl(sql, 'zelkova', { status: 'done', finishedAt: '2026-01-02T03:04:05.678Z', inserted: 3 })
  await insertCrawl(sql, 'zelkova', { status: 'error', finishedAt: '2026-01-03T03:04:05.678Z' })
  await insertCrawl(sql, 'zelkova', { status: 'queued' })
  expect(await health()).toMatchObject({
    ...{ source: 'zelkova', queued: 1, running: 0, errors_24h: 0 },
    ...{ last_success_at: '2026-01-02T03:04:05.678Z', last_error_at: '2026-01-03T03:04:05.678Z' },
  })
  await sql`update work set status = 'running', lease_expires_at = now() + interval '1 minute' where status = 'queued'`
  await sql`update work set finished_at = now() where status = 'error'`
  expect(await health()).toMatchObject({ queued: 0, running: 1, errors_24h: 1 })
})

test('the crawls of one source are not read for the others', async () => {
  const { sql } = await createTestDatabase()
  await insertCounty(sql, 'full')
  for (let n = 0; n < 40; n++) await insertCounty(sql, `empty-${n}`)
  await sql`
    insert into work (id, kind, subject, source, vendor, status, finished_at, done)
    select uuidv7(interval '-1 min' * n), 'crawl', 'full', 'full', 'arcgis-rest', 'done', now(), 1 from generate_series(1, 20000) n`
  await sql`analyze work`
  const health = listSourceHealth(sql, { after: null, limit: null })
  // They are read once, for all figures but the last runs.
  expect(await countRowsProcessed(sql, health)).toBeLessThan(3 * 20_000)
  expect(await countRowsProcessed(sql, listFailedCrawls(sql, { vendor: 'arcgis-rest' }, 'not_found'))).toBeLessThan(
    1_000,
  )
})
