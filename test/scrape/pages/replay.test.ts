import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Adapter } from '../../../adapters/adapter'
import { createPortalAccess } from '../../../adapters/http/http-client'
import { compactChanges } from '../../../drizzle/queries/changes/compact-changes'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { createScrapeParcel } from '../../../src/scrape/fetch/scrape-parcel'
import { createPageKeeper } from '../../../src/scrape/pages/keep-pages'
import { createPageStore } from '../../../src/scrape/pages/page-store'
import { replayPages } from '../../../src/scrape/pages/replay-pages'
import { readHere } from '../../../src/scrape/readers/readers'
import { review } from '../../../src/scrape/review/review'
import { storeScrape } from '../../../src/scrape/store/store-scrape'
import { insertSource, insertVendor } from '../../jobs/job-rows'
import { createTestDatabase } from '../../support/servers'
import { createPageAdapter, pageOf, startPagePortal } from './page-portal'

const { sql } = await createTestDatabase()
const portal = startPagePortal()
const folder = mkdtempSync(join(tmpdir(), 'pages-'))
afterAll(() => {
  portal.stop()
  rmSync(folder, { recursive: true })
})
await insertVendor(sql, 'test', 10)

const store = createPageStore(folder)
const keeper = createPageKeeper({ sql, store, maxBytes: 1024 ** 3 })
afterAll(() => keeper.stop())

let adapter: Adapter = createPageAdapter()
const portals = createPortalAccess({ userAgent: 'test', allowPrivate: true, spacingMs: 0 })
const scrapeParcel = createScrapeParcel({
  sql,
  keeper,
  findAdapter: () => adapter,
  createContext: (source, signal) => ({ http: portals.clientFor(source, signal), openPage: null, signal }),
})

const scrape = async (source: string, sourceParcelId: string): Promise<void> => {
  const brought = await scrapeParcel({ source, sourceParcelId }, { signal: AbortSignal.timeout(20_000) })
  await storeScrape(sql, { review, job: null, source, sourceParcelId, ...brought })
  await keeper.settle()
}
const scrapeAll = async (source: string, ids: string[]): Promise<void> => {
  for (const id of ids) await scrape(source, id)
}
const replay = (source: string, more: { isApplied: boolean; parcel?: string; since?: string }) =>
  replayPages({ sql, store, review, findAdapter: () => adapter, readers: readHere }, { source, ...more })

let sources = 0
const addSource = async (): Promise<string> => {
  const source = `elm-${++sources}`
  await insertSource(sql, source, 'test')
  await sql`update sources set base_url = ${portal.url} where source = ${source}`
  return source
}
/** Everything about parcels that a replay of unchanged pages must not change. */
const readParcels = (source: string) =>
  sql`select source_parcel_id, owner_name, owner_names_all, zoning_code, scrape_data, scraped_at, updated_at
    from parcels where source = ${source} order by source_parcel_id`
const ownerOf = async (source: string, id: string): Promise<string | null> => {
  const [row] = await sql<{ owner_name: string | null }[]>`
    select owner_name from parcels where source = ${source} and source_parcel_id = ${id}`
  return row?.owner_name ?? null
}
const changesOf = (source: string, cause: string) =>
  sql<
    { source_parcel_id: string; cause_id: string; changes: Record<string, unknown>; origin: Record<string, string> }[]
  >`
    select source_parcel_id, cause_id, changes, origin from parcel_changes
    where source = ${source} and cause = ${cause} order by version`

test('a replay with the same adapter equals the scrape: it changes nothing and sends no request', async () => {
  const source = await addSource()
  for (const id of ['1', '2', '3']) portal.pages.set(id, pageOf(id))
  adapter = createPageAdapter()
  await scrapeAll(source, ['1', '2', '3'])
  const before = await readParcels(source)
  const requests = portal.requests()
  const report = await replay(source, { isApplied: true })
  expect(report).toMatchObject({ parcels: 3, read: 3, changed: 0, created: 0, lost: 0, older: 0 })
  expect(report.fields.size).toBe(0)
  expect(await readParcels(source)).toEqual(before)
  expect(portal.requests()).toBe(requests)
})

test('a fixed adapter changes exactly the fields that it reads differently; a dry run shows them and stores nothing', async () => {
  const source = await addSource()
  for (const id of ['1', '2']) portal.pages.set(id, pageOf(id))
  adapter = createPageAdapter({ swallowsAddress: true })
  await scrapeAll(source, ['1', '2'])
  expect(await ownerOf(source, '1')).toBe('OWNER OF 1 / 12 MAIN ST')
  const before = await readParcels(source)
  const requests = portal.requests()

  adapter = createPageAdapter()
  const dry = await replay(source, { isApplied: false })
  expect(await readParcels(source)).toEqual(before)
  expect(await changesOf(source, 'replay')).toHaveLength(0)

  const applied = await replay(source, { isApplied: true })
  for (const report of [dry, applied]) {
    expect([...report.fields.keys()].sort()).toEqual(['owner_name', 'owner_names_all', 'scrape_data.owner_name'])
    expect(report.fields.get('owner_name')).toEqual({
      count: 2,
      examples: ['1', '2'].map((sourceParcelId) => ({
        sourceParcelId,
        former: `OWNER OF ${sourceParcelId} / 12 MAIN ST`,
        new: `OWNER OF ${sourceParcelId}`,
      })),
    })
    expect(report).toMatchObject({ changed: 2, read: 2, newerValues: 0 })
  }
  expect(await ownerOf(source, '1')).toBe('OWNER OF 1')
  expect(portal.requests()).toBe(requests)
  expect(await replay(source, { isApplied: true })).toMatchObject({ changed: 0 })
})

test('the change log names the replay, the page and its time; a corrected name is not a new owner', async () => {
  const source = await addSource()
  portal.pages.set('1', pageOf('1'))
  adapter = createPageAdapter({ swallowsAddress: true })
  await scrape(source, '1')
  const [page] = await sql<{ hash: string; fetched_at: string }[]>`
    select hash, iso_utc(fetched_at) as fetched_at from kept_pages where source = ${source}`
  const [scraped] = await sql<{ origin: unknown }[]>`
    select origin from parcel_changes where source = ${source} and action = 'created'`
  expect(scraped?.origin).toMatchObject({ adapter: 'test', page_hash: page?.hash, page_at: page?.fetched_at })
  adapter = createPageAdapter()
  const { id } = await replay(source, { isApplied: true })
  const changes = await changesOf(source, 'replay')
  expect(changes.length).toBeGreaterThan(0)
  for (const { cause_id, origin } of changes) {
    expect(cause_id).toBe(id)
    expect(origin).toMatchObject({ adapter: 'test', page_hash: page?.hash, page_at: page?.fetched_at })
    expect(origin.version).toBeString()
  }
  const findings = await sql`
    select rule from findings f join parcels p on p.id = f.parcel_id where p.source = ${source} and rule = 'owner-changed'`
  expect(findings).toHaveLength(0)
})

test('a value that is newer than the page stays, and the other fields of the page are corrected', async () => {
  const source = await addSource()
  portal.pages.set('1', pageOf('1', { zoning: 'R1' }))
  adapter = createPageAdapter({ swallowsAddress: true })
  await scrape(source, '1')
  await upsertParcels(sql, source, [{ sourceParcelId: '1', zoningCode: 'C9' }], { cause: 'ingest', id: null })
  adapter = createPageAdapter()
  const report = await replay(source, { isApplied: true })
  expect(report.newerValues).toBe(1)
  expect([...report.fields.keys()]).not.toContain('zoning_code')
  const [row] = await sql`select owner_name, zoning_code from parcels where source = ${source}`
  expect(row).toEqual({ owner_name: 'OWNER OF 1', zoning_code: 'C9' })
})

test('a page of a compacted year changes nothing, because a load may have brought the former value back after it', async () => {
  const source = await addSource()
  const year = new Date().getUTCFullYear() - 3
  const load = (ownerName: string) =>
    upsertParcels(sql, source, [{ sourceParcelId: '1', ownerName }], { cause: 'ingest', id: null })
  await load('CY')
  await sql`update parcel_changes set at = make_timestamptz(${year - 1}, 1, 1, 0, 0, 0, 'UTC') where source = ${source}`
  portal.pages.set('1', pageOf('1'))
  adapter = createPageAdapter()
  await scrape(source, '1')
  const scrapedAt = `${year}-03-01T00:00:00Z`
  await sql`update kept_pages set fetched_at = ${scrapedAt} where source = ${source}`
  await sql`update parcels set scraped_at = ${scrapedAt}, scrape_data = scrape_data || jsonb_build_object('fetched_at', ${scrapedAt}::text)
    where source = ${source}`
  await sql`update parcel_changes set at = ${scrapedAt}, origin = origin || jsonb_build_object('page_at', ${scrapedAt}::text)
    where source = ${source} and cause = 'scrape'`
  await load('CY')
  await sql`update parcel_changes set at = make_timestamptz(${year}, 4, 1, 0, 0, 0, 'UTC')
    where source = ${source} and at > ${scrapedAt}`
  expect(await replay(source, { isApplied: false })).toMatchObject({ changed: 0, older: 0, newerValues: 1 })
  await compactChanges(sql, year)
  expect(await replay(source, { isApplied: true })).toMatchObject({ changed: 0, older: 1 })
  expect(await ownerOf(source, '1')).toBe('CY')
})

test('a page that is older than the last scrape changes nothing', async () => {
  const source = await addSource()
  portal.pages.set('1', pageOf('1', { owner: 'ADA' }))
  adapter = createPageAdapter()
  await scrape(source, '1')
  portal.pages.set('1', pageOf('1', { owner: 'BO' }))
  await scrape(source, '1')
  await sql`update kept_pages set fetched_at = fetched_at - interval '1 hour' where source = ${source}`
  await sql`delete from kept_pages where source = ${source} and hash = (
    select origin ->> 'page_hash' from parcel_changes where source = ${source} order by version desc limit 1)`
  const report = await replay(source, { isApplied: true })
  expect(report).toMatchObject({ read: 1, older: 1, changed: 0 })
  expect(await ownerOf(source, '1')).toBe('BO')
})

test('the page of a failed scrape is kept, and a fixed adapter reads it', async () => {
  const source = await addSource()
  portal.pages.set('1', pageOf('1').replace('Owner:', 'Owner name:'))
  adapter = createPageAdapter()
  await expect(scrape(source, '1')).rejects.toMatchObject({ code: 'page_changed' })
  await keeper.settle()
  const [page] = await sql`select outcome, message from kept_pages where source = ${source}`
  expect(page).toEqual({ outcome: 'page_changed', message: 'no "Owner"' })
  expect((await replay(source, { isApplied: true })).refused.get('page_changed')).toEqual({
    count: 1,
    example: '1: no "Owner"',
  })
  adapter = createPageAdapter({ ownerLabel: 'Owner name' })
  expect(await replay(source, { isApplied: true })).toMatchObject({ created: 1, read: 1 })
  expect(await ownerOf(source, '1')).toBe('OWNER OF 1')
})

test('one parcel, or pages since a time, can be replayed alone; lost pages and retired parcels are counted and not changed', async () => {
  const source = await addSource()
  for (const id of ['1', '2', '3']) portal.pages.set(id, pageOf(id))
  adapter = createPageAdapter({ swallowsAddress: true })
  await scrapeAll(source, ['1', '2', '3'])
  adapter = createPageAdapter()
  expect(await replay(source, { isApplied: false, parcel: '2' })).toMatchObject({ parcels: 1, changed: 1 })
  await sql`update kept_pages set fetched_at = fetched_at - interval '1 day' where source = ${source} and source_parcel_id <> '3'`
  const since = new Date(Date.now() - 3_600_000).toISOString()
  expect(await replay(source, { isApplied: false, since })).toMatchObject({ parcels: 1 })
  await sql`update kept_pages set fetched_at = fetched_at + interval '1 day' where source = ${source} and source_parcel_id <> '3'`
  const [{ hash = '' } = {}] = await sql<{ hash: string }[]>`
    select hash from kept_pages where source = ${source} and source_parcel_id = '1'`
  await store.remove(hash)
  await sql`update parcels set retired_at = now() where source = ${source} and source_parcel_id = '2'`
  expect(await replay(source, { isApplied: true })).toMatchObject({ lost: 1, retired: 1, changed: 1 })
  const [row] =
    await sql`select retired_at is not null as retired from parcels where source = ${source} and source_parcel_id = '2'`
  expect(row?.retired).toBe(true)
})

test('a replay that is interrupted has applied whole batches, and the next one applies the rest', async () => {
  const source = await addSource()
  const ids = Array.from({ length: 150 }, (_, index) => String(1_000 + index))
  for (const id of ids) portal.pages.set(id, pageOf(id))
  adapter = createPageAdapter({ swallowsAddress: true })
  await scrapeAll(source, ids)
  adapter = createPageAdapter()
  const stop = new AbortController()
  const interrupted = replayPages(
    { sql, store, review, findAdapter: () => adapter, readers: readHere },
    { source, isApplied: true, signal: stop.signal, onProgress: () => stop.abort(new Error('interrupted')) },
  )
  await expect(interrupted).rejects.toThrow('interrupted')
  const countWrong = async () =>
    (await sql`select from parcels where source = ${source} and owner_name like '%MAIN ST'`).length
  expect(await countWrong()).toBe(50)
  expect(await replay(source, { isApplied: true })).toMatchObject({ parcels: 150, changed: 50 })
  expect(await countWrong()).toBe(0)
})

test('if the portal later reports a page as unchanged, the page counts as fetched at that time', async () => {
  const source = await addSource()
  portal.pages.set('1', pageOf('1'))
  adapter = createPageAdapter({ swallowsAddress: true })
  await scrape(source, '1')
  await sql`update kept_pages set fetched_at = fetched_at - interval '1 day' where source = ${source}`
  adapter = createPageAdapter()
  expect(await replay(source, { isApplied: false })).toMatchObject({ older: 1, changed: 0 })
  await storeScrape(sql, { review, job: null, source, sourceParcelId: '1', vendor: 'test', scraped: 'not-modified' })
  keeper.confirm({ source, sourceParcelId: '1' })
  await keeper.settle()
  expect(await replay(source, { isApplied: false })).toMatchObject({ older: 0, changed: 1 })
})

test('pages that an adapter read in a browser are kept, and read again without a browser', async () => {
  const source = await addSource()
  portal.pages.set('1', pageOf('1'))
  adapter = { ...createPageAdapter({ swallowsAddress: true }), needsBrowser: true }
  await scrape(source, '1')
  const requests = portal.requests()
  adapter = { ...createPageAdapter(), needsBrowser: true }
  expect(await replay(source, { isApplied: true })).toMatchObject({ read: 1, changed: 1 })
  expect(await ownerOf(source, '1')).toBe('OWNER OF 1')
  expect(portal.requests()).toBe(requests)
})
