import { afterAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { ADMIN_KEY, createTestApp } from '../http/test-app'
import { findFaults } from './axe'
import { findChromium, launchChromium } from './chromium'

const chromium = findChromium()

describe.skipIf(chromium === null)('the page of the API', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { app } = await createTestApp()
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))

  const openDocs = async (theme: 'light' | 'dark', hash = ''): Promise<{ page: Page; complaints: string[] }> => {
    const page = await browser.newPage({
      ...{ viewport: { width: 1280, height: 860 }, colorScheme: theme, reducedMotion: 'reduce' },
    })
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    await page.goto(`http://127.0.0.1:${app.server?.port}/docs${hash}`)
    await page.waitForSelector('.opblock')
    return { page, complaints }
  }
  const toggle = (page: Page, id: string) => page.click(`[id="${id}"] .opblock-summary-control`)

  for (const theme of ['light', 'dark'] as const) {
    test(`axe finds no serious fault, ${theme}: from the list to what a call answers, with a body, and with the key’s dialog`, async () => {
      const { page, complaints } = await openDocs(theme)
      expect(await findFaults(page)).toEqual([])

      await page.click('.btn.authorize')
      await page.waitForSelector('.modal-ux input')
      expect(await findFaults(page)).toEqual([])
      await page.fill('.modal-ux input >> nth=0', ADMIN_KEY)
      await page.click('.modal-ux button:has-text("Authorize") >> nth=0')
      await page.waitForSelector('.modal-ux button:has-text("Logout")')
      expect(await findFaults(page)).toEqual([])
      await page.click('.modal-ux button[aria-label=Close]')

      const [health, orders] = ['operations-sources-listSourceHealth', 'operations-scrape-jobs-enqueueScrapes']
      await toggle(page, health)
      await page.waitForSelector(`[id="${health}"] .opblock-body`)
      expect(await findFaults(page)).toEqual([])
      await page.click('.try-out__btn')
      await page.waitForSelector('.execute')
      expect(await findFaults(page)).toEqual([])
      await page.click('.execute')
      await page.waitForSelector('.live-responses-table .microlight:has-text("sources")')
      expect(await findFaults(page)).toEqual([])
      await toggle(page, health)
      await page.waitForSelector(`[id="${health}"] .opblock-body`, { state: 'detached' })

      await toggle(page, orders)
      await page.click('.try-out__btn')
      await page.waitForSelector('textarea[aria-label="Request body"]')
      expect(await findFaults(page)).toEqual([])
      expect(complaints).toEqual([])
      await page.close()
    })
  }

  test('an operation that was opened is in the address, which opens it again', async () => {
    const { page } = await openDocs('light')
    await toggle(page, 'operations-sources-listSourceHealth')
    await page.waitForURL('**/docs#/sources/listSourceHealth')
    await page.close()
    const again = await openDocs('light', '#/sources/listSourceHealth')
    await again.page.waitForSelector('[id="operations-sources-listSourceHealth"] .opblock-body')
    await again.page.close()
  })
})
