import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { createTestApp, insertCounty } from '../../http/test-app'
import { countNow } from '../../parcels/coverage/count'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { findChromium, launchChromium } from '../browser/chromium'
import { closePage, createOpener, settle } from '../browser/open-page'

setDefaultTimeout(TEST_TIMEOUT_MS)

const chromium = findChromium()

describe.skipIf(chromium === null)('with much data', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { app, sql, signIn } = await createTestApp()
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))
  const { token } = await signIn({ role: 'admin' })
  const open = createOpener(browser, `http://127.0.0.1:${app.server?.port}`, { token })

  const COUNTIES = 120
  const counties = Array.from({ length: COUNTIES }, (_, index) => `elm-${index}`)
  for (const county of counties) await insertCounty(sql, county)
  await upsertParcels(
    sql,
    'elm-0',
    [...counties.keys()].map((index) => ({ sourceParcelId: `${index}` })),
  )
  for (const county of counties.slice(1)) await upsertParcels(sql, county, [{ sourceParcelId: '1' }])
  await countNow(sql)

  test('a parcel with hundreds of bills, sales and buildings shows the first 50 of each, and all on request', async () => {
    const entries = <Entry>(entry: (index: number) => Entry) => Array.from({ length: 300 }, (_, index) => entry(index))
    const scrape = {
      parcel_number: '1',
      valuation_history: entries((index) => ({ year: 2026 - index, assessed: index })),
      statements: entries((index) => ({ tax_year: 2026 - index, billed: index })),
      sale_history: entries((index) => ({ price: index })),
      improvements: entries((index) => ({ number: `${index}` })),
      exemptions: entries((index) => ({ code: `${index}` })),
    }
    await sql`
      update parcels set scrape_data = ${sql.json(scrape)}, scraped_at = now() where source = 'elm-0' and source_parcel_id = '1'`
    const { page } = await open('/app/parcels/elm-0/1')
    for (const label of ['Values by year', 'Tax bills by year', 'Recorded sales', 'Buildings', 'Exemptions']) {
      const table = page.locator(`section[aria-label="${label}"]`)
      await table.waitFor()
      expect(await table.locator('tbody tr').count()).toBe(50)
      await table.getByText('50 of 300 shown').waitFor()
    }
    const sales = page.locator('section[aria-label="Recorded sales"]')
    await sales.locator('button:has-text("Show all 300")').click()
    await sales.locator('tbody tr').nth(299).waitFor()
    await closePage(page)
  })

  test('the coverage of many counties shows the first 50', async () => {
    const { page } = await open('/app/coverage')
    await page.getByText(`50 of ${COUNTIES} shown`).waitFor()
    expect(await page.locator('section[aria-label="Counties"] tbody tr').count()).toBe(50)
    await closePage(page)
  })

  test('when all sources hold a load, the health of the sources is not below all of them', async () => {
    await sql`
      insert into loads (id, source, kind, status, is_complete, created_by)
      select uuidv7(), source, 'ingest', 'held', true, 'operator' from sources where source = any(${counties})`
    const { page } = await open('/app/console/health')
    await page.getByText(`5 of ${COUNTIES} shown`).waitFor()
    expect(await page.locator('section[aria-label^="Held load"]').count()).toBe(5)
    await page.click(`button:has-text("Show all ${COUNTIES}")`)
    await page
      .locator('section[aria-label^="Held load"]')
      .nth(COUNTIES - 1)
      .waitFor()
    await closePage(page)
  })

  test.each([390, 1280])(
    'with texts of their longest lengths, without a space, a parcel fits a screen of %i pixels',
    async (width) => {
      await sql`
      update parcels set owner_name = repeat('W', 500), owner_names_all = array[repeat('W', 500), repeat('M', 500)],
        owner_mailing_address = repeat('Q', 500), situs_address = repeat('9', 500), situs_city = repeat('C', 250),
        situs_state = repeat('S', 100), situs_zip = repeat('0', 100), land_use_class = repeat('L', 250),
        zoning_code = repeat('Z', 250), zoning_description = repeat('D', 2000)
      where source = 'elm-0' and source_parcel_id = '2'`
      const { page } = await open('/app/parcels/elm-0/2', { width })
      await page.getByText('There are no other parcels of').waitFor()
      await settle(page)
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
      await closePage(page)
    },
  )
})
