import { expect, test } from 'bun:test'
import postgres from 'postgres'
import { raiseAlerts } from '../../drizzle/queries/alerts/store-alerts'
import { selectOwned } from '../../drizzle/queries/changes/list-changes'
import { listCoverage } from '../../drizzle/queries/coverage/list-coverage'
import { cancelChosenJobs } from '../../drizzle/queries/jobs/order/cancel-jobs'
import { retryChosenJobs } from '../../drizzle/queries/jobs/order/retry-failed-jobs'
import { listParcelsAtPoints } from '../../drizzle/queries/matches/match-parcels'
import { listAccounts } from '../../drizzle/queries/people/accounts'
import { oldAdminActions } from '../../drizzle/queries/people/admin-actions'
import { storeVendorHistory } from '../../drizzle/queries/tuner/keep-history'
import { oldTuningEntries } from '../../drizzle/queries/tuner/tuning-log'
import { insertCounty } from '../http/test-app'
import { insertSource, insertVendor } from '../jobs/job-rows'
import { createTestDatabase } from '../support/servers'
import { countRowsProcessed, countRowsRead } from './rows-read'

const { sql, url } = await createTestDatabase()
const EMPTY = 60
await insertCounty(sql, 'full')
for (let n = 0; n < EMPTY; n++) await insertCounty(sql, `empty-${n}`)

test('looking for old rows of the tuning log and of the list of actions reads only old rows', async () => {
  await insertVendor(sql, 'towers', 1)
  await sql`
    insert into tuning_log (id, vendor, previous_target, new_target, reason, actor)
    select uuidv7(n * interval '-1 hour'), 'towers', 1, 2, 'fast', 'auto' from generate_series(1, 20000) n`
  await sql`
    insert into admin_actions (id, actor, method, path)
    select uuidv7(n * interval '-1 hour'), 'key ops', 'PATCH', '/v1/sources/full' from generate_series(1, 20000) n`
  await sql`analyze tuning_log, admin_actions`
  // The rows from 19,000 to 20,000 hours ago.
  const old = { days: 18_999.5 / 24, limit: 5_000 }
  expect(await oldTuningEntries(sql, old)).toHaveLength(1_001)
  expect(await countRowsRead(sql, oldTuningEntries(sql, old), 'tuning_log')).toBe(1_001)
  expect(await countRowsRead(sql, oldTuningEntries(sql, { ...old, days: 900 }), 'tuning_log')).toBe(0)
  expect(await countRowsRead(sql, oldAdminActions(sql, { ...old, days: 900 }), 'admin_actions')).toBe(0)
})

test('the coverage of all sources reads loads once, even if one source has all of them', async () => {
  await sql`
    insert into loads (id, source, kind, status, is_complete, applied_at)
    select uuidv7(n * interval '-1 minute'), 'full', 'ingest', 'applied', true, '2026-01-02T03:04:05Z' from generate_series(1, 5000) n`
  await sql`analyze loads`
  const covered = await listCoverage(sql)
  expect(covered.find(({ source }) => source === 'full')?.lastRefreshAt).toBe('2026-01-02T03:04:05.000Z')
  expect(await countRowsRead(sql, listCoverage(sql), 'loads')).toBe(5_000)
})

test('raising alerts reads the last alert of each subject, even if one subject has nearly all alerts', async () => {
  await sql`
    insert into alerts (id, rule, subject, value, text, resolved_at, silenced_until)
    select uuidv7(n * interval '-1 minute'), 'source_failing', 'full', 50, 'It fails.', now(), now() + n * interval '1 day' from generate_series(1, 20000) n`
  await sql`analyze alerts`
  const subjects = ['full', ...Array.from({ length: EMPTY }, (_, n) => `empty-${n}`)].map((subject) => ({
    ...{ subject, value: 60, text: 'It fails.', isRaised: true },
  }))
  const judgment = { rule: 'source_failing', threshold: 50, subjects, endsAfterMs: 0 } as const
  expect(await countRowsProcessed(sql, raiseAlerts(sql, judgment))).toBeLessThan(1_000)
  // The newest alert of the subject is the one whose silence continues.
  const [counted] = await sql`
    select count(*)::int as raised, count(silenced_until)::int as silenced, max(silenced_until) < now() + interval '2 days' as "isLast"
    from alerts where resolved_at is null`
  expect(counted).toEqual({ raised: EMPTY + 1, silenced: 1, isLast: true })
})

test('the parcels of an owner are found by index, even if one name has nearly all parcels and changes', async () => {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`
      insert into parcels (source, source_parcel_id, owner_name)
      select 'full', n::text, case when n % 100 = 0 then 'Owner ' || n else 'Large LLC' end from generate_series(1, 20000) n`
    await tx`
      insert into parcel_changes (version, at, parcel_id, source, source_parcel_id, action, changes, former_owner)
      select row_number() over (), now(), id, source, source_parcel_id, 'changed', '{}', 'large llc' from parcels where source = 'full'`
  })
  await sql`analyze parcels, parcel_changes`
  expect(await selectOwned(sql, 'Owner 500', 1_001)).toHaveLength(1)
  expect(await countRowsProcessed(sql, selectOwned(sql, 'Owner 500', 1_001))).toBeLessThan(100)
  expect(await selectOwned(sql, 'Large LLC', 1_001)).toHaveLength(1_001)
  expect(await countRowsProcessed(sql, selectOwned(sql, 'Large LLC', 1_001))).toBeLessThan(10_000)
})

test('an update of all sources does not compare each with each other, also after an update of one', async () => {
  const plans: string[] = []
  const connection = postgres(url, { max: 1, onnotice: ({ message }) => plans.push(message ?? '') })
  await connection.unsafe(`
    load 'auto_explain';
    set auto_explain.log_min_duration = 0;
    set auto_explain.log_analyze = on;
    set auto_explain.log_nested_statements = on;
    set client_min_messages = log`)
  await connection`update sources set active = true where source = 'full'`
  await connection`update sources set active = true`
  await connection.end()
  const removed = plans.flatMap((plan) =>
    [...plan.matchAll(/Rows Removed by Join Filter: (\d+)/g)].map((found) => Number(found[1])),
  )
  expect(plans.some((plan) => plan.includes('new_rows'))).toBe(true)
  expect(Math.max(0, ...removed)).toBeLessThan(EMPTY * EMPTY)
})

test('cancelling and retrying the jobs of one vendor does not read those of the others', async () => {
  await insertVendor(sql, 'meadows', 1)
  for (let n = 0; n < 10; n++) await insertSource(sql, `meadow-${n}`, 'meadows')
  await sql`
    insert into scrape_jobs (source, source_parcel_id, vendor, status, started_at, finished_at, error_code)
    select 'full', n::text, 'arcgis-rest', 'error', now(), now(), 'timeout' from generate_series(1, 20000) n`
  await sql`
    insert into scrape_jobs (source, source_parcel_id, vendor) select 'full', n::text, 'arcgis-rest' from generate_series(1, 20000) n`
  await sql`insert into scrape_jobs (source, source_parcel_id, vendor) select 'meadow-1', n::text, 'meadows' from generate_series(1, 5) n`
  await sql`analyze scrape_jobs, sources`
  const retry = retryChosenJobs(
    sql,
    { vendor: 'meadows' },
    { failureClass: 'timeout', limit: 100 },
    { name: 'x', watcher: null },
  )
  expect(await countRowsRead(sql, retry, 'scrape_jobs')).toBeLessThan(100)
  const jobs = { vendor: 'meadows', status: 'queued', limit: 100 } as const
  expect(await countRowsRead(sql, cancelChosenJobs(sql, jobs, 'not needed'), 'scrape_jobs')).toBeLessThan(100)
  const others =
    await sql`select distinct source, status::text from scrape_jobs where error_code is distinct from 'timeout' order by source`
  expect([...others]).toEqual([
    { source: 'full', status: 'queued' },
    { source: 'meadow-1', status: 'error' },
  ])
})

test('the parcels at points are found by place, even if statistics name few parcels of the source', async () => {
  await insertCounty(sql, 'loaded')
  await sql`analyze parcels`
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`
      insert into parcels (source, source_parcel_id, geom, bbox)
      select 'loaded', n::text, '{"type":"MultiPolygon","coordinates":[]}', box(point(n, 40.5), point(n - 1, 40)) from generate_series(-120, -71) n`
    await tx`insert into parcels (source, source_parcel_id) select 'loaded', 'lot ' || n from generate_series(1, 10000) n`
  })
  const scope = { state: null, county: null, source: 'loaded', states: null }
  const points = Array.from({ length: 20 }, (_, row) => ({ row, lon: -100.5 + row, lat: 40.25 }))
  expect(await listParcelsAtPoints(sql, scope, points)).toHaveLength(20)
  expect(await countRowsRead(sql, listParcelsAtPoints(sql, scope, points), 'parcels')).toBe(20)
})

test('the history of vendors without a tuning log does not read the log of another', async () => {
  await insertVendor(sql, 'tuned', 1)
  await sql`
    insert into vendor_concurrency (vendor, min_concurrency, max_concurrency, target_concurrency, slow_threshold_ms, fast_threshold_ms)
    select 'manual ' || n, 1, 8, 3, 8000, 2000 from generate_series(1, 30) n`
  await sql`delete from tuning_log`
  await sql`
    insert into tuning_log (id, vendor, previous_target, new_target, reason, actor)
    select uuidv7(n * interval '-1 minute'), 'tuned', n, n + 1, 'fast', 'auto' from generate_series(1, 20000) n`
  await sql`
    insert into scrape_attempts (job_id, attempt, vendor, outcome, duration_ms, ended_at)
    select uuidv7(), 1, vendor, 'done', 5, '2026-01-02T03:04:05Z' from vendor_concurrency where vendor like 'manual %' or vendor = 'tuned'`
  await sql`analyze tuning_log, scrape_attempts`
  const span = { from: new Date('2026-01-02T03:00:00Z'), to: new Date('2026-01-02T04:00:00Z') }
  expect(await countRowsRead(sql, storeVendorHistory(sql, span), 'tuning_log')).toBeLessThan(30_000)
  const targets = await sql`select distinct vendor = 'tuned' as "isTuned", target from vendor_history order by 1`
  // The target before the oldest entry, because all entries are newer than the attempts.
  expect([...targets]).toEqual([
    { isTuned: false, target: 3 },
    { isTuned: true, target: 20_000 },
  ])
})

test('a page of accounts reads the keys of each account once, even if one account has nearly all', async () => {
  await sql`
    insert into accounts (issuer, subject, email) select 'https://id.example', n::text, n || '@id.example' from generate_series(1, 40) n`
  await sql`
    insert into api_keys (account_id, name, hashed_key, revoked_at)
    select a.id, 'former', 'hash ' || n, case when n > 1 then now() end from accounts a, generate_series(1, 20000) n where a.subject = '40'`
  await sql`analyze accounts, api_keys`
  const page = { after: null, q: null, limit: 50 }
  const keys = (await listAccounts(sql, page)).map(({ body }) => JSON.parse(body).keys)
  expect(keys).toEqual([1, ...Array.from({ length: 39 }, () => 0)])
  expect(await countRowsRead(sql, listAccounts(sql, page), 'api_keys')).toBeLessThan(21_000)
})
