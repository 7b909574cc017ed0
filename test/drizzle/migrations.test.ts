import { afterAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator'
import { connectDatabase, type Sql } from '../../core/postgres/database'
import { listMigrations, migrate } from '../../drizzle/migrate'
import { createTestDatabase } from '../servers'

const dir = mkdtempSync(join(tmpdir(), 'migrations-'))
afterAll(() => rmSync(dir, { recursive: true }))

test('migrating a migrated database is harmless, from four processes at once too', async () => {
  const { url, sql } = await createTestDatabase()
  const countTables = async () =>
    (await sql<{ tables: number }[]>`select count(*)::int as tables from pg_tables where schemaname = 'public'`)[0]
      ?.tables
  const tables = await countTables()
  await Promise.all([migrate(url), migrate(url), migrate(url), migrate(url)])
  expect(tables).toBeGreaterThan(20)
  expect(await countTables()).toBe(tables as number)
})

/** An empty database with the schema as it was after the migration `name`. */
const createOldDatabase = async (name: string): Promise<{ url: string; sql: Sql }> => {
  const { url, sql } = await createTestDatabase()
  await sql`drop schema drizzle cascade`
  await sql`drop schema public cascade`
  await sql`create schema public`
  const folder = join(dir, name)
  cpSync('drizzle/migrations', folder, { recursive: true })
  const file = join(folder, 'meta/_journal.json')
  const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: { tag: string }[] }
  const end = journal.entries.findIndex(({ tag }) => tag === name) + 1
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, end) }))
  const migrator = connectDatabase(url, { max: 1 })
  await applyMigrations(drizzle(migrator), { migrationsFolder: folder })
  await migrator.end()
  return { url, sql }
}

/** Rows of each kind that the first version knew. */
const insertFirstKinds = async (sql: Sql): Promise<void> => {
  await sql`insert into sources (source, state, county_name, vendor, base_url, active, vendor_config)
    values ('elm', 'OR', 'Elm', 'arcgis-rest', 'https://elm.example', true, '{"layer": 1}')`
  await sql`insert into source_refresh_policies (source, cadence, next_due_at) values ('elm', 'weekly', '2026-12-01')`
  await sql`insert into entities (jurisdiction, registry_number, name) values ('OR', '1-9', 'Juniper Farms LLC')`
  await sql`insert into parcels (source, source_parcel_id, geom, bbox, owner_name, is_agricultural, assessed_value, scrape_data, scraped_at)
    select 'elm', n::text, '{"type": "MultiPolygon", "coordinates": []}', box(point(n, 1), point(n + 1, 2)),
      case when n < 3 then 'JUNIPER FARMS, LLC' else 'ALDER ' || n end, n = 1, n * 1000, '{"tax": {"due": 12.5}}', '2026-10-01'
    from generate_series(1, 5) as n`
  await sql`insert into findings (parcel_id, rule, severity, category, evidence, suggested_action)
    select id, 'owner-changed', 'high', 'ownership', '{"was": "A", "is": "B"}', 'look' from parcels where source_parcel_id = '1'`
  await sql`insert into vendor_concurrency (vendor, min_concurrency, max_concurrency, target_concurrency, slow_threshold_ms, fast_threshold_ms)
    values ('arcgis-rest', 1, 8, 4, 8000, 2000)`
  await sql`insert into tuning_log (vendor, previous_target, new_target, reason, actor) values ('arcgis-rest', 3, 4, 'fast', 'tuner')`
  await sql`insert into scrape_jobs (source, source_parcel_id, vendor, status, attempts, error_code, error_message, finished_at, lease_expires_at, overrides) values
    ('elm', '1', 'arcgis-rest', 'queued', 0, null, null, null, null, '{"year": 2025}'),
    ('elm', '2', 'arcgis-rest', 'running', 1, null, null, null, now() + interval '1 minute', '{}'),
    ('elm', '3', 'arcgis-rest', 'done', 1, null, null, now() - interval '1 hour', null, '{}'),
    ('elm', '4', 'arcgis-rest', 'error', 3, 'timeout', 'it took too long', now() - interval '2 hours', null, '{}')`
  await sql`insert into tile_builds (layer, status, hash, size_bytes, started_at, published_at)
    values ('parcels', 'published', 'abc', 1234, '2026-10-01T10:00Z', '2026-10-01T10:05Z')`
  await sql`insert into accounts (issuer, subject, email, name) values ('https://id.example', 'ada', 'ada@larkspur.example', 'Ada')`
  await sql`insert into api_keys (account_id, name, hashed_key, capabilities) select id, 'map', 'hash', '{enqueue}' from accounts`
}

/** What later versions added. */
const insertLaterKinds = async (sql: Sql): Promise<void> => {
  await sql`insert into sessions (hashed_token, account_id) select 'token', id from accounts`
  await sql`insert into sign_in_attempts (hashed_state, hashed_browser, code_verifier, nonce, return_to, address)
    values ('state', 'browser', 'verifier', 'nonce', '/', '192.0.2.1')`
  await sql`insert into crawls (source, vendor, base_url, vendor_config, status, cursor, pages)
    values ('elm', 'arcgis-rest', 'https://elm.example', '{}', 'running', '2000', 2)`
  await sql`insert into crawl_rejects (crawl_id, what, reason) select id, '17', 'no id' from crawls`
}

/** Every row of every table, in its columns of now, or those named. */
const readRows = async (
  sql: Sql,
  columnsOf?: Map<string, string[]>,
): Promise<Map<string, Record<string, unknown>[]>> => {
  const tables = await sql<
    { name: string }[]
  >`select tablename as name from pg_tables where schemaname = 'public' order by 1`
  const rows = new Map<string, Record<string, unknown>[]>()
  for (const { name } of tables) {
    const found = await sql<{ row: Record<string, unknown> }[]>`select to_jsonb(t) as row from ${sql(name)} t`
    const columns = columnsOf?.get(name)
    const kept = found.map(({ row }) =>
      columns === undefined
        ? row
        : Object.fromEntries(columns.filter((key) => key in row).map((key) => [key, row[key]])),
    )
    rows.set(
      name,
      kept.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    )
  }
  return rows
}

describe('upgrading a database that is full', () => {
  const migrations = listMigrations().map(({ name }) => name)
  const [, , first = ''] = migrations
  const twoAgo = migrations.at(-3) ?? ''

  /** Upgrades, and expects each row of then to be there, with what it held. `changed`: what the upgrade is to make of a row. */
  const upgrade = async (
    { url, sql }: { url: string; sql: Sql },
    changed: (table: string, row: Record<string, unknown>) => Record<string, unknown> = (_, row) => row,
  ) => {
    const before = await readRows(sql)
    await migrate(url)
    const columns = new Map([...before].map(([table, [row = {}]]) => [table, Object.keys(changed(table, row))]))
    const after = await readRows(sql, columns)
    for (const [table, rows] of before) {
      const wanted = rows.map((row) => changed(table, row))
      expect([table, after.get(table)]).toEqual([table, expect.arrayContaining(wanted)])
    }
  }

  test('of the version before short names: no stored text names a person by email, and names lead back to accounts', async () => {
    const old = await createOldDatabase('0025_compare_updates_as_sets')
    const { sql, url } = old
    await insertFirstKinds(sql)
    const ada = 'ada@larkspur.example'
    const gone = 'gone@larkspur.example'
    await sql`insert into tuning_log (vendor, previous_target, new_target, reason, actor)
      values ('arcgis-rest', 4, 2, ${`set by ${ada}: mode manual`}, ${ada})`
    await sql`update vendor_concurrency set updated_by = ${gone}`
    await sql`update scrape_jobs set requested_by = 'Ada@Larkspur.example', error_message = ${`cancelled by ${ada}`},
      failures = ${sql.json([
        { attempt: 1, error_message: 'too long' },
        { attempt: 2, error_message: `cancelled by ${gone}` },
      ])}
      where source_parcel_id = '4'`
    await sql`insert into crawls (source, vendor, base_url, vendor_config, status, requested_by, error_message)
      values ('elm', 'arcgis-rest', 'https://elm.example', '{}', 'error', ${ada}, ${`cancelled by ${ada}`})`
    await sql`insert into tile_builds (layer, status, requested_by) values ('parcels', 'failed', ${ada})`
    await sql`insert into tile_build_requests (layer, requested_by) values ('parcels', ${ada})`
    await sql`insert into search_index_work (kind, state, requested_by) values ('check', 'done', ${ada})`
    await sql`insert into events (kind, error_message) values ('job', ${`cancelled by ${ada}`})`
    await migrate(url)
    for (const [table, rows] of await readRows(sql)) {
      if (table !== 'accounts') expect([table, JSON.stringify(rows)]).toEqual([table, expect.not.stringContaining('@')])
    }
    const [account] = await sql<{ name: string }[]>`select account_name(id) as name from accounts`
    const name = account?.name ?? ''
    const [job] = await sql`select requested_by, error_message, failures from scrape_jobs where source_parcel_id = '4'`
    const [vendor] = await sql<{ by: string }[]>`select updated_by as by from vendor_concurrency`
    expect(vendor?.by).toMatch(/^account [0-9a-f]{12}$/)
    expect(job).toEqual({
      requested_by: name,
      error_message: `cancelled by ${name}`,
      failures: [
        { attempt: 1, error_message: 'too long' },
        { attempt: 2, error_message: `cancelled by ${vendor?.by}` },
      ],
    })
    const [entry] = await sql`select actor, reason from tuning_log where actor <> 'tuner'`
    expect(entry).toEqual({ actor: name, reason: `set by ${name}: mode manual` })
  }, 60_000)

  const expectTallies = async (sql: Sql) => {
    const [tally] = await sql`
      select sum(parcels)::int as parcels, sum(queued)::int as queued, sum(running)::int as running, sum(errors)::int as errors,
        max(last_success_at) is not null as succeeded from source_tallies where source = 'elm'`
    expect(tally).toEqual({ parcels: 5, queued: 1, running: 1, errors: 1, succeeded: true })
  }

  test(`of the first version (${first}): rows stay, counters that came later are right, people keep role and plan`, async () => {
    const old = await createOldDatabase(first)
    const { sql } = old
    await insertFirstKinds(sql)
    await sql`update accounts set role = 'admin', paid = true`
    await sql`insert into accounts (issuer, subject, email) values ('https://id.example', 'ben', 'ben@larkspur.example')`
    await upgrade(old, (table, row) => {
      if (table !== 'accounts') return row
      const { paid: _, ...kept } = row
      return { ...kept, role: row.role === 'user' ? 'member' : row.role }
    })
    await expectTallies(sql)
    expect([...(await sql`select email, role, plan from accounts order by email`)]).toEqual([
      { email: 'ada@larkspur.example', role: 'admin', plan: 'paid' },
      { email: 'ben@larkspur.example', role: 'member', plan: 'free' },
    ])
    const [build] = await sql`select finished_at = published_at as finished from tile_builds`
    expect(build).toEqual({ finished: true })
    const [entity] = await sql`select linked_parcel_count as linked from entities`
    expect(entity).toEqual({ linked: 2 })
  }, 60_000)

  test(`of two versions ago (${twoAgo}): rows stay, and triggers count on`, async () => {
    const old = await createOldDatabase(twoAgo)
    const { sql } = old
    await insertFirstKinds(sql)
    await insertLaterKinds(sql)
    await upgrade(old)
    await expectTallies(sql)
    await sql`delete from parcels where source_parcel_id = '5'`
    await sql`update scrape_jobs set status = 'done', finished_at = now(), lease_expires_at = null where status = 'running'`
    const [tally] = await sql`select sum(parcels)::int as parcels, sum(running)::int as running from source_tallies`
    expect(tally).toEqual({ parcels: 4, running: 0 })
  }, 60_000)

  test('whose jobs ended before they began: they end when they began, in no time', async () => {
    const old = await createOldDatabase('0029_vendor_room')
    const { sql, url } = old
    await insertFirstKinds(sql)
    await sql`insert into scrape_jobs (source, source_parcel_id, vendor, status, started_at, finished_at, duration_ms)
      values ('elm', 'backwards', 'arcgis-rest', 'error', '2026-10-01T10:00:00.5Z', '2026-10-01T10:00Z', -500)`
    await sql`insert into crawls (source, vendor, base_url, vendor_config, status, started_at, finished_at)
      values ('elm', 'arcgis-rest', 'https://elm.example', '{}', 'error', '2026-10-01T10:00:00.5Z', '2026-10-01T10:00Z')`
    await migrate(url)
    const ends = await sql`
      select finished_at = started_at as at_once, duration_ms from scrape_jobs where source_parcel_id = 'backwards'
      union all select finished_at = started_at, 0 from crawls where status = 'error'`
    expect([...ends]).toEqual(Array.from({ length: 2 }, () => ({ at_once: true, duration_ms: 0 })))
  })

  test('whose texts are longer than is kept by now: they are cut, what is too large is dropped, and every row stays', async () => {
    const old = await createOldDatabase('0025_compare_updates_as_sets')
    const { sql } = old
    await insertFirstKinds(sql)
    const columns = ['owner_name', 'owner_mailing_address', 'situs_address', 'situs_city', 'situs_state', 'situs_zip']
    const more = ['land_use_class', 'zoning_code', 'zoning_description']
    for (const column of [...columns, ...more])
      await sql`update parcels set ${sql(column)} = repeat('é', 5000) where source_parcel_id = '4'`
    await sql`update parcels set owner_names_all = array_fill(repeat('x', 700), array[300]),
      scrape_data = jsonb_build_object('text', repeat('x', 20000000)) where source_parcel_id = '4'`
    await sql`insert into entities (jurisdiction, registry_number, name, entity_type, status, registered_agent_name) values
      ('OR', repeat('7', 999) || 'a', repeat('n', 999), repeat('t', 999), repeat('s', 999), repeat('r', 999)),
      ('OR', repeat('7', 999) || 'b', 'ELM LLC', null, null, null)`
    await sql`insert into findings (parcel_id, rule, subject, severity, category, evidence, suggested_action)
      select id, 'r', repeat('s', 999), 'low', 'tax', '{}', 'look' from parcels where source_parcel_id = '4'`
    await migrate(old.url)
    const [parcel] = await sql`select *, cardinality(owner_names_all) as names, length(owner_names_all[200]) as longest
      from parcels where source_parcel_id = '4'`
    expect(parcel).toMatchObject({
      situs_state: `${'é'.repeat(99)}…`,
      owner_name: `${'é'.repeat(499)}…`,
      scrape_data: {},
    })
    expect(parcel).toMatchObject({
      names: 200,
      longest: 500,
      zoning_description: `${'é'.repeat(1_999)}…`,
      scraped_at: null,
    })
    const [other] = await sql`select scrape_data from parcels where source_parcel_id = '3'`
    expect(other).toEqual({ scrape_data: { tax: { due: 12.5 } } })
    expect(await sql`select from parcels`).toHaveLength(5)
    expect(await sql`select from entities`).toHaveLength(3)
    expect([...(await sql`select rule from findings`)]).toEqual([{ rule: 'owner-changed' }])
  }, 60_000)
})
