import { afterAll, afterEach, expect, test } from 'bun:test'
import { createPortalAccess } from '../../../adapters/http/http-client'
import { findAdapter } from '../../../adapters/registry'
import { ScrapeError } from '../../../adapters/scrape-error'
import { findSampleParcel, sampleParcels } from '../../../dev/sample-county/county'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { startSamplePortal } from '../../../dev/sample-portal/sample-portal'
import { createScrapeParcel } from '../../../src/scrape/fetch/scrape-parcel'
import { review } from '../../../src/scrape/review/review'
import { storeScrape } from '../../../src/scrape/store/store-scrape'
import { createTestDatabase } from '../../support/servers'

const { sql } = await createTestDatabase()
const PARCELS = 600
await seedSampleCounty(sql, { parcels: PARCELS, entities: 10 })
const portal = await startSamplePortal(sql)
afterAll(() => portal.stop())
afterEach(() =>
  portal.setTraffic({ latencyMs: 0, errorRate: 0, throttleAbove: null, retryAfterS: 2, maintenance: false }),
)

const portals = createPortalAccess({ userAgent: 'ParcelDataService/0', ownOrigins: new Set([portal.origin]) })
const scrapeParcel = createScrapeParcel({
  sql,
  findAdapter,
  createContext: (source, signal) => ({ http: portals.clientFor(source, signal), openPage: null, signal }),
})
const source = 'sample-county'
const scrape = (sourceParcelId: string, signal = AbortSignal.timeout(20_000)) =>
  scrapeParcel({ source, sourceParcelId }, { signal })
const store = async (sourceParcelId: string) => {
  const { vendor, scraped } = await scrape(sourceParcelId)
  await storeScrape(sql, { review, job: null, source, sourceParcelId, vendor, scraped })
  return scraped
}
const refusalOf = async (work: Promise<unknown>): Promise<ScrapeError> => {
  const error = await work.then(
    () => new Error('it was not refused'),
    (thrown) => thrown,
  )
  if (!(error instanceof ScrapeError)) throw error
  return error
}
const setTraffic = async (body: unknown) => {
  const response = await fetch(`${portal.origin}/traffic`, { method: 'PUT', body: JSON.stringify(body) })
  return { status: response.status, text: await response.text() }
}

const TOWN = [...sampleParcels({ parcels: PARCELS })]
const [FIRST = ''] = TOWN.map(({ sourceParcelId }) => sourceParcelId)

test('a sample parcel found by its id alone equals the one in the whole county', () => {
  for (const parcel of TOWN.filter((_, at) => at % 17 === 0)) {
    expect(findSampleParcel(parcel.sourceParcelId)).toEqual(parcel)
  }
  for (const none of ['', 'x', '12-0001', '12-9999-0010', '12-0001-9990', '11-0001-0010', '2012-0001-0010']) {
    expect(findSampleParcel(none)).toBeNull()
  }
})

test('every land use is scraped, and the scrape has the seeded values', async () => {
  const kinds = new Map(TOWN.map((parcel) => [parcel.landUseClass, parcel] as const))
  expect(kinds.size).toBeGreaterThan(8)
  for (const { sourceParcelId, geom: _, bbox: __, ...seeded } of kinds.values()) {
    const { vendor, scraped } = await scrape(sourceParcelId)
    if (scraped === 'not-modified') throw new Error('it was never scraped before')
    expect(vendor).toBe('fixture')
    const shown = Object.fromEntries(Object.entries(seeded).filter(([, value]) => value !== null))
    expect(scraped.fields).toEqual(shown)
    expect(scraped.scrape).toMatchObject({
      parcel_number: sourceParcelId,
      owner_name: seeded.ownerName as string,
      http_etag: expect.any(String),
      data_as_of_source: 'page-footer',
    })
    expect(scraped.scrape.valuation_history?.[0]).toMatchObject({
      land: seeded.valueLand as number,
      improvement: seeded.valueImprovement as number,
    })
    const buyer = scraped.scrape.sale_history?.[0]?.grantee
    if (buyer !== undefined) expect(buyer).toBe(seeded.ownerName as string)
  }
})

test('a scrape is stored, the next one finds no change, and the review engine has findings for some parcels', async () => {
  for (const { sourceParcelId } of TOWN.slice(0, 60)) await store(sourceParcelId)
  const found = await sql`select distinct rule from findings`
  expect(found.length).toBeGreaterThanOrEqual(2)
  expect(await store(FIRST)).toBe('not-modified')
  const [row] = await sql`select owner_name, scraped_by, scrape_data from parcels where source_parcel_id = ${FIRST}`
  expect(row).toMatchObject({ owner_name: TOWN[0]?.ownerName, scraped_by: 'fixture' })
  expect(row?.scrape_data.valuation_history.length).toBe(5)
})

test('an unknown parcel is not found', async () => {
  expect((await refusalOf(scrape('99-9999-0010'))).code).toBe('not_found')
})

test('a throttling portal sends Retry-After', async () => {
  portal.setTraffic({ throttleAbove: 2, latencyMs: 300, retryAfterS: 7 })
  const ids = TOWN.slice(100, 105).map(({ sourceParcelId }) => sourceParcelId)
  const outcomes = await Promise.allSettled(ids.map((id) => scrape(id)))
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  expect(refused.map(({ code, retryAfterMs }) => ({ code, retryAfterMs }))).toEqual(
    Array.from({ length: 3 }, () => ({ code: 'throttled', retryAfterMs: 7_000 })),
  )
})

test('its error rate, latency and maintenance notice can be changed while it runs', async () => {
  expect((await setTraffic({ errorRate: 1 })).status).toBe(200)
  expect((await refusalOf(scrape(FIRST))).code).toBe('network')
  await setTraffic({ errorRate: 0, maintenance: true })
  expect((await refusalOf(scrape(FIRST))).code).toBe('maintenance')
  await setTraffic({ maintenance: false, latencyMs: 60_000 })
  const enough = new Error('enough')
  const abort = new AbortController()
  const scraping = scrape(FIRST, abort.signal)
  abort.abort(enough)
  expect(await scraping.catch((reason) => reason)).toBe(enough)
  expect(await setTraffic({ errorRate: 7 })).toMatchObject({ status: 400, text: expect.stringContaining('errorRate') })
  expect(await setTraffic({ mood: 'bad' })).toMatchObject({ status: 400, text: expect.stringContaining('mood') })
  expect(await (await fetch(`${portal.origin}/traffic`)).json()).toMatchObject({ latencyMs: 60_000, errorRate: 0 })
})

test("with a neighbor's number, the portal shows the neighbor's page, and the scrape is refused", async () => {
  const [neighbor = ''] = TOWN.slice(1).map(({ sourceParcelId }) => sourceParcelId)
  const overrides = { vendorKey: neighbor }
  for (const sourceParcelId of [FIRST, 'NOBODYS-7']) {
    const work = scrapeParcel({ source, sourceParcelId, overrides }, { signal: AbortSignal.timeout(20_000) })
    expect(await refusalOf(work)).toMatchObject({
      code: 'wrong_parcel',
      message: `the page is of parcel "${neighbor}", not of "${sourceParcelId}"`,
    })
  }
})
