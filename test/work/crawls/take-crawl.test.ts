import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { pino } from 'pino'
import { createPortalAccess } from '../../../adapters/http/http-client'
import { CRAWLED_VENDORS, findAdapter } from '../../../adapters/registry'
import { findFormerParcel } from '../../../drizzle/queries/changes/find-former-parcel'
import { cancelCrawl, listCrawlRejects, startCrawl } from '../../../drizzle/queries/crawls/crawls'
import { sweepCrawls } from '../../../drizzle/queries/crawls/sweep-crawls'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { claimWork } from '../../../drizzle/queries/work/claim-work'
import { failWork } from '../../../drizzle/queries/work/end-work-attempt'
import { sweepLostWork } from '../../../drizzle/queries/work/sweep-lost-work'
import { applyHeldLoad, undoCause } from '../../../src/orders/order-on-load'
import { runTuner } from '../../../src/scrape/run-tuner'
import { createLoadRunner } from '../../../src/work/load-runner'
import { takeWork } from '../../../src/work/take-work'
import { ESRI_ANSWERS, readFirstPage, serveAnswers } from '../../adapters/crawl/esri-answers'
import { LAYER, type LayerOptions, square, startLayer } from '../../adapters/crawl/layer'
import { insertVendor } from '../../jobs/job-rows'
import { createTestDatabase, waitFor } from '../../support/servers'
import {
  countParcels,
  insertLayerSource,
  lastFullScrapeOf,
  latestCrawl,
  type TakeCrawlDeps,
  takeCrawl,
} from './crawl-rows'

const { sql } = await createTestDatabase()
await insertVendor(sql, 'arcgis-rest', 50)
const portals = createPortalAccess({ userAgent: 'ParcelDataService/0', allowPrivate: true, spacingMs: 0 })
const deps: TakeCrawlDeps = {
  ...{ sql, findAdapter, vendors: CRAWLED_VENDORS, review: () => [], log: pino({ level: 'silent' }) },
  createContext: (source, signal) => ({ http: portals.clientFor(source, signal), openPage: null, signal }),
  heartbeatMs: 20,
}
const never = new AbortController().signal

let sources = 0
const addSource = async (layer: LayerOptions, config?: Record<string, unknown>) => {
  const source = `layer-${sources++}`
  const portal = startLayer(layer)
  await insertLayerSource(sql, source, portal.url + LAYER, config)
  return { source, portal }
}
/** Runs one attempt of a crawl to its end. */
const crawl = async (
  source: string,
  { signal = never, ...more }: Partial<TakeCrawlDeps> & { signal?: AbortSignal } = {},
) => {
  const id = await startCrawl(sql, source, 'operator')
  expect(await takeCrawl({ ...deps, ...more }, { id, signal })).toBe(true)
  return latestCrawl(sql, source)
}
const parcelOf = async (source: string, id = 'P-1') => {
  const [row] = await sql`select * from parcels where source = ${source} and source_parcel_id = ${id}`
  return row
}
const ids = Array.from({ length: 10 }, (_, index) => index)
/** A layer whose second page waits for `letGo`. */
const holdLayer = () => {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const before = ({ searchParams }: URL) => (searchParams.get('where')?.includes('OID_1 > 2') ? promise : undefined)
  return { layer: { ids, before }, letGo: () => resolve(undefined) }
}

test('a layer that sends a record now and then fails each attempt, although each reads some records, and what was read stays', async () => {
  // The third request for features is never answered, and the records before it are too few.
  let asked = 0
  const before = ({ searchParams }: URL) =>
    searchParams.has('outFields') && ++asked % 3 === 0 ? new Promise<undefined>(() => {}) : undefined
  const { source } = await addSource({ ids, maxRecordCount: 1, before })
  const slow = { pace: { records: 300, withinMs: 5_000 }, retryDelay: () => 0 }
  expect(await crawl(source, slow)).toMatchObject({
    ...{ status: 'queued', failures: 1, pages: 2, inserted: 2, error_code: 'timeout' },
    error_message: expect.stringMatching(/^the layer sent 2 records in .* minutes, and a crawl needs at least 300$/),
  })
  expect(await crawl(source, slow)).toMatchObject({ status: 'queued', failures: 2, pages: 4, inserted: 4 })
})

test('crawls of layers that stall do not return before a crawl that has waited since', async () => {
  const vendor = 'stalled-layers'
  await insertVendor(sql, vendor, 1)
  const [stalled = '', healthy = ''] = await Promise.all(
    ['stalled', 'healthy'].map(async (source) => {
      await insertLayerSource(sql, source, 'https://portal.example')
      await sql`update sources set vendor = ${vendor} where source = ${source}`
      return source
    }),
  )
  const first = await startCrawl(sql, stalled, 'operator')
  const second = await startCrawl(sql, healthy, 'operator')
  const claim = () => claimWork(sql, { kind: 'crawl', vendors: [vendor], leaseMs: 60_000 })
  expect(await claim()).toMatchObject([{ id: first, attempt: 1 }])
  await failWork(sql, {
    ...{ id: first as string, attempt: 1, code: 'timeout', message: 'the portal did not answer within 60 s' },
    ...{ retryAfterMs: null, retryInMs: 0 },
  })
  expect(await claim()).toMatchObject([{ id: second }])
  await cancelCrawl(sql, { source: healthy }, 'cancelled by the test')
  expect(await claim()).toMatchObject([{ id: first, attempt: 2 }])
  await cancelCrawl(sql, { source: stalled }, 'cancelled by the test')
})

test('a crawl stores the whole layer with the same fields as a scrape, and the source counts as fully scraped', async () => {
  const { source } = await addSource({ ids })
  expect(await crawl(source)).toMatchObject({ status: 'done', pages: 4, inserted: 10, rejected: 0, total: 10 })
  expect(await parcelOf(source)).toMatchObject({
    owner_name: 'OWNER 1',
    geom: { type: 'MultiPolygon' },
    scraped_by: 'arcgis-rest',
    scraped_at: expect.any(Date),
    scrape_data_as_of: '2026-01-02',
    scrape_data: { parcel_number: 'P-1', owners: [{ name: 'OWNER 1' }] },
  })
  expect(await lastFullScrapeOf(sql, source)).not.toBeNull()
  expect([...(await sql`select last_known_data_as_of as known from sources where source = ${source}`)]).toEqual([
    { known: '2026-01-02' },
  ])
})

for (const { folder, layers } of ESRI_ANSWERS) {
  for (const { name, drawn, ...columns } of layers) {
    test(`${name}: all records of the layer are stored, with boundaries that maps can draw`, async () => {
      await insertLayerSource(sql, name, serveAnswers(folder, name).url + LAYER, { columns })
      const ids = readFirstPage(folder, name).features.map(({ attributes }) => `${attributes[columns.parcel_id]}`)
      expect(await crawl(name)).toMatchObject({ status: 'done', inserted: new Set(ids).size, rejected: 0 })
      const [row] = await sql`
        select count(*)::int as n, count(geom)::int as drawn, count(owner_name)::int as owned from parcels where source = ${name}`
      expect(row).toEqual({ n: new Set(ids).size, drawn: drawn ? new Set(ids).size : 0, owned: new Set(ids).size })
    })
  }
}

test('a layer with fewer fields than before removes none of them, and unchanged parcels are not indexed again', async () => {
  const { source } = await addSource({ ids })
  await upsertParcels(sql, source, [{ sourceParcelId: 'P-1', situsAddress: '12 ELM ST', acreage: 2 }])
  await crawl(source)
  await sql`delete from search_outbox`
  const poorer = startLayer({
    ids,
    attributes: (id) => ({ PIN: `P-${id}`, OWNER: null }),
    geometry: () => null,
  })
  await sql`update sources set base_url = ${poorer.url + LAYER} where source = ${source}`
  expect(await crawl(source)).toMatchObject({ status: 'done', inserted: 0, updated: 0, unchanged: 10 })
  expect(await parcelOf(source)).toMatchObject({
    ...{ owner_name: 'OWNER 1', situs_address: '12 ELM ST', acreage: 2, geom: { type: 'MultiPolygon' } },
    scrape_data: { owner_name: 'OWNER 1' },
  })
  expect(await countParcels(sql, source)).toBe(10)
  expect(await sql`select from search_outbox`).toHaveLength(0)
})

/** Crawls a layer of 40 parcels with zoning, then another layer that replaces it. The second crawl is held. */
const holdCrawl = async (changed: Partial<LayerOptions>) => {
  const many = Array.from({ length: 40 }, (_, index) => index)
  const fields = [{ name: 'ZONE', type: 'esriFieldTypeString' }]
  const attributes = (id: number) => ({ PIN: `P-${id}`, OWNER: `OWNER ${id}`, ZONE: `R-${id}` })
  const { source } = await addSource(
    { ids: many, maxRecordCount: 15, fields, attributes },
    { columns: { parcel_id: 'PIN', owner_names: ['OWNER'], zoning_code: 'ZONE' } },
  )
  await crawl(source)
  const before = await snapshotOf(source)
  const { url } = startLayer({ ids: many, maxRecordCount: 15, fields, attributes, ...changed })
  await sql`update sources set base_url = ${url + LAYER} where source = ${source}`
  const { id } = await crawl(source)
  expect(await snapshotOf(source)).toEqual(before)
  const [load] = await sql`select status, verdict from loads where id = ${id}`
  expect(load?.status).toBe('held')
  return { source, id, before, checks: load?.verdict.checks }
}
const snapshotOf = async (source: string) => [
  ...(await sql`
      select source_parcel_id, owner_name, owner_names_all, zoning_code, geom::text, retired_at, scrape_data - 'fetched_at' as scrape_data
      from parcels where source = ${source} order by 1`),
]
const doLoadWork = () =>
  takeWork({ sql, runner: createLoadRunner({ log: deps.log }), log: deps.log }, { signal: never })

test('a crawl cut to half is held; applying it retires the parcels that it did not list, and undoing it brings them back', async () => {
  const { source, id, before, checks } = await holdCrawl({ ids: Array.from({ length: 20 }, (_, index) => index) })
  expect(checks).toMatchObject([{ check: 'retired', count: 20, share: 0.5, is_over: true }])
  await sql.begin((tx) => applyHeldLoad(tx, id, 'operator'))
  await doLoadWork()
  expect(await sql`select from parcels where source = ${source} and retired_at is not null`).toHaveLength(20)
  await sql.begin((tx) => undoCause(tx, id, 'operator'))
  await doLoadWork()
  expect(await snapshotOf(source)).toEqual(before)
})

test('a crawl that retires a parcel did not scrape it: as_of after the crawl and an undo keep the last scrape', async () => {
  const { source, id } = await holdCrawl({ ids: Array.from({ length: 20 }, (_, index) => index) })
  const retired = { source, id: 'P-30' }
  const scrapeOf = async () =>
    (
      await sql`
        select iso_utc(scraped_at) as scraped_at, scraped_by, scrape_data from parcels
        where source = ${source} and source_parcel_id = ${retired.id}`
    )[0]
  const before = await scrapeOf()
  await sql.begin((tx) => applyHeldLoad(tx, id, 'operator'))
  await doLoadWork()
  const [{ now = '' } = {}] = await sql<{ now: string }[]>`select iso_utc(clock_timestamp() + interval '1 ms') as now`
  await sql.begin((tx) => undoCause(tx, id, 'operator'))
  await doLoadWork()
  expect(await scrapeOf()).toEqual(before)
  await sql`update parcels set zoning_code = 'NEW', scraped_at = now() where source = ${source}`
  const former = JSON.parse((await findFormerParcel(sql, retired, now))?.body ?? '{}')
  expect(former).toMatchObject({ retired_at: expect.any(String), scraped_by: 'arcgis-rest' })
  const [created] = await sql`
    select iso_utc(at) as at from parcel_changes where source = ${source} and source_parcel_id = ${retired.id} and action = 'created'`
  expect(former.scraped_at).toBe(created?.at)
})

test('a crawl that rewrites all owners is held, and one whose zoning is empty', async () => {
  const attributes = (id: number) => ({ PIN: `P-${id}`, OWNER: 'SOMEBODY', ZONE: `R-${id}` })
  const { source, id, before, checks } = await holdCrawl({ attributes })
  expect(checks).toMatchObject([{ check: 'owner', count: 40, examples: { length: 5 } }])
  await sql.begin((tx) => applyHeldLoad(tx, id, 'operator'))
  await doLoadWork()
  expect(await sql`select from parcels where source = ${source} and owner_name = 'SOMEBODY'`).toHaveLength(40)
  await sql.begin((tx) => undoCause(tx, id, 'operator'))
  await doLoadWork()
  expect(await snapshotOf(source)).toEqual(before)
  const unzoned = await holdCrawl({ attributes: (id) => ({ PIN: `P-${id}`, OWNER: `OWNER ${id}`, ZONE: null }) })
  expect(unzoned.checks).toMatchObject([{ check: 'emptied', field: 'zoning_code', count: 40 }])
})

test('a bad parcel is rejected with a reason, and the others on its page are stored', async () => {
  const { source } = await addSource({
    ids: [1, 2, 3, 4, 5, 6],
    maxRecordCount: 100,
    attributes: (id) => ({ PIN: { 2: ' ', 3: 'x'.repeat(300) }[id] ?? `P-${id}`, OWNER: 'ROSE' }),
    geometry: (id) => ({ rings: [id === 4 ? square(200, 0, 1, 'clockwise') : square(id, 0, 1, 'clockwise')] }),
  })
  const ended = await crawl(source)
  expect(ended).toMatchObject({ status: 'done', inserted: 3, rejected: 3 })
  expect(await listCrawlRejects(sql, ended.id, 10).then((rows) => [...rows])).toEqual([
    { what: 'OID_1 2', reason: 'PIN is empty' },
    { what: `${'x'.repeat(255)}…`, reason: 'source_parcel_id has 300 characters, more than 256' },
    { what: 'P-4', reason: expect.stringContaining('the boundary of P-4 is invalid') },
  ])
})

test('a parcel that only the database refuses is rejected, and the others on its page are stored', async () => {
  const { source } = await addSource({ ids })
  await sql`alter table parcels add constraint refused check (owner_name <> 'OWNER 5') not valid`
  const { id } = await crawl(source)
  await sql`alter table parcels drop constraint refused`
  expect(await latestCrawl(sql, source)).toMatchObject({ status: 'done', inserted: 9, rejected: 1 })
  expect(await listCrawlRejects(sql, id, 10)).toMatchObject([
    { what: 'P-5', reason: expect.stringMatching(/^the database refused it: new row/) },
  ])
})

test('a parcel whose record cannot be read is still listed, so it is not retired', async () => {
  const many = Array.from({ length: 40 }, (_, index) => index)
  const { source } = await addSource({ ids: many })
  await crawl(source)
  const { url } = startLayer({ ids: many, geometry: (id) => (id === 7 ? { curveRings: [] } : null) })
  await sql`update sources set base_url = ${url + LAYER} where source = ${source}`
  expect(await crawl(source)).toMatchObject({ status: 'done', unchanged: 39, rejected: 1 })
  expect(await parcelOf(source, 'P-7')).toMatchObject({ owner_name: 'OWNER 7', retired_at: null })
})

describe('a layer that sends fewer records than it counts', () => {
  const many = Array.from({ length: 40 }, (_, index) => index)
  const says = (count: number) => (url: URL) =>
    url.searchParams.has('returnCountOnly') ? Response.json({ count }) : undefined
  const crawlAgain = async (source: string, layer: LayerOptions) => {
    await sql`update sources set base_url = ${startLayer(layer).url + LAYER}, last_full_scrape_at = null where source = ${source}`
    const { id } = await crawl(source)
    const [load] = await sql<{ status: string; note: string | null; retired: number }[]>`
      select status, note, (counts ->> 'retired')::int as retired from loads where id = ${id}`
    return load
  }
  const NOTE = 'the layer counts 40 records, but sent 39, so missing parcels are not retired'

  test.each([true, false])('retires no parcel, and its load says why (pages: %p)', async (canPage) => {
    const { source } = await addSource({ ids: many, canPage })
    await crawl(source)
    const cut = { ids: many.filter((id) => id !== 7), canPage, before: says(40) }
    expect(await crawlAgain(source, cut)).toEqual({ status: 'applied', note: NOTE, retired: 0 })
    expect(await parcelOf(source, 'P-7')).toMatchObject({ owner_name: 'OWNER 7', retired_at: null })
    expect(await lastFullScrapeOf(sql, source)).toBeNull()
  })

  test('is held if too many are missing', async () => {
    const { source } = await addSource({ ids: many })
    await crawl(source)
    expect(await crawlAgain(source, { ids: many.slice(20), before: says(40) })).toMatchObject({
      status: 'held',
      note: 'the layer counts 40 records, but sent 20',
    })
  })

  test('retires no parcel either if it is held for another reason and applied', async () => {
    const attributes = (id: number) => ({ PIN: `P-${id}`, OWNER: 'SOMEBODY' })
    const { source } = await addSource({ ids: many })
    await crawl(source)
    const cut = { ids: many.filter((id) => id !== 7), attributes, before: says(40) }
    expect(await crawlAgain(source, cut)).toEqual({ status: 'held', note: NOTE, retired: 0 })
    const { id } = await latestCrawl(sql, source)
    await sql.begin((tx) => applyHeldLoad(tx, id, 'operator'))
    await takeWork({ sql, runner: createLoadRunner({ log: deps.log }), log: deps.log }, { signal: never })
    expect(await parcelOf(source, 'P-8')).toMatchObject({ owner_name: 'SOMEBODY' })
    expect(await parcelOf(source, 'P-7')).toMatchObject({ owner_name: 'OWNER 7', retired_at: null })
  })

  test('has records that were deleted during the crawl: it counts as whole, and they are retired', async () => {
    const { source } = await addSource({ ids: many })
    await crawl(source)
    let counted = 0
    const before = (url: URL) => (url.searchParams.has('returnCountOnly') ? says(40 - counted++)(url) : undefined)
    const deleted = { ids: many.filter((id) => id !== 7), before }
    expect(await crawlAgain(source, deleted)).toEqual({ status: 'applied', note: null, retired: 1 })
    expect(await lastFullScrapeOf(sql, source)).not.toBeNull()
  })
})

test('ids with characters that PostgreSQL refuses are rejected, and a count beyond its numbers is not known', async () => {
  const { source } = await addSource({
    ids,
    attributes: (id) => ({ PIN: { 4: 'P-\u00004', 5: 'P-\ud8005' }[id] ?? `P-${id}`, OWNER: 'ROSE' }),
    before: ({ searchParams }) => (searchParams.has('returnCountOnly') ? Response.json({ count: 1e30 }) : undefined),
  })
  const expected = { status: 'done', rejected: 2, total: null }
  expect(await crawl(source)).toMatchObject({ ...expected, inserted: 8 })
  const again = await crawl(source)
  expect(again).toMatchObject({ ...expected, unchanged: 8 })
  expect((await listCrawlRejects(sql, again.id, 10)).map(({ what }) => what)).toEqual(['P-4', 'P-\ufffd5'])
})

test('a parcel with features on several pages gets all of them; the next crawl replaces its boundary', async () => {
  const parts = (wests: number[]): LayerOptions => ({
    ids: wests.map((_, index) => index),
    maxRecordCount: 1,
    attributes: (id) => ({ PIN: 'P-1', OWNER: `OWNER ${id}` }),
    geometry: (id) => ({ rings: [square(wests[id] ?? 0, 0, 1, 'clockwise')] }),
  })
  const westsOf = async () =>
    (await parcelOf(source))?.geom.coordinates.map((polygon: number[][][]) => polygon[0]?.[0]?.[0])
  const { source } = await addSource(parts([10, 20, 30]))
  await crawl(source)
  expect(await westsOf()).toEqual([10, 20, 30])
  // The first record wins, on one page or on three.
  expect((await parcelOf(source))?.owner_name).toBe('OWNER 0')
  expect((await parcelOf(source))?.bbox).toBe('(31,1),(10,0)')

  const smaller = startLayer(parts([20, 40]))
  await sql`update sources set base_url = ${smaller.url + LAYER} where source = ${source}`
  await crawl(source)
  expect(await westsOf()).toEqual([20, 40])
})

test('a parcel with one record per year gets its values from the newest, on whatever page that is; the others become its history', async () => {
  const years = [2024, 2026, 2025]
  const { source } = await addSource(
    {
      ids: [0, 1, 2],
      maxRecordCount: 1,
      fields: [
        { name: 'YR', type: 'esriFieldTypeInteger' },
        { name: 'VAL', type: 'esriFieldTypeInteger' },
      ],
      attributes: (id) => ({ PIN: 'P-1', OWNER: `OWNER OF ${years[id]}`, YR: years[id], VAL: years[id] }),
      geometry: (id) => ({ rings: [square(id, 0, 1, 'clockwise')] }),
    },
    { columns: { parcel_id: 'PIN', owner_names: ['OWNER'], tax_year: 'YR', assessed_value: 'VAL' } },
  )
  await crawl(source)
  expect(await parcelOf(source)).toMatchObject({
    ...{ owner_name: 'OWNER OF 2026', assessed_value: '2026', bbox: '(2,1),(1,0)' },
    scrape_data: {
      owner_name: 'OWNER OF 2026',
      valuation_history: [2026, 2025, 2024].map((year) => ({ year, assessed: year })),
    },
  })
})

test('the page size of a layer makes no difference to its parcels', async () => {
  const records = fc.array(
    fc.record({ pin: fc.constantFrom('A', 'B', 'C'), year: fc.integer({ min: 2023, max: 2026 }) }),
    { minLength: 1, maxLength: 8 },
  )
  await fc.assert(
    fc.asyncProperty(records, fc.integer({ min: 1, max: 4 }), async (rows, pageSize) => {
      const stored = async (maxRecordCount: number) => {
        const { source } = await addSource(
          {
            ids: rows.map((_, index) => index),
            maxRecordCount,
            fields: [
              { name: 'YR', type: 'esriFieldTypeInteger' },
              { name: 'VAL', type: 'esriFieldTypeInteger' },
            ],
            attributes: (id) => ({ PIN: rows[id]?.pin, OWNER: `OWNER ${id}`, YR: rows[id]?.year, VAL: id }),
            geometry: (id) => ({ rings: [square(id, 0, 1, 'clockwise')] }),
          },
          { columns: { parcel_id: 'PIN', owner_names: ['OWNER'], tax_year: 'YR', assessed_value: 'VAL' } },
        )
        expect(await crawl(source)).toMatchObject({ status: 'done', rejected: 0 })
        return sql`
          select source_parcel_id, owner_name, assessed_value, bbox, geom::jsonb, scrape_data - 'fetched_at' as scrape_data
          from parcels where source = ${source} order by 1`
      }
      expect([...(await stored(pageSize))]).toEqual([...(await stored(1_000))])
    }),
    { numRuns: 12 },
  )
})

test('a cancelled crawl stores nothing more, and does not count as a complete refresh', async () => {
  const { layer, letGo } = holdLayer()
  const { source } = await addSource(layer)
  const crawling = crawl(source)
  await waitFor(async () => (await countParcels(sql, source)) >= 3)
  expect(await cancelCrawl(sql, { source }, 'cancelled by operator')).not.toBeNull()
  const stored = await countParcels(sql, source)
  letGo()
  expect(await crawling).toMatchObject({ status: 'error', error_code: 'cancelled' })
  expect(await countParcels(sql, source)).toBe(stored)
  expect(stored).toBe(3)
  expect(await lastFullScrapeOf(sql, source)).toBeNull()
  expect(await cancelCrawl(sql, { source }, 'cancelled by operator')).toBeNull()
})

test('a stopped crawl resumes after its last page and requests no page twice', async () => {
  const { layer, letGo } = holdLayer()
  const { source, portal } = await addSource(layer)
  const stop = new AbortController()
  const stopped = crawl(source, { signal: stop.signal })
  await waitFor(async () => (await countParcels(sql, source)) >= 3)
  stop.abort(new Error('stop'))
  letGo()
  const { status, pages, attempts } = await stopped
  expect({ status, attempts }).toEqual({ status: 'queued', attempts: 1 })
  portal.asked.length = 0
  expect(await crawl(source)).toMatchObject({ status: 'done', attempts: 2, pages: 4, inserted: 10 })
  expect(portal.asked.filter(({ path }) => path.includes('outFields'))).toHaveLength(4 - pages)
})

test('a crawl retries a portal that was down, and a stored page resets its failures', async () => {
  let isDown = true
  const { source } = await addSource({
    ids,
    before: ({ searchParams }) =>
      isDown && searchParams.get('where')?.includes('OID_1 > 5')
        ? new Response('', { status: 503, headers: { 'retry-after': '120' } })
        : undefined,
  })
  const failed = await crawl(source, { retryDelay: (tries) => (tries === 1 ? 0 : 60_000) })
  expect(failed).toMatchObject({ status: 'queued', failures: 1, pages: 2, cursor: '5', error_code: 'throttled' })
  expect([...(await sql`select outcome, retry_after_ms from scrape_attempts where job_id = ${failed.id}`)]).toEqual([
    { outcome: 'throttled', retry_after_ms: 120_000 },
  ])
  isDown = false
  const fresh = createPortalAccess({ userAgent: 'ParcelDataService/0', allowPrivate: true, spacingMs: 0 })
  const done = await crawl(source, {
    createContext: (name, signal) => ({ http: fresh.clientFor(name, signal), openPage: null, signal }),
  })
  expect(done).toMatchObject({ status: 'done', failures: 0, attempts: 2, error_code: null, inserted: 10 })
})

test('a crawl is postponed while its portal refuses other jobs, and this does not count as a failure', async () => {
  const { source, portal } = await addSource({ ids })
  const held = createPortalAccess({ userAgent: 'ParcelDataService/0', allowPrivate: true, spacingMs: 0 })
  held.heed(new URL(portal.url), 429, { 'retry-after': '120' }, new AbortController().signal)
  const putOff = await crawl(source, {
    createContext: (name, signal) => ({ http: held.clientFor(name, signal), openPage: null, signal }),
  })
  expect(putOff).toMatchObject({ status: 'queued', failures: 0, error_code: null })
  expect(putOff.not_before.getTime()).toBeGreaterThan(Date.now() + 115_000)
  expect(await sql`select from scrape_attempts where job_id = ${putOff.id}`).toHaveLength(0)
})

test('a permanent failure ends the crawl immediately, with the reason', async () => {
  const { source } = await addSource({ ids }, { columns: { parcel_id: 'PIN', acreage: 'ACRES' } })
  expect(await crawl(source)).toMatchObject({
    ...{ status: 'error', error_code: 'page_changed', inserted: 0 },
    error_message: expect.stringContaining('"ACRES"'),
  })
  expect(await lastFullScrapeOf(sql, source)).toBeNull()
})

test('a layer that is redirected to another host ends the crawl with that class', async () => {
  const elsewhere = Bun.serve({ port: 0, hostname: '0.0.0.0', fetch: () => new Response('Welcome to the county') })
  const moved = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) =>
      new URL(url).pathname === '/robots.txt'
        ? new Response('', { status: 404 })
        : Response.redirect(`http://localhost:${elsewhere.port}/`),
  })
  afterAll(() => Promise.all([elsewhere.stop(true), moved.stop(true)]))
  const source = `layer-${sources++}`
  await insertLayerSource(sql, source, `http://127.0.0.1:${moved.port}${LAYER}`)
  expect(await crawl(source)).toMatchObject({
    status: 'error',
    error_code: 'page_changed',
    failure_class: 'redirected',
  })
})

test('a crawl of an empty layer does not count as a complete refresh', async () => {
  const { source } = await addSource({ ids: [] })
  expect(await crawl(source)).toMatchObject({ status: 'done', inserted: 0, total: 0 })
  expect(await lastFullScrapeOf(sql, source)).toBeNull()
})

test('a layer that becomes empty retires no parcel, even of a source with so few that it has no limits', async () => {
  const { source } = await addSource({ ids: ids.slice(0, 3) })
  expect(await crawl(source)).toMatchObject({ status: 'done', inserted: 3 })
  await sql`update sources set base_url = ${startLayer({ ids: [] }).url + LAYER} where source = ${source}`
  expect(await crawl(source)).toMatchObject({ status: 'done', inserted: 0, total: 0 })
  expect(await sql`select from live_parcels where source = ${source}`).toHaveLength(3)
})

test('a source whose configuration changes during a crawl is crawled again from the start', async () => {
  const { layer, letGo } = holdLayer()
  const { source } = await addSource(layer)
  const crawling = crawl(source)
  await waitFor(async () => (await countParcels(sql, source)) >= 3)
  await sql`update sources set vendor_config = '{"columns": {"parcel_id": "OWNER"}}' where source = ${source}`
  await sweepCrawls(sql)
  letGo()
  await crawling
  const again = await latestCrawl(sql, source)
  expect(again).toMatchObject({ status: 'queued', cursor: null, pages: 0 })
  expect(await crawl(source)).toMatchObject({ id: again.id, status: 'done', inserted: 10 })
  expect(await parcelOf(source, 'OWNER 9')).toBeDefined()
  const [ended] = await sql`select error_message from work where source = ${source} and id <> ${again.id}`
  expect(ended?.error_message).toBe('the source was changed: a new crawl starts from the first page')
})

test("deactivating a source ends the scheduler's crawl, but not an operator's", async () => {
  const { source: scheduled } = await addSource({ ids })
  const { source: asked } = await addSource({ ids })
  await startCrawl(sql, scheduled, '')
  await startCrawl(sql, asked, 'operator')
  await sql`update work set requested_by = null where source = ${scheduled}`
  await sql`update sources set active = false where source in (${scheduled}, ${asked})`
  await sweepCrawls(sql)
  expect(await latestCrawl(sql, scheduled)).toMatchObject({ status: 'error', error_code: 'cancelled' })
  expect(await crawl(asked)).toMatchObject({ status: 'done' })
})

test('only one worker claims a crawl, a vendor runs no more crawls than its concurrency, and none while its breaker is open and was probed', async () => {
  await insertVendor(sql, 'socrata-soda', 1)
  for (const source of ['one', 'two']) {
    await insertLayerSource(sql, source, 'https://data.example/abcd-1234')
    await sql`update sources set vendor = 'socrata-soda' where source = ${source}`
    await startCrawl(sql, source, 'operator')
  }
  const claim = (leaseMs = 10_000) => claimWork(sql, { kind: 'crawl', vendors: ['socrata-soda'], leaseMs })
  await sql`update vendor_concurrency set breaker_opened_at = now(), probed_at = now() where vendor = 'socrata-soda'`
  expect(await claim()).toEqual([])
  await sql`update vendor_concurrency set breaker_opened_at = null where vendor = 'socrata-soda'`
  const claimed = await Promise.all(Array.from({ length: 8 }, () => claim()))
  expect(claimed.flat()).toHaveLength(1)
  await sql`update vendor_concurrency set target_concurrency = 2 where vendor = 'socrata-soda'`
  expect(await claim()).toHaveLength(1)
  expect(await claim()).toEqual([])
})

test('if failed crawls open the breaker of a vendor, a crawl of another layer probes it a minute later and closes it', async () => {
  const isOpen = async () => {
    const [row] =
      await sql`select breaker_opened_at is not null as open from vendor_concurrency where vendor = 'arcgis-rest'`
    return row?.open
  }
  const tune = () => sql.begin((tx) => runTuner(tx))
  await sql`truncate scrape_attempts`
  const { source: sick } = await addSource({ ids, before: () => new Response('', { status: 500 }) })
  await startCrawl(sql, sick, 'operator')
  for (let failures = 0; failures < 5; failures++) {
    await sql`update work set not_before = now() where source = ${sick}`
    const { id } = await latestCrawl(sql, sick)
    expect(await takeCrawl(deps, { id, signal: never })).toBe(true)
  }
  await tune()
  expect(await isOpen()).toBe(true)

  const { source: well } = await addSource({ ids })
  const { source: next } = await addSource({ ids })
  const id = await startCrawl(sql, next, 'operator')
  expect(await crawl(well)).toMatchObject({ status: 'done', inserted: 10 })
  expect(await takeCrawl(deps, { id, signal: never })).toBe(false)
  await tune()
  expect(await isOpen()).toBe(false)
  expect(await takeCrawl(deps, { id, signal: never })).toBe(true)
  await sql`update vendor_concurrency set target_concurrency = 50, tuner_state = null where vendor = 'arcgis-rest'`
})

test('a crawl ends after its workers are lost at the first page several times', async () => {
  const { source } = await addSource({ ids })
  const id = await startCrawl(sql, source, 'operator')
  for (let failures = 0; failures < 3; failures++) {
    expect(await claimWork(sql, { kind: 'crawl', vendors: ['arcgis-rest'], id, leaseMs: -1 })).toMatchObject([
      { failures },
    ])
    expect((await latestCrawl(sql, source)).status).toBe('running')
    await sweepLostWork(sql, { kind: 'crawl', mostFailures: 3 })
  }
  expect(await latestCrawl(sql, source)).toMatchObject({ status: 'error', error_code: 'worker_lost' })
})

describe('an endless layer', () => {
  /** Reports a count of one record, but always has a next page. `pinOf` makes the parcel id of a record. */
  const startEndless = (size: number, pinOf = (id: number) => `P-${id}`) =>
    startLayer({
      ids: [1],
      maxRecordCount: size,
      before: ({ pathname, searchParams }) => {
        if (!pathname.endsWith('/query') || searchParams.has('returnCountOnly')) return undefined
        const after = Number(/OID_1 > (\d+)/.exec(searchParams.get('where') ?? '')?.[1] ?? 0)
        const ids = Array.from({ length: size }, (_, at) => after + at + 1)
        const features = ids.map((id) => ({ attributes: { OID_1: id, PIN: pinOf(id), OWNER: 'ROSE' } }))
        return Response.json({ features, exceededTransferLimit: true })
      },
    })
  const addEndless = async (portal: ReturnType<typeof startLayer>, more: Record<string, unknown> = {}) => {
    const source = `layer-${sources++}`
    const config = { columns: { parcel_id: 'PIN', owner_names: ['OWNER'] }, ...more }
    await insertLayerSource(sql, source, portal.url + LAYER, config)
    return source
  }

  test('is stopped at three times its own count plus 10,000, and the complete pages stay stored', async () => {
    const source = await addEndless(startEndless(2_000))
    const ended = await crawl(source)
    expect(ended).toMatchObject({ status: 'error', error_code: 'too_large', total: 1, pages: 5, inserted: 10_000 })
    expect(ended.error_message).toBe(
      'the layer says its record count is 1, but it has sent 12,000; a crawl takes at most 10,003 (3 times its count plus 10,000). If the layer is really that large, raise max_records in vendor_config and crawl again',
    )
    expect(await countParcels(sql, source)).toBe(10_000)
    expect(await lastFullScrapeOf(sql, source)).toBeNull()
  })

  test('is stopped at the limit of its source', async () => {
    const source = await addEndless(startEndless(3), { max_records: 7 })
    expect(await crawl(source)).toMatchObject({ status: 'error', error_code: 'too_large', pages: 2, inserted: 6 })
    await sql`update sources set vendor_config = vendor_config || '{"max_records": 9}' where source = ${source}`
    expect(await crawl(source)).toMatchObject({ error_code: 'too_large', pages: 3, inserted: 3, unchanged: 6 })
  })

  test('is stopped even if all records belong to one parcel and are spread over many attempts', async () => {
    const source = await addEndless(
      startEndless(3, () => 'P-1'),
      { max_records: 7 },
    )
    const id = await startCrawl(sql, source, 'operator')
    for (let tries = 0; tries < 5; tries++) {
      const one = new AbortController()
      const onStored = () => one.abort(new Error('this try is over'))
      await takeCrawl({ ...deps, watcher: { onStored, onEnded: () => {} } }, { id, signal: one.signal })
    }
    expect(await latestCrawl(sql, source)).toMatchObject({
      status: 'error',
      error_code: 'too_large',
      pages: 2,
      attempts: 3,
    })
  })

  test('a layer that has no more records than it reports is not stopped', async () => {
    const { source } = await addSource({ ids }, { columns: { parcel_id: 'PIN' }, max_records: ids.length })
    expect(await crawl(source)).toMatchObject({ status: 'done', inserted: ids.length })
  })
})

test('every crawled vendor has max_records in its vendor_config', () => {
  for (const vendor of CRAWLED_VENDORS) expect(findAdapter(vendor)?.config.properties).toHaveProperty('max_records')
})
