import { afterAll, expect, test } from 'bun:test'
import { createPortalAccess } from '../../adapters/http/http-client'
import { findAdapter } from '../../adapters/registry'
import { listCases } from '../../dev/adapter-cases/list-cases'
import { serveCase } from '../../dev/adapter-cases/serve-case'
import { createTestApp } from '../http/test-app'

const full = listCases('pacs-property-access').find(({ name }) => name === 'full')
if (full === undefined || !('scrape' in full.expect)) throw new Error('there is no full case')
const portal = serveCase(full)
afterAll(() => portal.stop())

const portals = createPortalAccess({ userAgent: 'ParcelDataService/0', ownOrigins: new Set([portal.origin]) })
const { sql, call } = await createTestApp({
  scraper: {
    findAdapter,
    createContext: (source, signal) => ({ http: portals.clientFor(source, signal), openPage: null, signal }),
  },
})

test('a new county of a known vendor needs no code: insert a row, PATCH its vendor_config, scrape', async () => {
  const { pathname, search } = new URL(full.target.baseUrl)
  await sql`
    insert into sources (source, state, county_name, vendor, base_url)
    values ('tx-larkspur-pacs', 'TX', 'Larkspur', 'pacs-property-access', ${portal.origin + pathname + search})`
  await sql`
    insert into source_refresh_policies (source, cadence, next_due_at)
    values ('tx-larkspur-pacs', 'annual', now() + interval '1 year')`
  await sql`
    insert into vendor_concurrency (vendor, min_concurrency, max_concurrency, target_concurrency, slow_threshold_ms, fast_threshold_ms)
    values ('pacs-property-access', 1, 4, 2, 8000, 2000) on conflict do nothing`
  const id = full.target.sourceParcelId
  const scrapeNow = () => call(`/v1/parcels/tx-larkspur-pacs/${id}/scrape-now`, { method: 'POST' })

  // This county's search form needs another type than the selected one.
  expect((await scrapeNow()).status).not.toBe(200)
  const vendorConfig = { ...full.config, cid: 90 }
  const refused = await call('/v1/sources/tx-larkspur-pacs', {
    method: 'PATCH',
    body: { vendor_config: { ...vendorConfig, cid: 'ninety' } },
  })
  expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('vendor_config.cid') })
  const changed = await call('/v1/sources/tx-larkspur-pacs', {
    method: 'PATCH',
    body: { vendor_config: vendorConfig, active: true },
  })
  expect(changed).toMatchObject({ status: 200, body: { active: true, vendor_config: vendorConfig } })

  const scraped = await scrapeNow()
  expect(scraped.status).toBe(200)
  const { fields, scrape } = full.expect as { fields: Record<string, unknown>; scrape: Record<string, unknown> }
  expect(JSON.parse(scraped.text)).toMatchObject({
    source: 'tx-larkspur-pacs',
    source_parcel_id: id,
    scraped_by: 'pacs-property-access',
    owner_name: fields.ownerName,
    situs_address: fields.situsAddress,
    scrape_data: { parcel_number: scrape.parcel_number, valuation_history: scrape.valuation_history },
  })
})
