import { afterAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { ADMIN_KEY, createTestApp } from '../../http/test-app'
import { PAGE_TIMEOUT_MS } from '../../support/deadlines'
import { findFaultsInBothThemes } from '../browser/axe'
import { findChromium, launchChromium } from '../browser/chromium'

const chromium = findChromium()

describe.skipIf(chromium === null)('the API reference', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { app, call } = await createTestApp()
  const { paths } = (await call('/openapi.json')).body as { paths: Record<string, Record<string, { tags: string[] }>> }
  const groups = new Set(Object.values(paths).flatMap((path) => Object.values(path).flatMap(({ tags }) => tags)))
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))

  const openDocs = async (hash = ''): Promise<{ page: Page; complaints: string[] }> => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' })
    page.setDefaultTimeout(PAGE_TIMEOUT_MS)
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    await page.goto(`http://127.0.0.1:${app.server?.port}/docs/reference${hash}`)
    await page.waitForSelector(`:nth-match(.opblock-tag, ${groups.size})`)
    return { page, complaints }
  }
  const toggle = (page: Page, id: string) => page.click(`[id="${id}"] .opblock-summary-control`)

  test('the URL names the operation that is open; axe finds no serious fault in either theme: in the list, the key dialog, a response and a request with a body', async () => {
    const { page, complaints } = await openDocs()
    const expectNoFaults = async () => expect(await findFaultsInBothThemes(page)).toEqual([])
    await expectNoFaults()
    await page.click('#operations-tag-parcels')
    await page.waitForSelector('.opblock')
    await expectNoFaults()
    await page.click('#operations-tag-parcels')
    await page.waitForSelector('.opblock', { state: 'detached' })

    await page.click('.btn.authorize')
    await page.waitForSelector('.modal-ux input')
    await expectNoFaults()
    await page.fill('.modal-ux input >> nth=0', ADMIN_KEY)
    await page.click('.modal-ux button:has-text("Authorize") >> nth=0')
    await page.waitForSelector('.modal-ux button:has-text("Logout")')
    await expectNoFaults()
    await page.click('.modal-ux button[aria-label=Close]')

    const [health, orders] = ['operations-sources-listSourceHealth', 'operations-scrape-jobs-enqueueScrapes']
    await page.click('#operations-tag-sources')
    await toggle(page, health)
    await page.waitForSelector(`[id="${health}"] .opblock-body`)
    await page.waitForURL('**/docs/reference#/sources/listSourceHealth')
    await expectNoFaults()
    await page.click('.try-out__btn')
    await page.waitForSelector('.execute')
    await expectNoFaults()
    await page.click('.execute')
    await page.waitForSelector('.live-responses-table .microlight:has-text("sources")')
    await expectNoFaults()
    await toggle(page, health)
    await page.waitForSelector(`[id="${health}"] .opblock-body`, { state: 'detached' })

    await page.click('#operations-tag-scrape-jobs')
    await toggle(page, orders)
    await page.click('.try-out__btn')
    await page.waitForSelector('textarea[aria-label="Request body"]')
    await expectNoFaults()
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a URL that names an operation opens it', async () => {
    const { page } = await openDocs('#/sources/listSourceHealth')
    await page.waitForSelector('[id="operations-sources-listSourceHealth"] .opblock-body')
    await page.close()
  })
})
