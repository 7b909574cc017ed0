import { afterAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { createSearch } from '../../search/search'
import { PAGE_PATHS } from '../../src/web/app/page-paths'
import { createTestApp } from '../http/test-app'
import { findFaults, findFaultsInBothThemes } from './axe'
import { findChromium, launchChromium } from './chromium'
import { furnish } from './furnish'
import { closePage, createOpener, settle } from './open-page'

const chromium = findChromium()
const MOST_SCRIPT_BYTES = 300_000

/** What is promised of each page of the app, with something of all that it can show. */
describe.skipIf(chromium === null)('every page', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const testApp = await createTestApp()
  const { app, sql, call, useSearch, signIn } = testApp
  const { token, pages } = await furnish(testApp)
  useSearch(createSearch({ sql, meili: null }))
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))
  const open = createOpener(browser, `http://127.0.0.1:${app.server?.port}`)

  for (const path of PAGE_PATHS) {
    const { at, shows } = pages[path]

    test(`${path}: axe finds no serious fault in what it shows an admin, light and dark, wide and on a phone`, async () => {
      for (const width of [1280, 390]) {
        const { page, complaints } = await open(at, { token, width })
        for (const selector of shows) await page.waitForSelector(selector)
        await settle(page)
        expect(await findFaultsInBothThemes(page)).toEqual([])
        // Nothing is wider than the screen, but what scrolls in itself.
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
        expect(complaints).toEqual([])
        await closePage(page)
      }
    })

    test(`${path}: axe finds no serious fault in what it tells a stranger, and one who may only read`, async () => {
      for (const token of [null, (await signIn()).token]) {
        const { page, complaints } = await open(at, { token })
        await page.waitForSelector('h1')
        await settle(page)
        expect(await findFaultsInBothThemes(page)).toEqual([])
        expect(complaints).toEqual([])
        await closePage(page)
      }
    })

    // This page is a map from the start.
    if (path === '/map') continue

    test(`${path}: it takes less than 300 KB of compressed script before a map is opened`, async () => {
      // A parcel's page opens its map where there is room: on a wide screen.
      const { page, scripts } = await open(at, { token, width: 390 })
      for (const selector of shows) await page.waitForSelector(selector)
      await settle(page)
      const total = [...scripts.values()].reduce((sum, bytes) => sum + bytes, 0)
      expect(total).toBeGreaterThan(10_000)
      expect(total).toBeLessThan(MOST_SCRIPT_BYTES)
      await closePage(page)
    })
  }

  test('what is where nothing is has no serious fault either', async () => {
    const { page } = await open('/app/no-such-page')
    await page.waitForSelector('h1:has-text("There is nothing here")')
    await settle(page)
    expect(await findFaultsInBothThemes(page)).toEqual([])
    await closePage(page)
  })

  test('every page that is served is tested: the app’s here, and the API’s in a test of its own', async () => {
    const { paths } = (await call('/openapi.json')).body as {
      paths: Record<string, { get?: { responses: Record<string, { content?: object }> } }>
    }
    const isPage = (path: string) => 'text/html' in (paths[path]?.get?.responses['200']?.content ?? {})
    expect(Object.keys(paths).filter(isPage).sort()).toEqual(['/app', '/docs', '/map'])
  })

  test('a fault would be found: too faint a text, a picture and a field without a name', async () => {
    const { page } = await open('/app/search')
    await page.evaluate(`document.querySelector('main').innerHTML =
      '<p id="faint">too faint</p><img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="><input>'
      document.getElementById('faint').style.color = '#888'`)
    const faults = (await findFaults(page)).map((fault) => fault.split(':')[0])
    expect(faults.sort()).toEqual(['color-contrast', 'image-alt', 'label'])
    await closePage(page)
  })
})
