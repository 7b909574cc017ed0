import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Adapter } from '../../../adapters/adapter'
import { createPortalAccess } from '../../../adapters/http/http-client'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { undoCause } from '../../../src/orders/order-on-load'
import { createScrapeParcel } from '../../../src/scrape/fetch/scrape-parcel'
import { createPageKeeper } from '../../../src/scrape/pages/keep-pages'
import { createPageStore } from '../../../src/scrape/pages/page-store'
import { replayPages } from '../../../src/scrape/pages/replay-pages'
import { readHere } from '../../../src/scrape/readers/readers'
import { review } from '../../../src/scrape/review/review'
import { storeScrape } from '../../../src/scrape/store/store-scrape'
import { createLoadRunner } from '../../../src/work/load-runner'
import { takeWork } from '../../../src/work/take-work'
import { insertSource, insertVendor } from '../../jobs/job-rows'
import { createTestDatabase } from '../../support/servers'
import { createPageAdapter, pageOf, startPagePortal } from './page-portal'

const { sql } = await createTestDatabase()
const portal = startPagePortal()
const folder = mkdtempSync(join(tmpdir(), 'pages-'))
const store = createPageStore(folder)
const keeper = createPageKeeper({ sql, store, maxBytes: 1024 ** 3 })
afterAll(async () => {
  await keeper.stop()
  portal.stop()
  rmSync(folder, { recursive: true })
})
await insertVendor(sql, 'test', 10)

let adapter: Adapter = createPageAdapter()
const portals = createPortalAccess({ userAgent: 'test', allowPrivate: true, spacingMs: 0 })
const scrapeParcel = createScrapeParcel({
  ...{ sql, keeper, findAdapter: () => adapter },
  createContext: (source, signal) => ({ http: portals.clientFor(source, signal), openPage: null, signal }),
})
const scrape = async (source: string, sourceParcelId: string): Promise<void> => {
  try {
    const brought = await scrapeParcel({ source, sourceParcelId }, { signal: AbortSignal.timeout(20_000) })
    await storeScrape(sql, { review, job: null, source, sourceParcelId, ...brought })
  } finally {
    await keeper.settle()
  }
}
const replay = (source: string) =>
  replayPages({ sql, store, review, findAdapter: () => adapter, readers: readHere }, { source, isApplied: true })

const log = pino({ level: 'silent' })
const undo = async (id: string): Promise<Record<string, unknown>> => {
  const work = (await sql.begin((tx) => undoCause(tx, id, 'operator'))) as string
  await takeWork({ sql, runner: createLoadRunner({ log }), log }, { id: work, signal: new AbortController().signal })
  const [row] = await sql<{ result: Record<string, unknown> }[]>`select result from work where id = ${work}`
  return row?.result ?? {}
}
/** Everything that a replay writes. */
const readParcels = (source: string) => sql`
  select source_parcel_id, owner_name, owner_names_all, zoning_code, scrape_data, scraped_at, scraped_by, retired_at, array(
      select rule || ' ' || subject || ' ' || evidence::text from findings f where f.parcel_id = p.id order by 1
    ) as findings
  from parcels p where source = ${source} order by source_parcel_id`

let sources = 0
const addSource = async (): Promise<string> => {
  const source = `elm-${++sources}`
  await insertSource(sql, source, 'test')
  await sql`update sources set base_url = ${portal.url} where source = ${source}`
  return source
}

test('undoing a replay restores the former record of every parcel, and the next replay keeps it, because it is newer than the pages', async () => {
  const source = await addSource()
  const ids = Array.from({ length: 12 }, (_, index) => String(10 + index))
  for (const id of ids) portal.pages.set(id, pageOf(id))
  adapter = createPageAdapter({ swallowsAddress: true })
  for (const id of ids) await scrape(source, id)
  const before = await readParcels(source)
  adapter = createPageAdapter()
  const { id } = await replay(source)
  expect((await readParcels(source))[0]?.owner_name).toBe('OWNER OF 10')

  expect(await undo(id)).toMatchObject({ status: 'undone', restored: 12, retired: 0, kept: 0 })
  expect(await readParcels(source)).toEqual(before)
  expect(await replay(source)).toMatchObject({ changed: 0, created: 0, newerValues: 24 })
  expect(await readParcels(source)).toEqual(before)
})

test('a field that a load changed after the replay keeps its value, and the undo names it', async () => {
  const source = await addSource()
  portal.pages.set('1', pageOf('1', { zoning: 'R1' }))
  adapter = createPageAdapter({ swallowsAddress: true })
  await scrape(source, '1')
  adapter = createPageAdapter()
  const { id } = await replay(source)
  await upsertParcels(sql, source, [{ sourceParcelId: '1', ownerName: 'CY' }], { cause: 'ingest', id: null })
  expect(await undo(id)).toMatchObject({
    restored: 1,
    kept: 1,
    kept_first: [{ source_parcel_id: '1', fields: ['owner_name', 'owner_names_all'] }],
  })
  const [parcel] = await readParcels(source)
  expect(parcel).toMatchObject({ owner_name: 'CY', scrape_data: { owner_name: 'OWNER OF 1 / 12 MAIN ST' } })
})

test('undoing a replay of failed scrapes leaves parcels of a file as not scraped, and retires parcels that only the replay added', async () => {
  const source = await addSource()
  for (const id of ['1', '2']) portal.pages.set(id, pageOf(id).replace('Owner:', 'Owner name:'))
  await upsertParcels(sql, source, [{ sourceParcelId: '1', ownerName: 'ADA' }], { cause: 'ingest', id: null })
  const before = await readParcels(source)
  expect(before[0]).toMatchObject({ scraped_at: null, scrape_data: {} })
  adapter = createPageAdapter()
  for (const id of ['1', '2']) await expect(scrape(source, id)).rejects.toMatchObject({ code: 'page_changed' })
  adapter = createPageAdapter({ ownerLabel: 'Owner name' })
  const { id } = await replay(source)
  expect((await readParcels(source))[0]).toMatchObject({ owner_name: 'OWNER OF 1', scraped_at: expect.any(Date) })

  expect(await undo(id)).toMatchObject({ restored: 1, retired: 1, kept: 0 })
  const [first, second] = await readParcels(source)
  expect(first).toEqual(before[0])
  expect(second).toMatchObject({ source_parcel_id: '2', retired_at: expect.any(Date) })
})

test('undoing a replay of a failed scrape restores the time of the scrape before it', async () => {
  const source = await addSource()
  portal.pages.set('1', pageOf('1', { owner: 'ADA' }))
  adapter = createPageAdapter()
  await scrape(source, '1')
  await sql`update parcels set scraped_at = scraped_at - interval '1 day',
    scrape_data = jsonb_set(scrape_data, '{fetched_at}', to_jsonb(iso_utc(scraped_at - interval '1 day'))) where source = ${source}`
  await sql`update parcel_changes set at = at - interval '1 day' where source = ${source}`
  await sql`update kept_pages set fetched_at = fetched_at - interval '1 day' where source = ${source}`
  const [before] = await readParcels(source)
  portal.pages.set('1', pageOf('1', { owner: 'BO' }).replace('Owner:', 'Owner name:'))
  await expect(scrape(source, '1')).rejects.toMatchObject({ code: 'page_changed' })
  adapter = createPageAdapter({ ownerLabel: 'Owner name' })
  const { id } = await replay(source)
  expect((await readParcels(source))[0]?.scraped_at > before?.scraped_at).toBe(true)

  expect(await undo(id)).toMatchObject({ restored: 1 })
  const [restored] = await readParcels(source)
  expect(restored).toMatchObject({ owner_name: 'ADA', findings: before?.findings })
  expect(Math.abs(restored?.scraped_at - before?.scraped_at)).toBeLessThan(5_000)
})
