import { afterAll, describe, expect, test } from 'bun:test'
import { pino } from 'pino'
import type { Browser, Page } from 'playwright-core'
import { createPortalAccess } from '../../../adapters/http/http-client'
import { CRAWLED_VENDORS, findAdapter } from '../../../adapters/registry'
import { startCrawl } from '../../../drizzle/queries/crawls/crawls'
import { LAYER, type LayerOptions, startLayer } from '../../adapters/crawl/layer'
import { ADMIN_KEY, createTestApp } from '../../http/test-app'
import { insertSource, insertVendor } from '../../jobs/job-rows'
import { createCrawler, insertCrawl, insertLayerSource } from '../../work/crawls/crawl-rows'
import { findFaults, findFaultsInBothThemes } from '../browser/axe'
import { findChromium, launchChromium } from '../browser/chromium'
import { createVisits, type Visitor } from '../browser/open-page'

const chromium = findChromium()

describe.skipIf(chromium === null)('a source’s page', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { app, sql } = await createTestApp()
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))
  await insertVendor(sql, 'arcgis-rest', 5)
  const portals = createPortalAccess({ userAgent: 'ParcelDataService/0', allowPrivate: true, spacingMs: 0 })
  const crawler = createCrawler({
    ...{ sql, findAdapter, vendors: CRAWLED_VENDORS, review: () => [], log: pino({ level: 'silent' }) },
    createContext: (source, signal) => ({ http: portals.clientFor(source, signal), openPage: null, signal }),
    ...{ pollMs: 50, heartbeatMs: 50, retryDelay: () => 3_600_000 },
  })
  crawler.start()
  afterAll(() => crawler.stop())

  const addSource = (source: string, layer: LayerOptions) =>
    insertLayerSource(sql, source, startLayer(layer).url + LAYER)
  const visit = createVisits(browser, `http://127.0.0.1:${app.server?.port}`, { key: ADMIN_KEY })
  const open = async (source: string, visitor: Visitor = {}): Promise<Page> => {
    const { page } = await visit(`/app/console/sources/${source}`, visitor)
    await page.waitForSelector('h2:has-text("Crawls")')
    await page.waitForSelector('.spinner', { state: 'detached' })
    return page
  }
  const ids = Array.from({ length: 12 }, (_, index) => index)
  /** A portal that keeps all but the first pages back until `released`. */
  const slow = (released: Promise<unknown>): LayerOptions => {
    let requests = 0
    return {
      ids,
      attributes: (id) => ({ PIN: id === 11 ? null : `P-${id}`, OWNER: 'ROSE' }),
      before: () => (++requests > 4 ? released.then(() => undefined) : undefined),
    }
  }

  test('a crawl is started on the page, which follows it page by page to its end without a reload', async () => {
    // Until the page has shown the progress of the first pages.
    const shown = Promise.withResolvers<void>()
    await addSource('elm', slow(shown.promise))
    const page = await open('elm')
    await page.waitForSelector('.empty:has-text("No crawls in the last 30 days")')
    await page.evaluate(`
      window.seen = []
      new MutationObserver(() => {
        const value = document.querySelector('progress[value]')?.value
        if (value !== undefined && seen.at(-1) !== value) seen.push(value)
      }).observe(document.body, { childList: true, subtree: true, attributes: true })`)
    await page.click('button:has-text("Crawl now")')
    await page.waitForSelector('.progress-words:has-text("of 12 records")')
    await page.waitForFunction('seen.some((share) => share > 0 && share < 1)')
    shown.resolve()
    await page.waitForSelector('tbody tr:has-text("done")')
    await page.waitForSelector('button:has-text("Crawl now"):not([disabled])')
    expect(await page.locator('progress').count()).toBe(0)
    // The progress was visible, and never decreased.
    const seen = (await page.evaluate('seen')) as number[]
    expect(seen.some((share) => share > 0 && share < 1)).toBe(true)
    expect(seen).toEqual(seen.toSorted((one, other) => one - other))
    expect(await page.textContent('tbody tr')).toContain(ADMIN_KEY.slice(0, 8))

    await page.click('button[aria-label="1 rejected: show them"]')
    await page.waitForSelector('dialog tr:has-text("OID_1 11"):has-text("PIN is empty")')
    expect(await findFaults(page)).toEqual([])
  })

  test('a scrape that started elsewhere appears without a reload, and is cancelled after a confirmation', async () => {
    const cancelled = Promise.withResolvers<void>()
    await addSource('oak', { ...slow(cancelled.promise), ids: Array.from({ length: 300 }, (_, index) => index) })
    const page = await open('oak')
    await startCrawl(sql, 'oak', 'operator')
    await page.waitForSelector('.progress-words:has-text("of 300 records")')
    await page.click('button:has-text("Cancel")')
    await page.click('dialog button:has-text("Go back")')
    await page.waitForSelector('dialog', { state: 'detached' })
    await page.click('button:has-text("Cancel")')
    await page.click('dialog button:has-text("Cancel it")')
    await page.waitForSelector(`tbody tr:has-text("cancelled by ${ADMIN_KEY.slice(0, 8)}")`)
    cancelled.resolve()
    await page.waitForSelector('button:has-text("Crawl now")')
  })

  test('a scrape that waits for its portal says why', async () => {
    await addSource('yew', { ids, before: () => new Response('', { status: 503 }) })
    const page = await open('yew')
    await page.click('button:has-text("Crawl now")')
    await page.waitForSelector('.notice.warn:has-text("status 503"):has-text("It continues")')
  })

  test('a crawl that waits for the breaker of its vendor says why and until when', async () => {
    await addSource('ash', { ids })
    const setBreaker = (at: Date | null) =>
      sql`update vendor_concurrency set breaker_opened_at = ${at}, probed_at = ${at} where vendor = 'arcgis-rest'`
    await setBreaker(new Date())
    const page = await open('ash')
    await page.click('button:has-text("Crawl now")')
    await page.waitForSelector('.notice.warn:has-text("one job or crawl a minute may start"):has(time)')
    await page.goto(page.url().replace(/\/app\/.*/, '/app/console/work?kind=crawl&source=ash'))
    await page.waitForSelector('tbody tr:has-text("one job or crawl a minute may start"):has(time)')
    await setBreaker(null)
  })

  test('a source whose vendor has no whole layers cannot be crawled', async () => {
    await insertSource(sql, 'pages', 'pacs-property-access')
    const page = await open('pages')
    await page.waitForSelector('.empty:has-text("pacs-property-access does not serve whole layers")')
    expect(await page.locator('button:has-text("Crawl now")').count()).toBe(0)
    await page.click('button:has-text("Edit the source")')
    await page.waitForSelector('dialog textarea')
  })

  test('axe finds no serious fault in either theme, on a wide screen and on a phone', async () => {
    await addSource('fir', { ids, before: () => new Response('', { status: 503 }) })
    await insertCrawl(sql, 'fir', {
      ...{ status: 'error', finishedAt: new Date().toISOString() },
      ...{ errorCode: 'blocked', errorMessage: 'the portal refuses', rejected: 3 },
    })
    await startCrawl(sql, 'fir', 'operator')
    for (const width of [1280, 390]) {
      const page = await open('fir', { width })
      await page.waitForSelector('.notice.warn')
      expect(await findFaultsInBothThemes(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    }
  })
})
