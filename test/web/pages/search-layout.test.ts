import { afterAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { createSearch } from '../../../search/search'
import { createSearchSync } from '../../../search/sync/sync'
import { ADMIN_KEY, createTestApp } from '../../http/test-app'
import { PATIENT } from '../../search/patient'
import { testMeilisearch } from '../../support/servers'
import { findChromium, launchChromium } from '../browser/chromium'
import { closePage, createOpener } from '../browser/open-page'

const chromium = findChromium()

describe.skipIf(chromium === null)('the layout of the search', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { app, sql, url, useSearch } = await createTestApp()
  await seedSampleCounty(sql, { parcels: 100, entities: 5 })
  const meili = { meili: testMeilisearch(), indexPrefix: `${url.split('/').at(-1)}_` }
  const sync = createSearchSync({ databaseUrl: url, ...meili })
  afterAll(() => sync.stop())
  sync.start()
  await sync.drain(30_000)
  useSearch(createSearch({ sql, ...meili, limits: PATIENT }))
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))

  const openPage = createOpener(browser, `http://127.0.0.1:${app.server?.port}`, { key: ADMIN_KEY, height: 700 })
  /** Opens a search with more hits than a window shows. */
  const open = async (width: number): Promise<Page> => {
    const { page } = await openPage('/app/search?q=larkspur', { width })
    await page.waitForSelector('[role=treeitem] >> nth=15')
    return page
  }
  const boxOf = async (page: Page, selector: string) => {
    const box = await page.locator(selector).boundingBox()
    if (box === null) throw new Error(`${selector} is not visible`)
    return box
  }

  test('on a wide screen the map ends at the window’s edge and the list of hits scrolls', async () => {
    const page = await open(1280)
    const map = await boxOf(page, '.search-map')
    expect(map.y + map.height).toBe(700)
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(700)
    const [seen, all] = (await page.$eval('[role=tree]', (hits) => [hits.clientHeight, hits.scrollHeight])) as number[]
    expect(all).toBeGreaterThan(seen ?? 0)
    await closePage(page)
  })

  test('on a phone the map fills the space below the header and the search field', async () => {
    const page = await open(390)
    await page.click('button:has-text("Show the map")')
    const header = await boxOf(page, '.top')
    const search = await boxOf(page, '.search-box')
    const map = await boxOf(page, '.search-map')
    expect(search.y).toBeGreaterThan(header.y + header.height)
    expect(map.y).toBeGreaterThan(search.y + search.height)
    expect(map.y + map.height).toBe(700)
    await closePage(page)
  })
})
