import { afterAll, describe, expect, test } from 'bun:test'
import type { Browser, Locator } from 'playwright-core'
import { createSearch } from '../../search/search'
import { PAGE_PATHS } from '../../src/web/app/page-paths'
import { createTestApp } from '../http/test-app'
import { findFaults, findFaultsInBothThemes } from './axe'
import { findChromium, launchChromium } from './chromium'
import { furnish } from './furnish'
import { closePage, createOpener, settle } from './open-page'

const chromium = findChromium()
const MAX_SCRIPT_BYTES = 300_000

/** What every page of the app promises, with data in everything that it can show. */
describe.skipIf(chromium === null)('every page', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const testApp = await createTestApp()
  const { app, sql, call, useSearch, signIn } = testApp
  const { token, pages } = await furnish(testApp)
  useSearch(createSearch({ sql, meili: null }))
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))
  const { token: memberToken } = await signIn()
  const open = createOpener(browser, `http://127.0.0.1:${app.server?.port}`)

  for (const path of PAGE_PATHS) {
    const { at, shows } = pages[path]

    test(`${path}: on a phone and on a wide screen, axe finds no serious fault in either theme, and first loads are small`, async () => {
      const { page, complaints, scripts } = await open(at, { token, width: 390 })
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 860 })
        // A map opens by itself only when the page is loaded on a wide screen.
        if (width !== 390 && (await page.isVisible('.map-frame.closed'))) await page.reload()
        for (const selector of shows) await page.waitForSelector(selector)
        await settle(page)
        // The map opens by itself on a wide screen; /map is a map from the start.
        if (width === 390 && path !== '/map') {
          const total = [...scripts.values()].reduce((sum, bytes) => sum + bytes, 0)
          expect(total).toBeGreaterThan(10_000)
          expect(total).toBeLessThan(MAX_SCRIPT_BYTES)
        }
        expect(await findFaultsInBothThemes(page)).toEqual([])
        // Nothing is wider than the screen, except what scrolls by itself.
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
      }
      expect(complaints).toEqual([])
      await closePage(page)
    })

    // All pages of the console tell these visitors the same (test/web/dom/app.test.ts).
    if (path.startsWith('/app/console/') && path !== '/app/console/health') continue

    test(`${path}: axe finds no serious fault in what it shows a stranger and a member`, async () => {
      for (const token of [null, memberToken]) {
        const { page, complaints } = await open(at, { token })
        await page.waitForSelector('h1')
        await settle(page)
        expect(await findFaultsInBothThemes(page)).toEqual([])
        expect(complaints).toEqual([])
        await closePage(page)
      }
    })
  }

  test('what fails is red, and a warning is not', async () => {
    for (const theme of ['light', 'dark'] as const) {
      const { page } = await open('/app/console/health', { token, theme })
      for (const bad of ['tr.bad .badge', 'tr.bad a.tone-bad', '.figure.bad dd']) {
        expect(await isRed(page.locator(bad).first())).toBe(true)
      }
      expect(await isRed(page.locator('tr.warn .badge').first())).toBe(false)
      await closePage(page)
    }
  })

  test('the page for an unknown address has no serious fault', async () => {
    const { page } = await open('/app/no-such-page')
    await page.waitForSelector('h1:has-text("Page not found")')
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

  test('faults are found: text that is too faint, and a picture and a field without a name', async () => {
    const { page } = await open('/app/search')
    await page.evaluate(`document.querySelector('main').innerHTML =
      '<p id="faint">too faint</p><img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="><input>'
      document.getElementById('faint').style.color = '#888'`)
    const faults = (await findFaults(page)).map((fault) => fault.split(':')[0])
    expect(faults.sort()).toEqual(['color-contrast', 'image-alt', 'label'])
    await closePage(page)
  })
})

/** Whether people see it as red. Amber, with a hue of 30° and more, is another color. */
const isRed = async (text: Locator): Promise<boolean> => {
  const color = await text.evaluate((one) => {
    const { getComputedStyle } = globalThis as unknown as { getComputedStyle: (one: unknown) => { color: string } }
    return getComputedStyle(one).color
  })
  const [red = 0, green = 0, blue = 0] = color.match(/[\d.]+/g)?.map(Number) ?? []
  const chroma = Math.max(red, green, blue) - Math.min(red, green, blue)
  const hue = (60 * (green - blue)) / chroma
  return chroma > 60 && red === Math.max(red, green, blue) && Math.abs(hue) < 15
}
