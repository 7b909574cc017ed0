import { expect, test } from 'bun:test'
import { createLatencyWindow } from '../../../core/observe/latency-window'
import { ANYBODY, readPrimary } from '../../../core/postgres/replicas/reads'
import { listSourcesToCount, selectSourcesToCount } from '../../../drizzle/queries/coverage/list-sources-to-count'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { countCoverage } from '../../../src/coverage/count-coverage'
import { type CountOptions, countSource } from '../../../src/coverage/count-source'
import { readCoverage } from '../../../src/coverage/read-coverage'
import { countRowsProcessed } from '../../drizzle/rows-read'
import { createTestApp, insertCounty } from '../../http/test-app'
import { countNow } from './count'

const LOT = (west: number, south: number) => ({
  geom: {
    type: 'MultiPolygon' as const,
    coordinates: [
      [
        [
          [west, south],
          [west + 1, south],
          [west + 1, south + 1],
          [west, south],
        ],
      ],
    ],
  },
  bbox: [west, south, west + 1, south + 1] as [number, number, number, number],
})

/** A service without a document that an earlier test cached. */
const open = async () => {
  const service = await createTestApp()
  const read = async (headers: Record<string, string> = {}) => service.call('/v1/coverage', { key: null, headers })
  return { ...service, read }
}
/** Reads around the response that is cached for a minute. */
const readFirst = async (sql: Awaited<ReturnType<typeof createTestApp>>['sql']) =>
  (await readCoverage(readPrimary(sql), ANYBODY, createLatencyWindow())).sources[0]
const readService = async (sql: Awaited<ReturnType<typeof createTestApp>>['sql']) =>
  (await readFirst(sql))?.last_refresh_at
const asIf = (sql: Awaited<ReturnType<typeof createTestApp>>['sql'], ago: string) =>
  sql`update source_coverage set counted_at = now() - ${ago}::text::interval`

test('200: without sources, the service’s own figures', async () => {
  const { read } = await open()
  const { status, body, headers } = await read()
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toBe('public, max-age=60')
  expect(body).toEqual({
    dataset_version: 0,
    generated_at: expect.any(String),
    api: { requests: 0, p50_ms: null, p95_ms: null },
    count: 0,
    sources: [],
  })
})

test('200: parcels, retired parcels, fill rates, box, dates, changes and state of each county', async () => {
  const { sql, read } = await open()
  await insertCounty(sql, 'elm')
  await insertCounty(sql, 'oak')
  await upsertParcels(sql, 'elm', [
    { sourceParcelId: '1', ownerName: 'ADA', assessedValue: 0, ...LOT(-120, 43) },
    { sourceParcelId: '2', ownerName: 'BO', ...LOT(-118, 44) },
    { sourceParcelId: '3' },
    { sourceParcelId: '4' },
    { sourceParcelId: '5', ownerName: 'GONE', ...LOT(-10, 10) },
  ])
  await sql`update parcels set retired_at = now() where source_parcel_id = '5'`
  await sql`update parcels set owner_name = 'ADA B' where source_parcel_id = '1'`
  await sql`update sources set active = true, last_known_data_as_of = '2026' where source in ('elm', 'oak')`
  await sql`update sources set last_known_data_as_of = '2019' where source = 'oak'`
  await countNow(sql)
  const { body } = await read()
  expect(body.count).toBe(2)
  const [elm, oak] = body.sources
  expect(elm).toEqual({
    source: 'elm',
    state: 'OR',
    county_name: 'Elm',
    status: expect.stringMatching(/^(ok|overdue)$/),
    parcels: 4,
    retired: 1,
    fill_rates: expect.objectContaining({
      owner_name: 0.5,
      owner_names_all: 0.5,
      assessed_value: 0.25,
      geom: 0.5,
      situs_address: 0,
    }),
    bbox: [-120, 43, -117, 45],
    last_refresh_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data_as_of: '2026',
    data_is_stale: false,
    changes_30d: 7,
    counted_at: expect.any(String),
  })
  expect(oak).toMatchObject({
    parcels: 0,
    retired: 0,
    fill_rates: null,
    bbox: null,
    last_refresh_at: null,
    data_as_of: '2019',
    data_is_stale: true,
    changes_30d: 0,
  })
  expect(body.dataset_version).toBe(7)
})

test('the last refresh is the last scrape, complete refresh or applied load: not an undo, an operator’s change or a held load', async () => {
  const { sql } = await open()
  await insertCounty(sql, 'elm')
  await upsertParcels(sql, 'elm', [{ sourceParcelId: '1', ownerName: 'ADA' }])
  await sql`update parcels set ingested_at = '2026-01-01T00:00:00Z', updated_at = '2026-01-02T00:00:00Z'`
  await countNow(sql)
  expect(await readService(sql)).toBe('2026-01-01T00:00:00.000Z')
  const insertLoad = (status: string, at: string) => sql`
    insert into loads (id, source, kind, status, applied_at) values (uuidv7(), 'elm', 'ingest', ${status}, ${at})`
  await insertLoad('applied', '2026-02-01T00:00:00Z')
  for (const [month, status] of ['held', 'discarded', 'undone', 'failed'].entries())
    await insertLoad(status, `2026-0${month + 5}-01T00:00:00Z`)
  // A held crawl is work that has ended, but none of its values are stored.
  await sql`
    insert into work (kind, subject, source, status, created_at, started_at, finished_at)
    values ('crawl', 'elm', 'elm', 'done', '2026-06-01', '2026-06-01', '2026-06-02')`
  expect(await readService(sql)).toBe('2026-02-01T00:00:00.000Z')
  await sql`update sources set last_full_scrape_at = '2026-03-01T00:00:00Z'`
  expect(await readService(sql)).toBe('2026-03-01T00:00:00.000Z')
  await sql`update source_tallies set last_success_at = '2026-04-01T00:00:00Z' where source = 'elm'`
  expect(await readService(sql)).toBe('2026-04-01T00:00:00.000Z')
})

test('no detail of a portal is public, and an inactive source without parcels is left out', async () => {
  const { sql, read } = await open()
  await insertCounty(sql, 'elm')
  await insertCounty(sql, 'oak')
  await upsertParcels(sql, 'elm', [{ sourceParcelId: '1' }])
  await countNow(sql)
  const { body, text } = await read()
  expect(body.sources.map(({ source, status }: Record<string, string>) => [source, status])).toEqual([
    ['elm', 'inactive'],
  ])
  expect(text).not.toMatch(/vendor|arcgis|elm\.example|base_url|config|job/)
})

test('sources without parcels are counted together, however many there are', async () => {
  const { sql, read } = await open()
  await sql`
    insert into sources (source, state, county_name, vendor, base_url, active)
    select 'county-' || n, 'OR', 'County ' || n, 'none', 'https://a.example', true from generate_series(1, 50) n`
  await sql`insert into source_refresh_policies (source, next_due_at) select source, now() from sources`
  await upsertParcels(sql, 'county-7', [{ sourceParcelId: '1' }], { cause: 'ingest', id: null })
  let transactions = 0
  const lead: Parameters<typeof countCoverage>[1] = {
    begin: (own, write) => {
      transactions++
      return own.begin(write) as never
    },
    isAtWork: () => {},
  }
  await countCoverage(sql, lead, () => false)
  // The changes, the sources without parcels, and the source with parcels.
  expect(transactions).toBe(3)
  const { sources } = (await read()).body
  expect(sources.map(({ parcels }: { parcels: number }) => parcels).toSorted()).toEqual([...Array(49).fill(0), 1])
  for (const { counted_at, fill_rates, parcels } of sources) {
    expect(counted_at).toEqual(expect.any(String))
    expect(fill_rates === null).toBe(parcels === 0)
  }
})

test('parcels are counted again after a load, otherwise once an hour, and never without changes', async () => {
  const { sql } = await open()
  await insertCounty(sql, 'elm')
  const count = async () => {
    await countNow(sql)
    const [row] = await sql<{ parcels: number; countedAt: Date }[]>`
      select parcels::int as parcels, counted_at as "countedAt" from source_coverage`
    return row
  }
  const load = (id: string, cause: 'ingest' | 'crawl' | 'undo' = 'ingest') =>
    upsertParcels(sql, 'elm', [{ sourceParcelId: id }], { cause, id: null })
  await load('1')
  const first = await count()
  expect(first?.parcels).toBe(1)
  await asIf(sql, '2 hours')
  const before = await sql`select counted_at from source_coverage`
  await count()
  expect([...(await sql`select counted_at from source_coverage`)]).toEqual([...before])

  for (const [index, cause] of (['ingest', 'crawl', 'undo'] as const).entries()) {
    await load(cause, cause)
    await asIf(sql, '6 minutes')
    expect((await count())?.parcels).toBe(index + 1)
    await sql`update parcel_changes set at = at - interval '2 minutes'`
    await asIf(sql, '4 minutes')
    expect((await count())?.parcels).toBe(index + 1)
    await asIf(sql, '6 minutes')
    expect((await count())?.parcels).toBe(index + 2)
  }

  await upsertParcels(sql, 'elm', [{ sourceParcelId: '3' }], { cause: 'scrape', id: null })
  await asIf(sql, '59 minutes')
  expect((await count())?.parcels).toBe(4)
  await asIf(sql, '61 minutes')
  expect((await count())?.parcels).toBe(5)
})

test('a source that is counted in pieces has the same figures as in one', async () => {
  const { sql } = await open()
  await insertCounty(sql, 'elm')
  await upsertParcels(sql, 'elm', [
    { sourceParcelId: '1', ownerName: 'ADA', ...LOT(-120, 43) },
    { sourceParcelId: '2', ...LOT(-118, 47) },
    { sourceParcelId: '3', ownerName: 'BO' },
    { sourceParcelId: '4' },
    { sourceParcelId: '5', ownerName: 'CY', ...LOT(-122, 42) },
    { sourceParcelId: '6', ownerName: 'DEE', ...LOT(-110, 44) },
    { sourceParcelId: '7', assessedValue: 1 },
    { sourceParcelId: '8', assessedValue: 1 },
  ])
  await sql`update parcels set retired_at = now() where source_parcel_id in ('4', '7')`
  await sql`update parcels set ingested_at = ingested_at - (source_parcel_id <> '5')::int * interval '1 day'`
  const count = async (parcelsAtOnce?: number) => {
    const begin: CountOptions['begin'] = (write) => sql.begin(write)
    await countSource(sql, 'elm', { begin, ...(parcelsAtOnce === undefined ? {} : { parcelsAtOnce }) })
    const [row] = await sql`select to_jsonb(c) - 'counted_at' as counts from source_coverage c`
    return row?.counts
  }
  const inOne = await count()
  expect(inOne).toMatchObject({ parcels: 6, retired: 2, filled: { owner_name: 4, assessed_value: 1, geom: 4 } })
  for (const parcelsAtOnce of [1, 2, 3, 7]) expect(await count(parcelsAtOnce)).toEqual(inOne)
})

test('each change is counted once on its day, for 30 days, and a renamed source keeps its counts of parcels', async () => {
  const { sql, read } = await open()
  await insertCounty(sql, 'elm')
  await upsertParcels(sql, 'elm', [{ sourceParcelId: '1' }, { sourceParcelId: '2' }])
  await countNow(sql)
  await countNow(sql)
  await sql`update parcels set owner_name = 'ADA' where source_parcel_id = '1'`
  await sql`update parcel_changes set at = at - interval '31 days' where action = 'changed'`
  await sql`update parcels set owner_name = 'BO' where source_parcel_id = '1'`
  await countNow(sql)
  await countNow(sql)
  const [days] = await sql`select sum(changes)::int as changes from source_days`
  expect(days?.changes).toBe(3)
  await sql`update source_days set day = day - 28`
  expect((await readFirst(sql))?.changes_30d).toBe(3)
  await sql`update source_days set day = day - 3`
  expect((await readFirst(sql))?.changes_30d).toBe(0)
  await sql`update sources set source = 'yew' where source = 'elm'`
  expect((await read()).body.sources[0]).toMatchObject({ source: 'yew', parcels: 2 })
})

test('requests to /v1 are measured, but not those that wait for a portal, and not documents', async () => {
  const { sql, call, read } = await open()
  await insertCounty(sql, 'elm')
  await call('/v1/sources')
  await call('/v1/findings/elm/1')
  await call('/v1/parcels/elm/1/scrape-now', { method: 'POST' })
  await call('/health')
  const { body } = await read()
  expect(body.api).toEqual({ requests: 2, p50_ms: expect.any(Number), p95_ms: expect.any(Number) })
})

test('one document serves all callers for a minute: compressed, revalidated by ETag, built once', async () => {
  const { sql, app, read } = await open()
  await sql`
    insert into sources (source, state, county_name, vendor, base_url, active)
    select 'county-' || n, 'OR', 'County ' || n, 'none', 'https://a.example', true from generate_series(1, 50) n`
  await sql`insert into source_refresh_policies (source, next_due_at) select source, now() from sources`
  const [one, other] = await Promise.all([read(), read()])
  expect(one.body.count).toBe(50)
  expect(other.text).toBe(one.text)
  await sql`update sources set county_name = 'Other'`
  expect((await read()).text).toBe(one.text)

  const get = (headers: Record<string, string>) =>
    app.handle(new Request('http://localhost/v1/coverage', { headers: { 'accept-encoding': 'zstd', ...headers } }))
  const compressed = await get({})
  expect(compressed.headers.get('content-encoding')).toBe('zstd')
  const etag = compressed.headers.get('etag') ?? ''
  expect((await get({ 'if-none-match': etag })).status).toBe(304)
})

test('finding the sources to count reads one change of each, even if few counties have all changes', async () => {
  const { sql } = await open()
  const full = ['elm', 'oak']
  const empty = Array.from({ length: 40 }, (_, n) => `empty-${n}`)
  for (const source of [...full, ...empty]) await insertCounty(sql, source)
  await countNow(sql)
  await sql`
    insert into parcel_changes (version, at, parcel_id, source, source_parcel_id, action, cause, changes)
    select 1000 + n, now() - interval '2 minutes', uuidv7(), (${full}::text[])[1 + n % 2], n::text, 'created', 'ingest',
      jsonb_build_object('situs_address', jsonb_build_array(null, repeat('N ALDER ST ', 40)))
    from generate_series(1, 80000) n`
  await sql`analyze parcel_changes`
  await asIf(sql, '6 minutes')
  expect(await listSourcesToCount(sql)).toEqual(full)
  expect(await countRowsProcessed(sql, selectSourcesToCount(sql))).toBeLessThan(1_000)
})
