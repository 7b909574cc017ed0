import { afterAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { createTestApp } from '../../http/test-app'
import { findChromium, launchChromium } from '../browser/chromium'
import { closePage, createOpener, NO_SUCH_PAGE } from '../browser/open-page'

const chromium = findChromium()

describe.skipIf(chromium === null)('links, Back and Forward', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { app } = await createTestApp()
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))
  const open = createOpener(browser, `http://127.0.0.1:${app.server?.port}`)

  test('each page that a link, Back or Forward leads to has the focus in its main part', async () => {
    const { page, complaints } = await open('/app/coverage')
    const follow = async (label: string) => {
      await page.locator('.top-nav a', { hasText: label }).focus()
      await page.keyboard.press('Enter')
    }
    const shows = (heading: string) => page.waitForSelector(`main:focus:has(h1:text-is("${heading}"))`)
    await follow('Map')
    await shows('Map of parcels')
    await follow('API')
    await shows('API guide')
    await page.goBack()
    await shows('Map of parcels')
    await page.goBack()
    await shows('Coverage')
    await page.goForward()
    await shows('Map of parcels')
    // A search is for typing.
    await follow('Search')
    await page.waitForSelector('main:has(h1:text-is("Search parcels")) input[type=search]:focus')
    expect(complaints).toEqual([])
    await closePage(page)
  })

  test('the account menu stays open when its text is clicked, and closes when the page is clicked', async () => {
    const { page } = await open('/app/coverage')
    await page.click('.menu > button')
    await page.click('.key-form label')
    await page.waitForSelector('.key-form input:focus')
    await page.click('.key-form p')
    await page.waitForSelector('.menu-panel:focus')
    await page.click('main h1')
    await page.waitForSelector('.menu-panel', { state: 'detached' })
    await closePage(page)
  })

  test('Back to an unknown URL puts the focus in its main part', async () => {
    const { page } = await open(NO_SUCH_PAGE)
    await page.locator('.top-nav a', { hasText: 'Coverage' }).click()
    await page.waitForSelector('main:focus:has(h1:text-is("Coverage"))')
    await page.goBack()
    await page.waitForSelector('main:focus:has(h1:text-is("Page not found"))')
    await closePage(page)
  })

  test('maps keep their position in the URL when Back leads from one map to another, and leave the hash of other pages', async () => {
    const { page } = await open('/app/coverage')
    const follow = (label: string) => page.locator('.top-nav a', { hasText: label }).click()
    await follow('API')
    await page.locator('.console-nav a[href="#find"]').click()
    await follow('Map')
    await page.waitForSelector('.map-page .map[data-view=idle]')
    await page.goBack()
    await page.waitForSelector('main:has(h1:text-is("API guide"))')
    expect(new URL(page.url()).hash).toBe('#find')
    await closePage(page)

    const { page: searched } = await open('/app/search#14/43.87/-120.55')
    await searched.waitForSelector('.map[data-view=idle]')
    await searched.locator('.top-nav a', { hasText: 'Map' }).click()
    await searched.waitForSelector('.map-page .map[data-view=idle]')
    await searched.goBack()
    await searched.waitForSelector('.search-page:not(.map-page) .map[data-view=idle]')
    expect(new URL(searched.url()).hash).toBe('#14/43.87/-120.55')
    await closePage(searched)
  })
})
