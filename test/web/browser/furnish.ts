import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ScrapedParcel } from '../../../adapters/adapter'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { findExampleParcel } from '../../../drizzle/queries/parcels/parcels'
import type { PagePath } from '../../../src/web/app/page-paths'
import { buildTiles, DEFAULT_TILE_OPTIONS } from '../../../tiles-build/build'
import type { createTestApp } from '../../http/test-app'
import { insertVendor } from '../../jobs/job-rows'
import { createTestAdapter, scraped } from '../../jobs/test-adapter'
import { countNow } from '../../parcels/coverage/count'
import { insertLayerSource } from '../../work/crawls/crawl-rows'

type TestApp = Awaited<ReturnType<typeof createTestApp>>

const ADA = 'ada@larkspur.example'

/** The URL of a page with data on it, and the elements that are there once it has loaded. */
export interface FurnishedPage {
  at: string
  shows: string[]
}

/** Inserts some of everything that the pages can show, in every tone, and an admin who may see it. */
export const furnish = async (
  testApp: TestApp,
): Promise<{ token: string; pages: Readonly<Record<PagePath, FurnishedPage>> }> => {
  const { sql } = testApp
  await seedSampleCounty(sql, { parcels: 300, entities: 20 })
  const example = await findExampleParcel(sql)
  if (example === null) throw new Error('the sample county is empty')
  const { source, source_parcel_id: id } = example
  const vendor = 'fixture'
  await scrapeParcel(testApp, source, id)
  const { token, headers } = await testApp.signIn({ email: ADA, role: 'admin', plan: 'paid' })
  const failed = await insertJobs(testApp, source)
  await tune(testApp, vendor)
  const layer = await insertCrawls(testApp)
  await insertMatches(testApp)
  await insertExports(testApp)
  await insertLoads(testApp, { held: source, applied: layer })
  await buildSomeTiles(testApp)
  await sql`
    insert into work (kind, subject, status, started_at, finished_at, done, total, result)
    values ('search_check', 'search', 'done', now() - interval '1 minute', now(), 0, null,
        '{"missing": 2, "extra": 1, "different": 0}'),
      ('search_rebuild', 'search', 'done', now() - interval '1 hour', now() - interval '50 minutes', 320, 320, '{}')`
  await countNow(sql)
  await issueKeys(testApp, headers)
  const watch = await addWatches(testApp, headers)
  await addAlerts(testApp, headers, source)
  const portfolio = await addPortfolio(testApp, headers, { source, source_parcel_id: id })
  await testApp.signIn({ email: 'ben@larkspur.example' })
  await testApp.call(`/v1/sources/${source}`, { method: 'PATCH', body: { active: true }, key: null, headers })

  const [{ company } = { company: '' }] = await sql<{ company: string }[]>`
    select id as company from entities order by linked_parcel_count desc, id limit 1`

  const table = (label: string) => `section[aria-label="${label}"] tbody tr`
  return {
    token,
    pages: {
      '/app/search': { at: '/app/search?q=alder', shows: ['[role=treeitem] mark'] },
      '/map': {
        at: `/map?parcel=${source}/${encodeURIComponent(id)}`,
        shows: ['.map-details dl', '.map[data-boundary=true][data-view=idle]'],
      },
      '/app/coverage': {
        at: '/app/coverage',
        shows: [`${table('Counties')} svg.fill-bars`, `${table('Counties')}.warn`],
      },
      '/app/parcels/:source/:id': {
        at: `/app/parcels/${source}/${encodeURIComponent(id)}`,
        shows: [
          'svg[aria-label^="Value by year"] circle',
          'svg[aria-label^="Tax billed"] circle',
          table('Recorded sales'),
          table('Buildings'),
          table('Exemptions'),
          table('Where each field comes from'),
          '.findings li .badge.bad',
          '.history li',
        ],
      },
      '/docs': { at: '/docs', shows: ['article .code-block', 'summary:has-text("Fields of the response")'] },
      '/app/companies/:id': {
        at: `/app/companies/${company}`,
        shows: [table('Parcels of this company'), '.map-frame'],
      },
      '/app/dashboard': { at: '/app/dashboard', shows: ['.notice.warn', `${table('Your keys')}.warn`] },
      '/app/lists': { at: '/app/lists', shows: ['.figures', '.notice.bad', 'progress'] },
      '/app/exports': {
        at: '/app/exports?land_use=RESIDENTIAL',
        shows: ['.chip', 'progress', '.notice.bad', 'a[download]'],
      },
      '/app/portfolios': {
        at: '/app/portfolios',
        shows: [table('Your portfolios'), table('Your searches')],
      },
      '/app/portfolios/:id': {
        at: `/app/portfolios/${portfolio}`,
        shows: [`${table('Parcels of the portfolio')} .badge`, '.map-frame'],
      },
      '/app/watches': {
        at: '/app/watches',
        shows: [`${table('Your watches')}.bad`, badge('failing'), badge('working')],
      },
      '/app/watches/:id': {
        at: `/app/watches/${watch}`,
        shows: [`${table('Changes of this watch')}.bad`, ...['pending', 'delivered', 'failed'].map(badge)],
      },
      '/app/console/sources': { at: '/app/console/sources', shows: ['tbody tr'] },
      '/app/console/sources/:source': {
        at: `/app/console/sources/${layer}`,
        shows: [`${table('Crawls')}.bad`, 'progress', table('Loads')],
      },
      '/app/console/health': {
        at: '/app/console/health',
        shows: ['tbody tr.bad .sparkline rect', 'tbody tr.warn', 'section[aria-label^="Held load"] .field-changes dd'],
      },
      '/app/console/alerts': {
        at: '/app/console/alerts',
        shows: ['Current alerts', 'Webhooks for alerts', 'Rules', 'Past alerts'].map(table),
      },
      '/app/console/jobs': { at: '/app/console/jobs', shows: ['queued', 'running', 'done', 'error'].map(badge) },
      '/app/console/jobs/:id': { at: `/app/console/jobs/${failed}`, shows: [`${table('Attempts')}.bad`] },
      '/app/console/concurrency': { at: '/app/console/concurrency', shows: ['tbody tr'] },
      '/app/console/concurrency/:vendor': {
        at: `/app/console/concurrency/${vendor}`,
        shows: ['svg .note-dot', 'svg .error-area', 'figcaption.changes', table('Tuning log')],
      },
      '/app/console/findings': { at: '/app/console/findings', shows: ['tbody .badge.bad'] },
      '/app/console/add-county': { at: '/app/console/add-county', shows: ['input[type=file]'] },
      '/app/console/work': { at: '/app/console/work', shows: [`${table('Work')}.bad`, 'tbody progress'] },
      '/app/console/tiles': { at: '/app/console/tiles', shows: [`${table('Builds')}.bad`, 'code.address'] },
      '/app/console/search-index': { at: '/app/console/search-index', shows: ['dl.figures'] },
      '/app/console/activity': { at: '/app/console/activity', shows: ['tbody tr:has-text("PATCH /v1/sources/")'] },
      '/app/console/people': { at: '/app/console/people', shows: ['tbody tr:has-text("ben@larkspur.example")'] },
    },
  }
}

const badge = (text: string) => `tbody .badge:has-text("${text}")`

/** Stores a scrape of the parcel with years of values and bills, sales and buildings, and the findings of its review. */
const scrapeParcel = async ({ sql, call, useAdapter }: TestApp, source: string, id: string): Promise<void> => {
  const years = [2026, 2025, 2024, 2023, 2022]
  const found: Partial<ScrapedParcel> = {
    fields: { ownerName: 'ALDER MEADOWS LLC', assessedValue: 412_000 },
    scrape: {
      parcel_number: id,
      fetched_at: new Date().toISOString(),
      owners: [
        { name: 'ALDER MEADOWS LLC', ownership_pct: 60, type: 'FEE SIMPLE' },
        { name: 'MARLOWE ROSE', ownership_pct: 40 },
      ],
      valuation_history: years.map((year) => {
        const [land, improvement] = [40 * year, 10 * (year - 1_000)]
        return { year, land, improvement, total: land + improvement, assessed: land + improvement - 5_000 }
      }),
      statements: years.map((year, index) => ({
        ...{ tax_year: year, bill_number: `${year}-0042`, billed: 3_000 + index, due_on: `${year}-11-15` },
        ...(index === 0 ? { due: 3_000, status: 'delinquent' } : { paid: 3_000 + index, due: 0, status: 'paid' }),
      })),
      sale_history: [
        { sold_on: '2019-05-02', price: 310_000, deed_type: 'WARRANTY DEED', grantor: 'HOLLIS DANIEL', book: '12' },
      ],
      improvements: [
        { description: 'TWO STORY DWELLING', year_built: 1_962, living_area_sq_ft: 1_840, value: 190_000 },
      ],
      exemptions: [{ code: 'HS', description: 'HOMESTEAD', amount: 25_000, year: 2026 }],
    },
  }
  useAdapter(createTestAdapter(() => scraped(id, found), { vendor: 'fixture' }))
  const { status, text } = await call(`/v1/parcels/${source}/${encodeURIComponent(id)}/scrape-now`, { method: 'POST' })
  if (status !== 200) throw new Error(`not scraped: ${text}`)
  await sql`
    insert into findings (parcel_id, rule, severity, category, evidence, suggested_action)
    select id, rule, severity::finding_severity, category::finding_category, '{"was": "HOLLIS DANIEL", "is": "ALDER MEADOWS LLC"}', 'Check the deed.'
    from parcels, (values ('of-a-test', 'high', 'ownership'), ('of-another', 'medium', 'valuation'), ('of-a-third', 'info', 'tax')) as r (rule, severity, category)
    where source_parcel_id = ${id}`
}

/** Alerts that are raised, silenced and past, a changed rule, and a webhook that receives them. */
const addAlerts = async ({ sql, call }: TestApp, headers: Record<string, string>, source: string): Promise<void> => {
  await sql`
    insert into alerts (rule, subject, value, text, threshold, raised_at, resolved_at, told_at, silenced_until, silenced_by, silence_reason)
    select t.rule, t.subject, t.value, t.text, t.threshold, now() - ago * interval '1 hour', now() - ended * interval '1 hour', now(),
      now() + silenced * interval '1 hour', case when silenced > 0 then account_name(a.id) end, t.reason
    from (values
      ('source_failing', ${source}, 64, 'Larkspur, OR: 64% of the last scrapes failed.', 50, 2, null::int, null::int, null),
      ('search_lag', '', 12, 'The search index is 12 min behind.', 5, 1, null, 8, 'Meilisearch is being upgraded.'),
      ('disk_full', 'DATA_DIR', 93, 'The disk of DATA_DIR (/data) is 93% full.', 90, 30, 20, null, null)
    ) as t (rule, subject, value, text, threshold, ago, ended, silenced, reason) cross join accounts a where a.email = ${ADA}`
  const as = { key: null, headers }
  const url = 'https://pager.larkspur.example/alerts'
  await call('/v1/watches', { method: 'POST', body: { kind: 'alerts', webhook_url: url }, ...as })
  await call('/v1/alert-rules/queue_old', { method: 'PATCH', body: { threshold: 12 }, ...as })
  await call('/v1/alert-rules/webhook_failing', { method: 'PATCH', body: { active: false }, ...as })
}

/** Inserts one job of each status. Returns the id of the failed one, which was tried three times. */
const insertJobs = async ({ sql }: TestApp, source: string): Promise<string> => {
  const failures = [1, 2, 3].map((attempt) => ({
    ...{ attempt, outcome: attempt === 3 ? 'page_changed' : 'throttled', duration_ms: 1_200 },
    error_message: 'no "Name:" under "Property Details"',
    ...{ started_at: '2026-01-02T03:04:05.678Z', ended_at: '2026-01-02T03:04:06.878Z' },
  }))
  const [job] = await sql<{ id: string }[]>`
    insert into scrape_jobs (source, source_parcel_id, vendor, status, attempts, error_code, error_message, failures, started_at,
      finished_at, duration_ms)
    select source, '12-0009-0090', vendor, 'error', 3, 'page_changed', 'no "Name:" under "Property Details"',
      ${JSON.stringify(failures)}::text::jsonb, now(), now(), 1200
    from sources where source = ${source} returning id`
  await sql`
    insert into scrape_jobs (source, source_parcel_id, vendor, status, attempts, priority, started_at, not_before)
    select source, '12-0009-00' || n, vendor, status::job_status, 1, priority::job_priority, now(), now() + interval '1 hour'
    from sources, (values (91, 'queued', 'high'), (92, 'running', 'normal')) as j (n, status, priority) where source = ${source}`
  await sql`
    insert into source_days (source, day, finished, errors)
    select ${source}, (now() at time zone 'UTC')::date - n, 40, n % 5 from generate_series(0, 13) n`
  if (job === undefined) throw new Error('an insert that returns no row')
  return job.id
}

/** A day of a vendor, with slow times, errors, and the decisions of the tuner. */
const tune = async ({ sql }: TestApp, vendor: string): Promise<void> => {
  await sql`
    insert into vendor_history (vendor, at, target, finished, errors, p95_ms)
    select ${vendor}, date_bin('5 minutes', now(), '2000-01-01Z') - n * interval '5 minutes', 4, 30, n % 4, 1500 + 100 * (n % 9)
    from generate_series(1, 200) n where n not between 60 and 80`
  await sql`
    insert into tuning_log (id, vendor, previous_target, new_target, reason, actor, created_at)
    select uuidv7(-(n * interval '1 hour')), ${vendor}, was, will, reason, actor, now() - n * interval '1 hour'
    from (
      values (9, 4, 6, 'all well: up', 'auto'), (5, 6, 3, 'refused: halved', 'auto')
      union all select 2, 3, 4, 'set by ' || account_name(id), account_name(id) from accounts where email = ${ADA}
    )
      as t (n, was, will, reason, actor)`
}

/** A source that is overdue, whose last crawl failed, and which is being scraped again. */
const insertCrawls = async ({ sql }: TestApp): Promise<string> => {
  const source = 'elm'
  await insertVendor(sql, 'arcgis-rest', 5)
  await insertLayerSource(sql, source, 'https://elm.example/FeatureServer/0')
  await sql`update source_refresh_policies set next_due_at = now() - interval '3 days' where source = ${source}`
  await sql`
    insert into work (kind, subject, source, vendor, payload, status, attempts, result, done, total, error_code, error_message,
      requested_by, started_at, finished_at, lease_expires_at)
    select 'crawl', source, source, vendor, jsonb_build_object('base_url', base_url, 'vendor_config', vendor_config),
      status::job_status, 1,
      jsonb_build_object('pages', 12, 'inserted', 1100, 'updated', 60, 'unchanged', 0, 'rejected', rejected), 1167, 2400, code, message,
      (select account_name(id) from accounts where email = ${ADA}), now() - interval '3 days', ended,
      case when status = 'running' then now() + interval '1 hour' end
    from sources, (values ('error', 7, 'blocked', 'the portal answered 403', now() - interval '2 days'), ('running', 0, null, null, null))
      as c (status, rejected, code, message, ended)
    where source = ${source}`
  return source
}

/** A held load of one source, and an applied load of another. */
const insertLoads = async ({ sql }: TestApp, { held, applied }: { held: string; applied: string }): Promise<void> => {
  const counts = JSON.stringify({ read: 300, rejected: 0, inserted: 0, updated: 90, unchanged: 210, retired: 0 })
  const [parcels, share, limit] = [300, 0.3, 0.2]
  const examples = [1, 2, 3].map((n) => ({
    ...{ source_parcel_id: `12-0001-00${n}0`, former: 'HOLLIS DANIEL', new: 'ALDER MEADOWS LLC' },
  }))
  const check = { check: 'owner', field: 'owner_name', count: 90, share, limit, is_over: true, examples }
  const verdict = JSON.stringify({ parcels, checks: [check] })
  await sql`
    insert into loads (id, source, kind, status, is_complete, file, counts, verdict, created_by, judged_at, applied_at)
    values
      (uuidv7(), ${held}, 'ingest', 'held', true, 'parcels-2026.geojson', ${counts}::text::jsonb, ${verdict}::text::jsonb, 'operator',
        now(), null),
      (uuidv7(), ${applied}, 'crawl', 'applied', true, null, ${counts}::text::jsonb, null, 'operator', now(), now())`
}

/** Lists in each state. */
const insertMatches = async ({ sql }: TestApp): Promise<void> => {
  const result = JSON.stringify({ rows: 2_305, counts: { matched: 2_101, tie: 120, no_match: 80, invalid: 4 } })
  await sql`
    with ordered as (
      insert into work (kind, status, attempts, done, total, result, error_code, error_message, started_at, finished_at, lease_expires_at)
      values
        ('match', 'done', 1, 2605, 2605, ${result}::text::jsonb, null, null, now(), now(), null),
        ('match', 'error', 1, 0, null, '{}', 'bad_input', 'the list has no rows', now(), now(), null),
        ('match', 'running', 1, 130, 260, '{"rows": 40}', null, null, now(), null, now() + interval '1 day')
      returning id
    )
    insert into matches (id, owner, expires_at) select id, gen_random_uuid(), now() + interval '7 days' from ordered`
}

/** One that is done, one that failed, one that is running. */
const insertExports = async ({ sql }: TestApp): Promise<void> => {
  const payload = { format: 'csv', gzip: true, fields: [], geometry: 'none', filter: { land_use: 'RESIDENTIAL' } }
  const licenses = [{ license: 'CC-BY-4.0', attribution: 'Larkspur County Assessor', sources: ['sample-county'] }]
  const result = { file: 'parcels.csv.gz', media_type: 'application/gzip', size_bytes: 21_456, sha256: '5f', licenses }
  await sql`
    insert into work (kind, payload, status, attempts, done, total, result, error_code, error_message, started_at, finished_at, lease_expires_at)
    values
      ('export', ${JSON.stringify(payload)}::text::jsonb, 'done', 1, 260, 260, ${JSON.stringify({ ...result, dataset_version: 7 })}::text::jsonb, null,
        null, now(), now(), null),
      ('export', ${JSON.stringify(payload)}::text::jsonb, 'error', 1, 0, null, '{}', 'exports_full', 'the exports are full', now(), now(), null),
      ('export', ${JSON.stringify(payload)}::text::jsonb, 'running', 1, 130, 260, '{}', null, null, now(), null, now() + interval '1 day')`
}

const buildSomeTiles = async ({ sql, url, tileStore }: TestApp): Promise<void> => {
  const workDir = mkdtempSync(join(tmpdir(), 'furnish-'))
  await buildTiles(DEFAULT_TILE_OPTIONS, { databaseUrl: url, to: tileStore, workDir, threads: 1 })
  rmSync(workDir, { recursive: true, force: true })
  await sql`
    insert into tile_builds (layer, status, error_message, finished_at) values ('parcels', 'failed', 'no room on the disk', now())`
}

/** A live key, one that is too old, and one that was revoked. */
const issueKeys = async ({ sql, call }: TestApp, headers: Record<string, string>): Promise<void> => {
  for (const name of ['county map', 'nightly export', 'trial']) {
    const { status, text } = await call('/v1/account/keys', { method: 'POST', key: null, headers, body: { name } })
    if (status !== 200 && status !== 201) throw new Error(`no key: ${text}`)
  }
  await sql`update api_keys set created_at = now() - interval '91 days' where name = 'nightly export'`
  await sql`update api_keys set revoked_at = now() where name = 'trial'`
}

/** A portfolio with a parcel, and a saved search. */
const addPortfolio = async (
  { call }: TestApp,
  headers: Record<string, string>,
  parcel: { source: string; source_parcel_id: string },
): Promise<string> => {
  const post = (path: string, body: object) => call(path, { method: 'POST', key: null, headers, body })
  const { body } = await post('/v1/portfolios', { name: 'Solar sites' })
  const { id } = body as unknown as { id: string }
  await post(`/v1/portfolios/${id}/parcels`, {
    ...parcel,
    note: 'Owner wants to sell in spring',
    tags: ['called', 'flat'],
  })
  await post('/v1/saved-searches', { name: 'Alder in Oregon', query: 'q=alder&state=OR' })
  return id
}

/** Inserts a watch in each state. Returns the id of one with deliveries in each state. */
const addWatches = async ({ sql, call }: TestApp, headers: Record<string, string>): Promise<string> => {
  for (const owner_name of ['Alder Meadows LLC', 'Hollis Daniel', 'Marlowe Rose', 'Northcote Scott']) {
    const body = {
      kind: 'owner',
      owner_name,
      fields: ['owner_name'],
      webhook_url: 'https://hooks.larkspur.example/parcels',
    }
    const { status, text } = await call('/v1/watches', { method: 'POST', key: null, headers, body })
    if (status !== 201) throw new Error(`no watch: ${text}`)
  }
  const error = 'hooks.larkspur.example responded with status 503'
  await sql`update watches set last_delivered_at = now() where owner_name = 'Hollis Daniel'`
  await sql`
    update watches set failures = 9, last_error = ${error}, held_until = now() + interval '5 minutes' where owner_name = 'Marlowe Rose'`
  const [failed] = await sql<{ id: string }[]>`
    update watches set failures = 9, last_error = ${error}, last_failed_at = now() where owner_name = 'Alder Meadows LLC' returning id`
  if (failed === undefined) throw new Error('an update that returns no row')
  await sql`
    insert into webhook_deliveries (watch_id, version, changed_at, parcel_id, status, attempts, response_status, error, finished_at)
    select ${failed.id}, version, at, parcel_id, s.status, 3, case when s.status = 'delivered' then 200 else 503 end,
      case when s.status <> 'delivered' then ${error} end, case when s.status <> 'pending' then now() end
    from (select *, row_number() over (order by version desc) as n from parcel_changes) c
      join (values (1, 'pending'), (2, 'delivered'), (3, 'failed'), (4, 'recorded')) as s (n, status) using (n)`
  return failed.id
}
