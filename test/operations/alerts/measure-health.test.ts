import { beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { ALERT_RULE_NAMES } from '../../../core/alerts/alert-rules'
import { connectDatabase } from '../../../core/postgres/database'
import { MEASURES } from '../../../drizzle/queries/alerts/measure-health'
import { SYNC_DUTY } from '../../../drizzle/queries/search/search-outbox'
import {
  beginTileBuild,
  endUnchangedTileBuild,
  failTileBuild,
  publishTileBuild,
} from '../../../drizzle/queries/tiles/tile-builds'
import { measureDisks } from '../../../src/operations/alerts/measure-disks'
import { countRowsProcessed } from '../../drizzle/rows-read'
import { insertSource, insertVendor } from '../../jobs/job-rows'
import { createTestDatabase } from '../../support/servers'

const { sql, url } = await createTestDatabase()
await insertVendor(sql, 'towers', 4)

const LONG_AGO = '400 days'
let count = 0
/** An active source, which was last changed long ago. */
const addSource = async ({ active = true, vendor = 'towers' } = {}) => {
  const source = `elm-${++count}`
  await insertSource(sql, source, vendor)
  await sql`update sources set active = ${active}, updated_at = now() - ${LONG_AGO}::interval where source = ${source}`
  await sql`
    update source_refresh_policies set cadence = 'weekly', updated_at = now() - ${LONG_AGO}::interval where source = ${source}`
  return source
}
/** Ended jobs, oldest first: `done` or a code. */
const addRuns = (source: string, runs: readonly string[]) => sql`
  insert into scrape_jobs (source, source_parcel_id, vendor, status, error_code, attempts, finished_at)
  select ${source}, 'p' || n, 'towers', (case run when 'done' then 'done' else 'error' end)::job_status, nullif(run, 'done'), 1,
    now() - (1000 - n) * interval '1 second'
  from unnest(${[...runs]}::text[]) with ordinality as r (run, n)`
const times = (run: string, n: number): string[] => Array.from({ length: n }, () => run)
type Rule = keyof typeof MEASURES
const measure = async (rule: Rule, from: number) =>
  Object.fromEntries((await MEASURES[rule](sql, from)).map(({ subject, value }) => [subject, Math.round(value)]))

beforeEach(async () => {
  await sql`truncate scrape_jobs, source_problems, loads, tile_builds, search_outbox, search_instance_outbox, work, watches, source_tallies cascade`
  await sql`update sources set active = false`
  await sql`delete from scrape_attempts`
  await sql`update vendor_concurrency set (paused_at, pause_reason, paused_by, paused_until) = (null, null, null, null)`
})

test('every rule is measured, and a healthy system raises none', async () => {
  expect(Object.keys(MEASURES).sort()).toEqual(ALERT_RULE_NAMES.filter((name) => name !== 'disk_full').sort())
  for (const [rule, find] of Object.entries(MEASURES)) expect([rule, await find(sql, 1)]).toEqual([rule, []])
})

test('source_failing: the share of the last 50 scrapes; cancelled ones and unknown parcels do not count as failures', async () => {
  const [half, few, cancelled, off, mended] = [
    await addSource(),
    await addSource(),
    await addSource(),
    await addSource({ active: false }),
    await addSource(),
  ]
  await addRuns(half, [...times('timeout', 25), ...times('done', 25)])
  await addRuns(few, times('timeout', 9))
  await addRuns(cancelled, [...times('cancelled', 20), ...times('not_found', 10), ...times('done', 10)])
  await addRuns(off, times('timeout', 50))
  await addRuns(mended, [...times('timeout', 200), ...times('done', 45)])
  expect(await measure('source_failing', 20)).toEqual({ [half]: 50 })
  expect(await measure('source_failing', 5)).toEqual({ [half]: 50, [mended]: 10 })
  expect((await MEASURES.source_failing(sql, 20))[0]?.about).toBe('Elm, OR')
})

test('source_failing: unknown parcels count as failures if the portal shows nearly none', async () => {
  const [moved, trickling, believed] = [await addSource(), await addSource(), await addSource()]
  await addRuns(moved, times('not_found', 10))
  await addRuns(trickling, [...times('not_found', 24), 'done', ...times('not_found', 24), 'done'])
  await addRuns(believed, [...times('not_found', 45), ...times('done', 5)])
  expect(await measure('source_failing', 50)).toEqual({ [moved]: 100, [trickling]: 96 })
})

test('source_unreachable and site_changed: the problem that the last scrapes show', async () => {
  const [away, changed, off] = [await addSource(), await addSource(), await addSource({ active: false })]
  await sql`
    insert into source_problems (source, problem, failure_class, failures, since) values
      (${away}, 'fetch_failed', 'network', 5, now() - interval '2 hours'),
      (${changed}, 'site_changed', 'page_changed', 5, now() - interval '2 hours'),
      (${off}, 'fetch_failed', 'network', 5, now() - interval '2 hours')`
  expect(await measure('source_unreachable', 60)).toEqual({ [away]: 120 })
  expect(await measure('source_unreachable', 180)).toEqual({})
  expect(await measure('site_changed', 1)).toEqual({ [changed]: 1 })
})

test('source_overdue: hours since a scrape was due', async () => {
  const [old, fresh, never] = [await addSource(), await addSource(), await addSource()]
  await sql`
    insert into source_tallies (source, pid, last_success_at) values
      (${old}, 0, now() - interval '10 days'), (${fresh}, 0, now() - interval '6 days')`
  expect(await measure('source_overdue', 48)).toEqual({ [old]: 72, [never]: (400 - 7) * 24 })
  await sql`update sources set base_url = '' where source = ${never}`
  expect(await measure('source_overdue', 48)).toEqual({ [old]: 72 })
})

test('source_overdue: outside the window of tax statements nothing is due, and in October what was scraped in January is due since the 1st', async () => {
  await sql.unsafe(`
    create schema clock;
    create table clock.present (at timestamptz);
    create function clock.now() returns timestamptz language sql as 'select at from clock.present'`)
  const clocked = connectDatabase(`${url}?search_path=clock,public,pg_catalog`, { max: 1 })
  const overdueOn = async (now: string, last: string) => {
    await sql`truncate clock.present, source_tallies`
    await sql`insert into clock.present values (${now})`
    await sql`insert into source_tallies (source, pid, last_success_at) values (${source}, 0, ${last})`
    return (await MEASURES.source_overdue(clocked, 48)).map(({ value }) => Math.round(value / 24))
  }
  const source = await addSource()
  await sql`update source_refresh_policies set cadence = 'tax-statement-window' where source = ${source}`
  try {
    expect(await overdueOn('2026-10-01T00:01:00Z', '2026-01-15T00:00:00Z')).toEqual([])
    expect(await overdueOn('2026-10-04T00:00:00Z', '2026-01-15T00:00:00Z')).toEqual([3])
    expect(await overdueOn('2026-12-20T00:00:00Z', '2026-11-15T00:00:00Z')).toEqual([5])
    expect(await overdueOn('2027-01-31T23:00:00Z', '2026-12-15T00:00:00Z')).toEqual([17])
    expect(await overdueOn('2027-09-30T23:00:00Z', '2026-12-15T00:00:00Z')).toEqual([])
    expect(await overdueOn('2027-02-02T00:00:00Z', '2026-01-15T00:00:00Z')).toEqual([124])
  } finally {
    await clocked.end()
  }
})

test('queue_stuck and queue_old: jobs that wait, unless their vendor is paused', async () => {
  const source = await addSource()
  await sql`
    insert into scrape_jobs (source, source_parcel_id, vendor, not_before, created_at)
    values (${source}, 'p1', 'towers', now() - interval '3 hours', now() - interval '5 hours')`
  expect(await measure('queue_stuck', 15)).toEqual({ towers: 180 })
  expect(await measure('queue_old', 4)).toEqual({ towers: 5 })
  expect(await measure('queue_old', 6)).toEqual({})
  await sql`
    insert into scrape_attempts (job_id, attempt, vendor, outcome, duration_ms, ended_at)
    values (uuidv7(), 1, 'towers', 'ok', 10, now() - interval '20 minutes')`
  expect(await measure('queue_stuck', 15)).toEqual({ towers: 20 })
  expect(await measure('queue_stuck', 30)).toEqual({})
  await sql`update vendor_concurrency set paused_at = now(), pause_reason = 'moves', paused_by = 'x'`
  expect([await measure('queue_stuck', 15), await measure('queue_old', 4)]).toEqual([{}, {}])
})

test('queue_old: one row is read for each source, even if one source has all queued jobs', async () => {
  const full = await addSource()
  for (let n = 0; n < 20; n++) await addSource()
  await sql`
    insert into scrape_jobs (source, source_parcel_id, vendor, created_at)
    select ${full}, n::text, 'towers', now() - interval '5 hours' from generate_series(1, 40000) n`
  await sql`analyze scrape_jobs`
  expect(await measure('queue_old', 4)).toEqual({ towers: 5 })
  expect(await countRowsProcessed(sql, MEASURES.queue_old(sql, 4))).toBeLessThan(1_000)
})

test('source_overdue: work is read once, also if the planner joins row by row', async () => {
  for (let n = 0; n < 30; n++) await addSource()
  const worked = await addSource()
  await sql`
    insert into work (kind, subject, source, vendor, status, finished_at, done)
    select 'crawl', ${worked}, ${worked}, 'towers', 'done', now(), 1 from generate_series(1, 10000)`
  await sql`analyze work`
  // As the planner chose with 80,000 crawls, after many sources were activated that the statistics did not count yet.
  const session = await sql.reserve()
  await session.unsafe('set enable_hashjoin = off; set enable_mergejoin = off')
  await session.unsafe('set min_parallel_table_scan_size = 0; set parallel_setup_cost = 0; set parallel_tuple_cost = 0')
  expect(await countRowsProcessed(session, MEASURES.source_overdue(session, 1))).toBeLessThan(3 * 10_000)
  await session.unsafe('reset all')
  session.release()
})

test('search_lag: the age of the oldest change that is not in the index, if there is an index', async () => {
  await sql`
    insert into search_outbox (kind, id, seq, changed_at)
    values ('parcel', uuidv7(), nextval('search_outbox_seq'), now() - interval '10 minutes')`
  expect(await measure('search_lag', 4)).toEqual({})
  await sql`insert into leaders (duty, owner, term, expires_at) values (${SYNC_DUTY}, 'x', 1, now())`
  expect(await measure('search_lag', 4)).toEqual({ '': 10 })
  expect(await measure('search_lag', 11)).toEqual({})
  await sql`
    insert into search_instance_outbox (instance, kind, id, seq, changed_at)
    values ('a:7700', 'parcel', uuidv7(), 1, now() - interval '20 minutes')`
  expect(await measure('search_lag', 11)).toEqual({ 'a:7700': 20 })
})

test('tiles_failed: the last build of a layer failed; while the next one runs, an alert stays as it is', async () => {
  const build = (status: string) =>
    sql`insert into tile_builds (layer, status) values ('parcels', ${status}::tile_build_status)`
  await build('failed')
  await build('published')
  expect(await measure('tiles_failed', 1)).toEqual({})
  await build('failed')
  expect(await MEASURES.tiles_failed(sql, 1)).toEqual([{ subject: 'parcels', about: 'parcels', value: 1 }])
  await build('building')
  expect(await MEASURES.tiles_failed(sql, 1)).toEqual([{ subject: 'parcels', about: 'parcels', value: 0.9 }])
})

test('tiles_failed: an alert ends with a build that finds the published archive up to date, although its row is deleted', async () => {
  const begin = () => sql.begin((tx) => beginTileBuild(tx, 'parcels'))
  const fail = async () => {
    const build = await begin()
    await sql.begin((tx) => failTileBuild(tx, build, { code: 'disk_full', message: 'the disk is full' }))
  }
  const archive = { hash: 'a'.repeat(16), sizeBytes: 1, drawnChanges: 0, datasetVersion: 0 }
  const first = await begin()
  await sql.begin((tx) => publishTileBuild(tx, first, archive))
  await fail()
  expect(await measure('tiles_failed', 1)).toEqual({ parcels: 1 })
  const unchanged = await begin()
  await sql.begin((tx) => endUnchangedTileBuild(tx, unchanged, archive))
  expect(await sql`select status from tile_builds order by id`).toMatchObject([
    { status: 'published' },
    { status: 'failed' },
  ])
  expect(await measure('tiles_failed', 1)).toEqual({})
  await fail()
  expect(await measure('tiles_failed', 1)).toEqual({ parcels: 1 })
})

test('load_held: a load that waits for a decision', async () => {
  const source = await addSource({ active: false })
  await sql`insert into loads (id, source, kind, status) values (uuidv7(), ${source}, 'ingest', 'held')`
  expect(await measure('load_held', 1)).toEqual({ [source]: 1 })
})

test('webhook_failing and webhook_gone: by receiver, without watches that send nothing', async () => {
  const source = await addSource()
  const keyHash = 'f'.repeat(64)
  await sql`insert into api_keys (name, hashed_key, revoked_at) values ('revoked', ${keyHash}, now())`
  const text = (value: string | null) => value
  const add = (host: string, { failing = text(null), gone = text(null), active = true, key = text(null) }) => sql`
    insert into watches (owner, created_by, kind, source, webhook_url, webhook_secret, receiver, after_version, failing_since, gone_at, active, key_hash)
    values (uuidv7(), 'x', 'source', ${source}, ${host}, 'whsec_', ${host}, 0, now() - ${failing}::interval, now() - ${gone}::interval, ${active}, ${key})`
  await add('https://a.example', { failing: '8 hours' })
  await add('https://a.example', { failing: '2 hours' })
  await add('https://b.example', { failing: '1 hour' })
  await add('https://c.example', { failing: '9 hours', active: false })
  await add('https://d.example', { failing: '1 hour', gone: '1 minute', active: false })
  await add('https://e.example', { failing: '9 hours', key: keyHash })
  expect(await measure('webhook_failing', 6)).toEqual({ 'https://a.example': 8 })
  expect(await measure('webhook_gone', 1)).toEqual({ 'https://d.example': 1 })
})

test('disk_full: the used share of each disk that has a folder, also if it is mounted below another folder', async () => {
  const path = mkdtempSync(`${tmpdir()}/disk-`)
  mkdirSync(`${path}/pages`)
  const measured = await measureDisks([
    { name: 'DATA_DIR', path },
    { name: 'PAGES_URL', path: `${path}/pages` },
    { name: 'EXPORTS_URL', path: `${path}/none` },
  ])
  symlinkSync('/proc', `${path}/tiles`)
  const mounted = await measureDisks([
    { name: 'DATA_DIR', path },
    { name: 'TILES_URL', path: `${path}/tiles` },
  ])
  expect(mounted.map(({ subject }) => subject)).toEqual(['DATA_DIR', 'TILES_URL'])
  rmSync(path, { recursive: true })
  expect(measured).toEqual([{ subject: 'DATA_DIR', about: `DATA_DIR (${path})`, value: expect.any(Number) }])
  expect(measured[0]?.value).toBeGreaterThan(0)
  expect(measured[0]?.value).toBeLessThanOrEqual(100)
})
