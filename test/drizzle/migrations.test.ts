import { afterAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { LISTED_PARCELS } from '../../core/parcels/filter'
import { connectDatabase, type Sql } from '../../core/postgres/database'
import { listExistingFunctions, listFunctions } from '../../drizzle/install-functions'
import { migrate } from '../../drizzle/migrate'
import { findCrawl, listCrawlRejects } from '../../drizzle/queries/crawls/crawls'
import { readSearchIndex } from '../../drizzle/queries/search/search-index-work'
import { listRequestedTiles } from '../../drizzle/queries/tiles/requested-tiles'
import { claimWork } from '../../drizzle/queries/work/claim-work'
import { version } from '../../package.json'
import { createTestDatabase, waitFor } from '../support/servers'
import { readCatalog } from './catalog'

const dir = mkdtempSync(join(tmpdir(), 'migrations-'))
afterAll(() => rmSync(dir, { recursive: true }))

const createEmptyDatabase = async (): Promise<{ url: string; sql: Sql }> => {
  const { url, sql } = await createTestDatabase()
  await sql`drop schema drizzle cascade`
  await sql`drop schema public cascade`
  await sql`create schema public`
  return { url, sql }
}

/** A database as the 34 migrations before the baseline left it, with a few rows. */
const createOldDatabase = async (): Promise<{ url: string; sql: Sql }> => {
  const { url, sql } = await createEmptyDatabase()
  await sql.unsafe(readFileSync('test/support/fixtures/before-baseline.sql', 'utf8'))
  return { url, sql }
}

/** A copy of `drizzle/` with an edited file. */
const copySchema = (name: string, file: string, edit: (text: string) => string): string => {
  const folder = join(dir, name)
  for (const part of ['migrations', 'functions']) cpSync(`drizzle/${part}`, join(folder, part), { recursive: true })
  writeFileSync(join(folder, file), edit(readFileSync(join(folder, file), 'utf8')))
  return folder
}

/** Appends a migration to a copy of `drizzle/`. */
const addMigration = (folder: string, statements: string): void => {
  const file = join(folder, 'migrations/meta/_journal.json')
  const journal = JSON.parse(readFileSync(file, 'utf8'))
  const tag = '9999_newer'
  journal.entries.push({ ...journal.entries.at(-1), idx: journal.entries.length, when: Date.now() + 1_000, tag })
  writeFileSync(file, JSON.stringify(journal))
  writeFileSync(join(folder, `migrations/${tag}.sql`), statements)
}

const migrateFourTimes = (url: string) => Promise.all([migrate(url), migrate(url), migrate(url), migrate(url)])

test('four processes can migrate a migrated database together, and nothing changes', async () => {
  const { url, sql } = await createTestDatabase()
  const catalog = await readCatalog(sql)
  await migrateFourTimes(url)
  expect(catalog.length).toBeGreaterThan(500)
  expect(await readCatalog(sql)).toEqual(catalog)
})

test('four processes can migrate an empty database together', async () => {
  const { url, sql } = await createEmptyDatabase()
  await migrateFourTimes(url)
  expect(await readCatalog(sql)).toEqual(await readCatalog((await createTestDatabase()).sql))
})

test('an older version leaves the schema of a newer one as it is', async () => {
  const { url, sql } = await createTestDatabase()
  const ofNewer = 'create or replace function of_newer() returns integer language sql as $$ select 1 $$'
  const newer = copySchema('newer', 'functions/iso-utc.sql', (text) => `${text}\n--> statement-breakpoint\n${ofNewer}`)
  addMigration(newer, 'create table of_newer (id integer)')
  expect(await migrate(url)).toBe(true)
  expect(await migrate(url, newer)).toBe(true)
  const catalog = await readCatalog(sql)
  expect(await migrate(url)).toBe(false)
  expect(await readCatalog(sql)).toEqual(catalog)
  expect(await sql`select of_newer() as answer`).toMatchObject([{ answer: 1 }])
})

test('an older version leaves the functions of a newer one as they are, although that version has no new migration', async () => {
  const { url, sql } = await createTestDatabase()
  const newer = copySchema('newer-function', 'functions/iso-utc.sql', (text) =>
    text.replace(/\$\$\s/, '$$$$ -- Of the newer version.\n'),
  )
  const isOfNewer = async () => {
    const rows = await sql<{ text: string }[]>`select pg_get_functiondef('iso_utc'::regproc) as text`
    return rows[0]?.text.includes('Of the newer version')
  }
  expect(await migrate(url, newer)).toBe(true)
  expect(await isOfNewer()).toBe(true)
  await sql`update drizzle.service_version set version = '999.0.0'`
  expect(await migrate(url)).toBe(false)
  expect(await isOfNewer()).toBe(true)
  // Commits between two versions have the same number.
  await sql`update drizzle.service_version set version = ${version}`
  expect(await migrate(url)).toBe(true)
  expect(await isOfNewer()).toBe(false)
  await sql`update drizzle.service_version set version = '0.0.1'`
  expect(await migrate(url)).toBe(true)
  expect(await sql`select version from drizzle.service_version`).toEqual([{ version }] as never)
})

test('requests are answered while a migration waits for a long transaction', async () => {
  const { url, sql } = await createTestDatabase()
  const newer = copySchema('of-waiting', 'functions/iso-utc.sql', (text) => text)
  addMigration(newer, 'alter table parcels add column of_newer integer')
  const long = connectDatabase(url, { max: 1, applicationName: 'long' })
  const request = connectDatabase(url, { max: 1, patience: 'endless' })
  const lines: string[] = []
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>()
  const transaction = long.begin(async (tx) => {
    await tx`select from parcels`
    begin()
    await isOver
  })
  try {
    await hasBegun
    const migrated = migrate(url, newer, (line) => lines.push(line))
    await waitFor(async () => {
      const waits = await sql`
        select from pg_locks l join pg_stat_activity using (pid)
        where not granted and relation = 'parcels'::regclass and application_name = 'migrate'`
      return waits.length === 1
    })
    expect(await request`select count(*)::int as count from parcels`).toEqual([{ count: 0 }] as never)
    await waitFor(() => lines.length > 0)
    expect(lines).toEqual([
      expect.stringMatching(
        /^the migration waits for a lock and tries again: the oldest transaction is that of session \d+ \(long, idle in transaction\), open for \d+ s/,
      ),
    ])
    end()
    await transaction
    expect(await migrated).toBe(true)
    expect(await sql`select of_newer from parcels`).toEqual([] as never)
  } finally {
    end()
    await Promise.all([long.end(), request.end()])
  }
})

test('drizzle-kit finds no difference between drizzle/schema and the migrations', () => {
  const folder = copySchema('generate', 'migrations/meta/_journal.json', (text) => text)
  const { stdout, stderr } = Bun.spawnSync(
    ['bunx', '--bun', 'drizzle-kit', 'generate', '--dialect=postgresql', '--schema=drizzle/schema/**/*.ts'].concat(
      `--out=${relative('.', join(folder, 'migrations'))}`,
    ),
  )
  expect(`${stdout}${stderr}`).toContain('No schema changes')
})

/** Every row of every table, with all its columns or those named. */
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

/** Their rows become rows of `work`. */
const MOVED_TO_WORK = ['crawls', 'crawl_rejects', 'search_index_work', 'tile_build_requests']
/** The progress of a tile build becomes that of its work. */
const withoutProgress = ({ share, parcels, tiles, ...build }: Record<string, unknown>) => build
/** The change log records where values are from. */
const withoutOrigins = ({ scrape_origins, ...parcel }: Record<string, unknown>) => parcel
const DROPPED: Record<string, (row: Record<string, unknown>) => Record<string, unknown>> = {
  tile_builds: withoutProgress,
  parcels: withoutOrigins,
}

describe('upgrading a database that the 34 migrations before the baseline made', () => {
  /** Upgrades, and expects every row to be kept with its values. `changed` returns the row that the upgrade should make of a row. */
  const upgrade = async (
    { url, sql }: { url: string; sql: Sql },
    changed: (table: string, row: Record<string, unknown>) => Record<string, unknown> = (table, row) =>
      DROPPED[table]?.(row) ?? row,
  ) => {
    const before = await readRows(sql)
    await migrate(url)
    const columns = new Map([...before].map(([table, [row = {}]]) => [table, Object.keys(changed(table, row))]))
    const after = await readRows(sql, columns)
    for (const [table, rows] of before) {
      if (MOVED_TO_WORK.includes(table)) continue
      const wanted = rows.map((row) => changed(table, row))
      expect([table, after.get(table)]).toEqual([table, expect.arrayContaining(wanted)])
    }
  }

  const readTally = async (sql: Sql) => {
    const [tally] = await sql`
      select sum(parcels)::int as parcels, sum(queued)::int as queued, sum(running)::int as running, sum(errors)::int as errors,
        max(last_success_at) is not null as succeeded from source_tallies where source = 'elm'`
    return tally
  }

  test('every row stays, and the schema equals that of a new database', async () => {
    const old = await createOldDatabase()
    await upgrade(old)
    expect(await readCatalog(old.sql)).toEqual(await readCatalog((await createTestDatabase()).sql))
  })

  test('running crawls, builds and work on the search index continue', async () => {
    const { url, sql } = await createOldDatabase()
    await sql`update sources set vendor = 'arcgis-rest', vendor_config = '{"columns": {}}'`
    await sql`delete from crawls`
    const moment = '2026-01-02T03:04:05.678Z'
    const [crawl] = await sql`
      insert into crawls (source, vendor, base_url, vendor_config, status, cursor, attempts, failures, pages, inserted, updated,
        unchanged, rejected, records, total, error_code, error_message, requested_by, not_before, lease_expires_at, created_at, started_at)
      select source, vendor, base_url, vendor_config, 'running', '17', 3, 1, 2, 5, 4, 3, 1, 13, 90, 'throttled', 'later', 'operator',
        ${moment}, ${moment}, ${moment}, ${moment} from sources where source = 'elm' returning id`
    await sql`insert into crawl_rejects (crawl_id, what, reason) select ${crawl?.id}, n, 'no id' from generate_series(1, 3) n`
    await sql`update search_index_work set state = 'requested', requested_by = 'ada', requested_at = ${moment}, checked_at = ${moment},
      missing = 2, extra = 1, different = 0 where kind = 'check'`
    await sql`insert into search_index_work (kind, state, started_at, done, total) values ('rebuild', 'running', ${moment}, 10, 90)`
    await sql`insert into tile_builds (layer, share, parcels, tiles, requested_by) values ('farms', 0.5, 7, 3, 'ben')`
    const [left] = await sql`insert into tile_builds (layer) values ('parcels') returning id`
    const events = await sql`select from events`
    await migrate(url)

    const [claimed] = await claimWork(sql, { kind: 'crawl', vendors: ['arcgis-rest'], leaseMs: 1_000 })
    expect(claimed).toEqual({
      ...{
        id: crawl?.id,
        kind: 'crawl',
        subject: 'elm',
        source: 'elm',
        vendor: 'arcgis-rest',
        priority: 0,
        attempt: 4,
        failures: 2,
      },
      ...{
        payload: { base_url: expect.any(String), vendor_config: { columns: {} } },
        cursor: '17',
        done: 13,
        total: 90,
        requestedBy: 'operator',
      },
    })
    expect(await listCrawlRejects(sql, crawl?.id, 10)).toMatchObject([{ what: '1' }, { what: '2' }, { what: '3' }])
    expect(JSON.parse((await findCrawl(sql, { source: 'elm', id: crawl?.id, rejects: 0 })) ?? '')).toMatchObject({
      ...{ pages: 2, inserted: 5, updated: 4, unchanged: 3, rejected: 1, total: 90, requested_by: 'operator' },
      ...{ error_code: 'throttled', created_at: moment, started_at: moment },
    })
    expect(
      JSON.parse(
        await readSearchIndex(sql, [{ name: 'meilisearch:7700', states: 'all', queue: null, documents: null }]),
      ),
    ).toMatchObject({
      drift: { checked_at: moment, missing: 2, extra: 1, different: 0 },
      check: { state: 'requested', requested_by: 'ada', requested_at: moment, started_at: null },
      rebuild: { state: 'running', done: 10, total: 90, started_at: moment, requested_by: null },
    })
    expect([
      ...(await sql`
        select w.done::int, w.result from tile_builds b join work w on w.id = b.work_id where b.layer = 'farms'`),
    ]).toEqual([{ done: 7, result: { share: 0.5, tiles: 3 } }])
    // A build without a leader continues, or the build that was requested in the meantime.
    expect((await listRequestedTiles(sql)).toSorted((a, b) => (a.layer < b.layer ? -1 : 1))).toEqual([
      { layer: 'farms', filter: LISTED_PARCELS },
      { layer: 'parcels', filter: LISTED_PARCELS },
    ])
    expect([...(await sql`select status, error_code from work where id = ${left?.id}`)]).toEqual([
      { status: 'error', error_code: 'worker_lost' },
    ])
    const [build] =
      await sql`select count(*)::int as n from tile_builds b join work w on w.id = b.work_id and w.subject = b.layer`
    expect(build?.n).toBe(3)
    // Claiming the crawl sends two events; the move sends none.
    expect((await sql`select from events`).length).toBe(events.length + 2)
  })

  test('triggers continue the counts', async () => {
    const { url, sql } = await createOldDatabase()
    await migrate(url)
    expect(await readTally(sql)).toEqual({ parcels: 5, queued: 1, running: 1, errors: 1, succeeded: true })
    const [entity] = await sql`select linked_parcel_count as linked from entities`
    expect(entity).toEqual({ linked: 2 })
    await sql`delete from parcels where source_parcel_id = '5'`
    await sql`update scrape_jobs set status = 'done', finished_at = now(), lease_expires_at = null where status = 'running'`
    expect(await readTally(sql)).toMatchObject({ parcels: 4, running: 0 })
  })

  test('parcels and companies that write a company form in another way are of one owner afterwards', async () => {
    const { url, sql } = await createOldDatabase()
    await sql`update parcels set owner_name = 'JUNIPER FARMS L L C' where source_parcel_id = '5'`
    await sql`insert into entities (jurisdiction, registry_number, name) values ('WA', '2', 'Juniper Farms Ltd. Liability Co.')`
    await migrate(url)
    const names = await sql`select distinct owner_name_normalized as name from parcels where source_parcel_id = '5'`
    expect([...names]).toEqual([{ name: 'juniper farms llc' }])
    const linked = await sql`
      select linked_parcel_count as counted, (select count(*)::int from entity_parcels where entity_id = e.id) as linked,
        (select count(*)::int from live_parcels p where p.owner_name_normalized = e.name_normalized) as owned
      from entities e`
    expect(linked).toHaveLength(2)
    for (const { counted, linked: links, owned } of linked) expect([counted, links]).toEqual([owned, owned])
    expect(linked[0]?.owned).toBeGreaterThan(0)
  })

  test('four processes can upgrade it together', async () => {
    const { url, sql } = await createOldDatabase()
    await migrateFourTimes(url)
    expect(await sql`select from parcels`).toHaveLength(5)
  })

  test('a database with only some of the 34 migrations is refused and not changed', async () => {
    const { url, sql } = await createOldDatabase()
    await sql`delete from drizzle.__drizzle_migrations where id = 34`
    const catalog = await readCatalog(sql)
    await expect(migrate(url)).rejects.toThrow('only some of the migrations before the baseline')
    expect(await readCatalog(sql)).toEqual(catalog)
    const [installed] = await sql`select to_regclass('drizzle.installed_functions') as name`
    expect(installed?.name).toBeNull()
  })
})

describe('functions and triggers', () => {
  test('a migrated database has exactly the functions and triggers of drizzle/functions', async () => {
    const { sql } = await createTestDatabase()
    const declared = listFunctions().map(({ name }) => name)
    expect([...(await listExistingFunctions(sql))].toSorted()).toEqual(declared.toSorted())
  })

  test('PostgreSQL accepts every body', async () => {
    const { sql } = await createTestDatabase()
    const checked = await sql`
      select proname, case lanname when 'sql' then fmgr_sql_validator(p.oid)::text else plpgsql_validator(p.oid)::text end
      from pg_proc p join pg_language l on l.oid = prolang
      where pronamespace = 'public'::regnamespace and lanname in ('sql', 'plpgsql')`
    expect(checked.length).toBe(listFunctions().filter(({ kind }) => kind === 'function').length)
  })

  const readBody = async (sql: Sql, name: string) =>
    (
      await sql<{ body: string; version: string }[]>`
      select prosrc as body, xmin::text as version from pg_proc where proname = ${name}`
    )[0]

  test('a changed function is installed, and an unchanged one is not touched', async () => {
    const { url, sql } = await createTestDatabase()
    const untouched = await readBody(sql, 'parcel_key')
    const folder = copySchema('changed', 'functions/iso-utc.sql', (text) => text.replace('.MS"Z"', '.US"Z"'))
    await migrate(url, folder)
    expect((await readBody(sql, 'iso_utc'))?.body).toContain('.US"Z"')
    expect(await readBody(sql, 'parcel_key')).toEqual(untouched)
  })

  test('functions that are no longer declared are dropped with their triggers; functions that the service did not install stay', async () => {
    const { url, sql } = await createTestDatabase()
    await sql`create function reports() returns integer language sql return 1`
    const folder = copySchema(
      'dropped',
      'functions/sources.sql',
      () =>
        `create or replace function sources_changed() returns trigger language plpgsql as $$ begin return null; end $$;
      --> statement-breakpoint
      create or replace trigger sources_changed after update on sources for each statement execute function sources_changed();`,
    )
    await migrate(url, folder)
    const existing = await listExistingFunctions(sql)
    const names = [...existing].filter((name) => /sources|reports/.test(name)).toSorted()
    expect(names).toEqual([
      'function reports()',
      'function sources_changed()',
      'trigger parcel_changes_renamed on sources',
      'trigger sources_changed on sources',
    ])
  })

  test('a trigger that was lost is installed again', async () => {
    const { url, sql } = await createTestDatabase()
    const catalog = await readCatalog(sql)
    await sql`drop trigger parcels_updated on parcels`
    await migrate(url)
    expect(await readCatalog(sql)).toEqual(catalog)
  })

  test('a failed installation changes nothing', async () => {
    const { url, sql } = await createTestDatabase()
    const catalog = await readCatalog(sql)
    const folder = copySchema('failing', 'functions/sources.sql', (text) =>
      text.replace('UPDATE ON sources', 'UPDATE ON nowhere'),
    )
    writeFileSync(
      join(folder, 'functions/iso-utc.sql'),
      readFileSync('drizzle/functions/iso-utc.sql', 'utf8').replace('.MS"Z"', '.US"Z"'),
    )
    await expect(migrate(url, folder)).rejects.toThrow('relation "nowhere" does not exist')
    expect(await readCatalog(sql)).toEqual(catalog)
  })

  test('a statement that is neither a function nor a trigger is refused, with its file', () => {
    const folder = copySchema('neither', 'functions/iso-utc.sql', () => 'create view v as select 1')
    expect(() => listFunctions(join(folder, 'functions'))).toThrow('iso-utc.sql: expected "create or replace function"')
  })
})
