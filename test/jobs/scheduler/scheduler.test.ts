import { afterAll, expect, test } from 'bun:test'
import { pino } from 'pino'
import type { Sql, Transaction } from '../../../core/postgres/database'
import type { Lead } from '../../../core/postgres/leader/lead'
import { deleteFinishedJobs } from '../../../drizzle/queries/jobs/delete-finished-jobs'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { enqueueRunSet } from '../../../drizzle/queries/refreshes/enqueue-runs'
import { deleteOldTuningEntries } from '../../../drizzle/queries/tuner/tuning-log'
import { deleteFinishedWork } from '../../../drizzle/queries/work/delete-finished-work'
import { createScheduler, type Scheduler } from '../../../src/jobs/scheduler'
import { deleteOldRows } from '../../../src/jobs/scheduler/delete-old-rows'
import { createTestDatabase, waitFor } from '../../support/servers'
import { insertCrawl } from '../../work/crawls/crawl-rows'
import { insertSource, insertVendor } from '../job-rows'

const running: Scheduler[] = []
// Registered first so that it runs first: a scheduler in a transaction would wait for a database that no longer exists.
afterAll(() => Promise.all(running.map((scheduler) => scheduler.stop())))
const { url, sql } = await createTestDatabase()
let refreshTurns = 0
/** Waits for a complete refresh turn. The current turn does not count: it may have read the database already. */
const waitForTurn = async () => {
  const seen = refreshTurns
  await waitFor(() => refreshTurns >= seen + 2)
}
const start = ({ minuteMs = 60_000, log = pino({ level: 'silent' }) } = {}) => {
  const onTurn = (task: string) => {
    if (task === 'refresh') refreshTurns++
  }
  const scheduler = createScheduler({
    databaseUrl: url,
    sql,
    log,
    crawledVendors: ['layers'],
    pollMs: 50,
    minuteMs,
    onTurn,
  })
  scheduler.start()
  running.push(scheduler)
  return scheduler
}

const addSource = async (
  source: string,
  { active = true, agriculturalOnly = false, parcels = 3, due = '2026-01-01T00:00:00Z' } = {},
) => {
  await insertSource(sql, source, 'test')
  await upsertParcels(
    sql,
    source,
    Array.from({ length: parcels }, (_, index) => ({ sourceParcelId: `p${index}`, isAgricultural: index % 2 === 0 })),
  )
  await sql`update sources set active = ${active} where source = ${source}`
  await sql`
    update source_refresh_policies set next_due_at = ${due}, agricultural_only = ${agriculturalOnly}, cadence = 'daily'
    where source = ${source}`
}
const queuedOf = async (source: string) =>
  (
    await sql<
      { id: string }[]
    >`select source_parcel_id as id from scrape_jobs where source = ${source} and status = 'queued' order by 1`
  ).map(({ id }) => id)
const policyOf = async (source: string) =>
  (
    await sql`
      select next_due_at, run_started_at, run_cursor, run_ends_at, last_full_scrape_at
      from source_refresh_policies join sources using (source) where source = ${source}`
  )[0]
const endJobs = (source: string) =>
  sql`update scrape_jobs set status = 'done', finished_at = now() where source = ${source} and status = 'queued'`

test('a due source is queued completely, is due again one cadence later, and counts as fully scraped when its last job ends', async () => {
  await addSource('due')
  await addSource('farms', { agriculturalOnly: true })
  await addSource('off', { active: false })
  await addSource('early', { due: '2099-01-01T00:00:00Z' })
  start()
  await waitFor(async () => (await queuedOf('due')).length === 3 && (await queuedOf('farms')).length === 2)
  expect(await queuedOf('farms')).toEqual(['p0', 'p2'])
  const policy = await policyOf('due')
  expect(policy?.next_due_at.getTime()).toBeGreaterThan(Date.now())
  expect(policy?.next_due_at.getTime()).toBeLessThanOrEqual(Date.now() + 86_400_000)
  expect(policy?.last_full_scrape_at).toBeNull()

  await sql`
    update scrape_jobs set status = 'error', finished_at = now() where source = 'due' and source_parcel_id <> 'p2'`
  await waitForTurn()
  expect((await policyOf('due'))?.last_full_scrape_at).toBeNull()
  // A job that is queued later is not part of the run.
  await sql`insert into scrape_jobs (source, source_parcel_id, vendor) values ('due', 'p0', 'test')`
  await sql`update scrape_jobs set status = 'done', finished_at = now() where source = 'due' and source_parcel_id = 'p2'`
  await waitFor(async () => (await policyOf('due'))?.last_full_scrape_at !== null)
  expect(await policyOf('due')).toMatchObject({ run_started_at: null, run_cursor: null, run_ends_at: null })
  expect(await queuedOf('off')).toEqual([])
  expect(await queuedOf('early')).toEqual([])
})

test('a due source whose vendor serves whole layers is crawled, one crawl at a time; if it is agricultural only, its parcels are queued', async () => {
  await addSource('layer', { parcels: 0, due: '2099-01-01T00:00:00Z' })
  await addSource('farm-layer', { agriculturalOnly: true, due: '2099-01-01T00:00:00Z' })
  await sql`update sources set vendor = 'layers' where source in ('layer', 'farm-layer')`
  const fallDue = () =>
    sql`update source_refresh_policies set next_due_at = '2026-01-01' where source in ('layer', 'farm-layer')`
  const crawls = () => sql`select source, status, cursor, requested_by from work where kind = 'crawl'`
  await fallDue()
  await waitFor(async () => (await crawls()).length === 1 && (await queuedOf('farm-layer')).length === 2)
  expect([...(await crawls())]).toEqual([{ source: 'layer', status: 'queued', cursor: null, requested_by: null }])
  expect((await policyOf('layer'))?.next_due_at.getTime()).toBeGreaterThan(Date.now())
  expect(await policyOf('layer')).toMatchObject({ run_started_at: null, last_full_scrape_at: null })

  await fallDue()
  await waitForTurn()
  expect((await policyOf('layer'))?.next_due_at).toEqual(new Date('2026-01-01'))
  expect(await crawls()).toHaveLength(1)
  await sql`update work set status = 'done', finished_at = now() - interval '31 days'`
  // The next crawl starts. The last good one stays until another is done.
  await waitFor(async () => (await crawls()).some(({ status }) => status === 'queued'))
  expect(await crawls()).toHaveLength(2)
  await sql`update work set status = 'done', finished_at = now() where status = 'queued'`
  await waitFor(async () => (await crawls()).length === 1)
  await endJobs('farm-layer')
})

test('a run does not end while one of its jobs runs, and a run without parcels does not count as a full scrape', async () => {
  await addSource('bare', { parcels: 0 })
  await addSource('longest')
  await waitFor(async () => (await queuedOf('longest')).length === 3)
  await sql`update scrape_jobs set status = 'running' where source = 'longest' and source_parcel_id = 'p2'`
  await endJobs('longest')
  await waitForTurn()
  expect((await policyOf('longest'))?.run_started_at).not.toBeNull()
  await sql`update scrape_jobs set status = 'done', finished_at = now() where source = 'longest' and status = 'running'`
  await waitFor(async () => (await policyOf('longest'))?.last_full_scrape_at !== null)
  expect(await policyOf('bare')).toMatchObject({ run_started_at: null, last_full_scrape_at: null })
  expect((await policyOf('bare'))?.next_due_at.getTime()).toBeGreaterThan(Date.now())
})

test('a source that is due again waits until its current run ends', async () => {
  await addSource('slow')
  await waitFor(async () => (await queuedOf('slow')).length === 3)
  await sql`update source_refresh_policies set next_due_at = '2026-01-01' where source = 'slow'`
  await waitForTurn()
  expect((await policyOf('slow'))?.next_due_at).toEqual(new Date('2026-01-01'))
  await endJobs('slow')
  await waitFor(async () => (await queuedOf('slow')).length === 3)
  await endJobs('slow')
})

test('a scheduler that takes over a run continues where it stopped, and keeps jobs that are already queued', async () => {
  for (const scheduler of running.splice(0)) await scheduler.stop()
  await addSource('large', { parcels: 10 })
  await sql`insert into scrape_jobs (source, source_parcel_id, vendor) values ('large', 'p8', 'test')`
  await sql`update source_refresh_policies set run_started_at = now(), next_due_at = '2099-01-01' where source = 'large'`
  expect(await sql.begin((tx) => enqueueRunSet(tx, 'large', 4))).toBe(true)
  expect(await queuedOf('large')).toEqual(['p0', 'p1', 'p2', 'p3', 'p8'])
  await sql`delete from scrape_jobs where source = 'large' and source_parcel_id = 'p0'`
  start()
  await waitFor(async () => (await queuedOf('large')).length === 9)
  expect(await queuedOf('large')).not.toContain('p0')
  await endJobs('large')
})

test('a source that is deactivated during a run queues no more jobs and does not count as scraped', async () => {
  for (const scheduler of running.splice(0)) await scheduler.stop()
  await addSource('switched', { parcels: 10 })
  await sql`update source_refresh_policies set run_started_at = now(), next_due_at = '2099-01-01' where source = 'switched'`
  await sql.begin((tx) => enqueueRunSet(tx, 'switched', 4))
  await sql`update sources set active = false where source = 'switched'`
  start()
  await waitFor(async () => (await policyOf('switched'))?.run_started_at === null)
  expect((await queuedOf('switched')).length).toBe(4)
  expect((await policyOf('switched'))?.last_full_scrape_at).toBeNull()
})

test('one of several schedulers leads, and another takes over when it stops', async () => {
  const second = start()
  await running[0]?.stop()
  await addSource('taken-over')
  await waitFor(async () => (await queuedOf('taken-over')).length === 3)
  await second.stop()
})

test('jobs that ended more than 30 days ago are deleted one set at a time; unfinished jobs are kept, however old', async () => {
  await addSource('history', { active: false, parcels: 0 })
  await sql`
    insert into scrape_jobs (id, source, source_parcel_id, vendor, status, finished_at)
    select uuidv7(interval '-40 days'), 'history', n, 'test', status::job_status,
      case when status in ('done', 'error') then now() - age * interval '1 day' end
    from generate_series(1, 5) as n, (values ('done', 31), ('error', 35), ('done', 29), ('queued', 40)) as jobs (status, age)`
  let forgotten = 0
  for (let count = -1; count !== 0; forgotten += count) {
    count = await deleteFinishedJobs(sql, { days: 30, limit: 2 })
    expect(count).toBeLessThanOrEqual(2)
  }
  expect(forgotten).toBe(10)
  const left =
    await sql`select status, count(*)::int as n from scrape_jobs where source = 'history' group by status order by status`
  expect([...left]).toEqual([
    { status: 'queued', n: 5 },
    { status: 'done', n: 5 },
  ])
})

test('old jobs are found without reading jobs that waited for weeks and have just ended', async () => {
  await addSource('long-queue', { active: false, parcels: 0 })
  await sql`
    insert into scrape_jobs (id, source, source_parcel_id, vendor, status, finished_at)
    select uuidv7(interval '-40 days'), 'long-queue', n, 'test', 'done', now() - case when n > 2000 then interval '31 days' else interval '1 day' end
    from generate_series(1, 2003) as n`
  await sql.begin(async (tx) => {
    expect(await deleteFinishedJobs(tx, { days: 30, limit: 100 })).toBe(3)
    const [read] = await tx<{ rows: number }[]>`
      select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = 'scrape_jobs'`
    expect(read?.rows).toBeLessThan(100)
  })
  await sql`delete from scrape_jobs where source = 'long-queue'`
})

test('the last good crawl of each source is kept, however old; older crawls are deleted', async () => {
  const addCrawl = (source: string, status: 'done' | 'error', days: number) =>
    insertCrawl(sql, source, { status, finishedAt: new Date(Date.now() - days * 86_400_000).toISOString() })
  await addSource('crawled', { active: false, parcels: 0 })
  await addSource('never-crawled', { active: false, parcels: 0 })
  for (const days of [90, 80]) await addCrawl('crawled', 'done', days)
  for (const days of [70, 10]) await addCrawl('crawled', 'error', days)
  for (const days of [70, 60]) await addCrawl('never-crawled', 'error', days)
  while ((await deleteFinishedWork(sql, { days: 30, limit: 2, keptKinds: ['crawl'] })) > 0);
  const left = await sql`
    select source, status, extract(day from now() - finished_at)::int as days from work
    where source in ('crawled', 'never-crawled') order by days desc`
  expect([...left]).toEqual([
    { source: 'crawled', status: 'done', days: 80 },
    { source: 'crawled', status: 'error', days: 10 },
  ])
})

test('old work is deleted in small sets, because each may have thousands of rejected records', async () => {
  await sql`
    insert into work (kind, status, attempts, started_at, finished_at)
    select 'ingest', 'done', 1, at, at from (select now() - interval '31 days' as at) t, generate_series(1, 250)`
  const sets: number[] = []
  const begin = async (db: Sql, write: (tx: Transaction) => Promise<unknown>) => {
    const deleted = await db.begin(write)
    if (deleted !== 0) sets.push(Number(deleted))
    return deleted
  }
  await deleteOldRows(sql, { begin } as Pick<Lead, 'begin'>, () => false)
  expect(sets).toEqual([100, 100, 50])
})

test('tuning decisions are deleted after 90 days, one set at a time', async () => {
  await insertVendor(sql, 'long-tuned', 2)
  await sql`
    insert into tuning_log (id, vendor, previous_target, new_target, reason, actor)
    select uuidv7(-days * interval '1 day'), 'long-tuned', 1, 2, days || ' days ago', 'auto' from unnest(array[1, 89, 91, 92, 400]) days`
  expect(await deleteOldTuningEntries(sql, { days: 90, limit: 2 })).toBe(2)
  const left = async () => (await sql`select reason from tuning_log order by id`).map(({ reason }) => reason)
  expect(await left()).toEqual(['91 days ago', '89 days ago', '1 days ago'])
  const scheduler = start()
  await waitFor(async () => (await left()).length < 3)
  expect(await left()).toEqual(['89 days ago', '1 days ago'])
  await scheduler.stop()
})

test('a source that cannot be refreshed, or rows that cannot be deleted, do not stop the other periodic work', async () => {
  for (const scheduler of running.splice(0)) await scheduler.stop()
  await addSource('stuck')
  await addSource('sound')
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`
  await sql`
    create trigger refuse before update on source_refresh_policies for each row when (new.source = 'stuck') execute function refuse()`
  await sql`create trigger refuse before delete on scrape_jobs for each row execute function refuse()`
  await sql`
    insert into scrape_jobs (source, source_parcel_id, vendor, status, finished_at)
    values ('stuck', 'p0', 'test', 'done', now() - interval '31 days')`
  await sql`
    insert into tuning_log (id, vendor, previous_target, new_target, reason, actor)
    select uuidv7(-91 * interval '1 day'), vendor, 1, 2, 'old', 'auto' from vendor_concurrency limit 1`
  const logged: string[] = []
  const scheduler = start({ log: pino({ level: 'warn' }, { write: (line: string) => logged.push(line) }) })
  await waitFor(async () => (await queuedOf('sound')).length === 3)
  await waitFor(async () => (await sql`select from tuning_log where reason = 'old'`).length === 0)
  await waitFor(() => logged.some((line) => line.includes('refused')))
  await scheduler.stop()
  await sql`drop function refuse cascade`
  await endJobs('sound')
})

test('figures that cannot be updated do not stop the others', async () => {
  for (const scheduler of running.splice(0)) await scheduler.stop()
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`
  await sql`create trigger refuse before update on source_errors_since for each row execute function refuse()`
  await sql`
    insert into scrape_attempts (job_id, attempt, vendor, outcome, duration_ms, ended_at)
    values (uuidv7(), 1, 'forgotten', 'done', 1, now() - interval '1 day')`
  const scheduler = start({ minuteMs: 50 })
  await waitFor(async () => (await sql`select from scrape_attempts where vendor = 'forgotten'`).length === 0)
  await scheduler.stop()
  await sql`drop function refuse cascade`
})

test('only the leader runs the tuner, once a minute and never twice concurrently; a failure is logged and retried', async () => {
  for (const scheduler of running.splice(0)) await scheduler.stop()
  await insertVendor(sql, 'test', 2)
  const insertTries = () => sql`
    insert into scrape_attempts (job_id, attempt, vendor, outcome, duration_ms, ended_at)
    select uuidv7(), 1, 'test', 'done', 100, now() - n * interval '10 ms' from generate_series(1, 300) n`
  const target = async () =>
    (await sql`select target_concurrency as n from vendor_concurrency where vendor = 'test'`)[0]?.n
  const logged: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => logged.push(line) })
  await sql`update vendor_concurrency set signal_window_minutes = 60`

  await sql`alter table scrape_attempts rename to elsewhere`
  for (let n = 0; n < 2; n++) start({ minuteMs: 100, log })
  await waitFor(() => logged.some((line) => line.includes('"task":"tune"')))
  await sql`alter table elsewhere rename to scrape_attempts`
  await insertTries()
  await waitFor(async () => (await target()) === 4)
  await waitFor(() => logged.some((line) => line.includes('"newTarget":4')))
  expect(logged.filter((line) => line.includes('"newTarget":4'))).toHaveLength(1)

  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtext('tuner'))`
    const waiting = async () =>
      (
        await tx`select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`
      ).length
    await waitFor(async () => (await waiting()) === 1)
    await Bun.sleep(500)
    expect(await waiting()).toBe(1)
  })
})

test('webhooks of watches that send nothing any more are given up after 30 days, and those of others wait', async () => {
  const keyHash = 'c'.repeat(64)
  await sql`insert into api_keys (name, hashed_key, revoked_at) values ('revoked', ${keyHash}, now())`
  await sql`
    insert into watches (owner, created_by, kind, owner_name, active, key_hash, after_version, webhook_url, webhook_secret, receiver)
    select uuidv7(), 'tester', 'owner', name, name <> 'inactive', case when name = 'revoked' then ${keyHash} end, 0,
      'https://receiver.example/', 'secret', 'https://receiver.example'
    from unnest(array['inactive', 'revoked', 'sending']) as name`
  await sql`
    insert into webhook_deliveries (watch_id, status, queued_at)
    select id, 'pending', now() - days * interval '1 day' from watches, unnest(array[29, 31]) as days where created_by = 'tester'`
  const begin = <Result>(_: Sql, run: (tx: Transaction) => Promise<Result>) => sql.begin(run) as Promise<Result>
  await deleteOldRows(sql, { begin } as Pick<Lead, 'begin'>, () => false)
  const ended = await sql`
    select w.owner_name as name, d.error, d.finished_at is not null as "isFinished" from webhook_deliveries d join watches w on w.id = d.watch_id
    where d.status = 'failed' order by name`
  const error = 'not sent: the watch is inactive, or its key was revoked'
  expect([...ended]).toEqual([
    { name: 'inactive', error, isFinished: true },
    { name: 'revoked', error, isFinished: true },
  ])
  const [pending] = await sql`select count(*)::int as n from webhook_deliveries where status = 'pending'`
  expect(pending?.n).toBe(4)
})
