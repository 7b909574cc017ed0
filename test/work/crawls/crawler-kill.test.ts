import { afterAll, expect, test } from 'bun:test'
import { startCrawl } from '../../../drizzle/queries/crawls/crawls'
import { LAYER, startLayer } from '../../adapters/crawl/layer'
import { insertVendor } from '../../jobs/job-rows'
import { commandOf } from '../../runner/programs'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { createTestDatabase, waitFor } from '../../support/servers'
import { countParcels, insertLayerSource, lastFullScrapeOf, latestCrawl } from './crawl-rows'

/** Outlasts a test: a process that a busy machine slows down keeps its crawl. */
const LEASE_MS = TEST_TIMEOUT_MS
const PARCELS = 3_950

const { url, sql } = await createTestDatabase()
await insertVendor(sql, 'arcgis-rest', 2)
// Logs every write of a parcel.
await sql`create table stored (parcel text)`
await sql`
  create function note() returns trigger language plpgsql as $$ begin
    insert into stored values (new.source_parcel_id); return null;
  end $$`
await sql`create trigger stored after insert or update of scraped_at on parcels for each row execute function note()`

const children = new Set<Bun.Subprocess>()
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await Promise.all([...children].map((child) => child.exited))
})
const startProcess = () => {
  const child = Bun.spawn(commandOf('test/work/crawls/crawler-process.ts', url, String(LEASE_MS)), {
    stdout: 'ignore',
    stderr: 'inherit',
  })
  children.add(child)
  return child
}
/** A layer that answers `pages` requests for pages and lets the others wait until `allow` permits more. A slow test cannot miss its moment. */
const startGatedLayer = (pages: number) => {
  let allowed = pages
  let asked = 0
  let changed = Promise.withResolvers<void>()
  const layer = startLayer({
    ids,
    maxRecordCount: 100,
    before: async (url) => {
      if (!isPageRequest(url.search)) return
      const number = ++asked
      while (number > allowed) await changed.promise
    },
  })
  const allow = (more: number) => {
    allowed = more
    changed.resolve()
    changed = Promise.withResolvers()
  }
  return { layer, allow, asked: () => asked }
}
const expireLease = () => sql`update work set lease_expires_at = now() where status = 'running'`
const isPageRequest = (search: string) => search.includes('outFields')
const pagesOf = async (source: string) => (await latestCrawl(sql, source)).pages
const ids = Array.from({ length: PARCELS }, (_, index) => index)
const isWhole = async (source: string) => {
  const rows = await sql<{ n: number }[]>`
    select count(*)::int as n from parcels p
    where source = ${source} and geom is not null and owner_name = 'OWNER ' || substr(source_parcel_id, 3)
      and exists (select from search_outbox o where o.kind = 'parcel' and o.id = p.id)`
  return rows[0]?.n === PARCELS && (await countParcels(sql, source)) === PARCELS
}

test('when processes are killed with -9 during a crawl, each parcel is stored and indexed exactly once', async () => {
  const { layer, allow, asked } = startGatedLayer(8)
  await insertLayerSource(sql, 'killed', layer.url + LAYER)
  await startCrawl(sql, 'killed', 'operator')
  for (const pages of [8, 20]) {
    const child = startProcess()
    await waitFor(async () => (await pagesOf('killed')) >= pages)
    child.kill('SIGKILL')
    await child.exited
    expect(await lastFullScrapeOf(sql, 'killed')).toBeNull()
    await expireLease()
    allow(asked() + 12)
  }
  allow(Number.POSITIVE_INFINITY)
  startProcess()
  startProcess()
  await waitFor(async () => (await latestCrawl(sql, 'killed')).status === 'done')

  expect(await isWhole('killed')).toBe(true)
  const [stored] = await sql`select count(*)::int as times, count(distinct parcel)::int as parcels from stored`
  expect(stored).toEqual({ times: PARCELS, parcels: PARCELS })
  expect(await latestCrawl(sql, 'killed')).toMatchObject({
    ...{ attempts: 3, pages: 40, inserted: PARCELS, updated: 0, unchanged: 0, rejected: 0, total: PARCELS },
    failures: 0,
  })
  expect(await lastFullScrapeOf(sql, 'killed')).not.toBeNull()
  // A page is requested again only if it was not stored: at most one page for each of the two kills.
  expect(layer.asked.filter(({ path }) => isPageRequest(path)).length).toBeLessThanOrEqual(42)
})

test('a frozen process that wakes after another one took over stores nothing', async () => {
  for (const child of children) child.kill('SIGKILL')
  await sql`truncate stored`
  const { layer, allow, asked } = startGatedLayer(5)
  await insertLayerSource(sql, 'frozen', layer.url + LAYER)
  await startCrawl(sql, 'frozen', 'operator')
  const frozen = startProcess()
  await waitFor(async () => (await pagesOf('frozen')) >= 5 && asked() > 5)
  frozen.kill('SIGSTOP')
  await expireLease()
  allow(Number.POSITIVE_INFINITY)
  startProcess()
  await waitFor(async () => (await latestCrawl(sql, 'frozen')).attempts === 2)
  frozen.kill('SIGCONT')
  await waitFor(async () => (await latestCrawl(sql, 'frozen')).status === 'done')
  expect(await isWhole('frozen')).toBe(true)
  const [stored] = await sql`select count(*)::int as times from stored`
  expect(stored?.times).toBe(PARCELS)
  expect((await latestCrawl(sql, 'frozen')).pages).toBe(40)
})
