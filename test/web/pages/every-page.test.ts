import { afterAll, describe, expect, test } from 'bun:test'
import type { Browser, Locator } from 'playwright-core'
import { createSearch } from '../../../search/search'
import { PAGE_PATHS } from '../../../src/web/app/page-paths'
import { createTestApp } from '../../http/test-app'
import { PATIENT } from '../../search/patient'
import { findFaults, findFaultsInBothThemes } from '../browser/axe'
import { findChromium, launchChromium } from '../browser/chromium'
import { furnish } from '../browser/furnish'
import { pressButtons, walkByTab } from '../browser/keyboard'
import { closePage, createOpener, createVisits, NO_SUCH_PAGE, settle, waitForMap } from '../browser/open-page'

const chromium = findChromium()
const MAX_SCRIPT_BYTES = 300_000
const [PHONE, WIDE] = [390, 1280]

/** What every page of the app promises, with data in everything that it can show. */
describe.skipIf(chromium === null)('every page', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const testApp = await createTestApp()
  const { app, sql, call, useSearch, signIn } = testApp
  const { token, pages } = await furnish(testApp)
  useSearch(createSearch({ sql, meili: null, limits: PATIENT }))
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))
  const { token: memberToken } = await signIn()
  const base = `http://127.0.0.1:${app.server?.port}`
  const visit = createVisits(browser, base)

  for (const width of [PHONE, WIDE]) {
    // The map comes last, because its scripts are the only ones that may be large.
    for (const path of PAGE_PATHS.toSorted((one, other) => Number(one === '/map') - Number(other === '/map'))) {
      const { at, shows } = pages[path]

      const byKeyboard =
        width === WIDE ? ', and by keyboard alone everything is reached and the focus is never lost' : ''
      test(`${path}, ${width} pixels wide: axe finds no serious fault in either theme, and nothing is wider than the screen${byKeyboard}`, async () => {
        const { page, complaints, scripts } = await visit(at, { token, width })
        for (const selector of shows) await page.waitForSelector(selector)
        await settle(page)
        if (width === PHONE && path !== '/map') {
          // The scripts of all pages so far. The page that is opened first loads only its own part.
          const total = [...scripts.values()].reduce((sum, bytes) => sum + bytes, 0)
          expect(total).toBeGreaterThan(10_000)
          expect(total).toBeLessThan(MAX_SCRIPT_BYTES)
        }
        expect(await findFaultsInBothThemes(page)).toEqual([])
        // Except what scrolls by itself.
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
        if (width === WIDE) {
          await waitForMap(page)
          // Everything outside the main part is the same on all pages.
          const faults = await walkByTab(page, path === PAGE_PATHS[0] ? 'body' : 'main')
          expect([...faults, ...(await pressButtons(page))]).toEqual([])
        }
        expect(complaints).toEqual([])
      })
    }
  }

  // All pages of the console show these visitors the same message (test/web/dom/app.test.ts).
  for (const path of PAGE_PATHS.filter((path) => !path.startsWith('/app/console/') || path === '/app/console/health')) {
    test(`${path}: axe finds no serious fault in what it shows a signed-out visitor and a member`, async () => {
      for (const token of [null, memberToken]) {
        const { page, complaints } = await visit(pages[path].at, { token, width: WIDE })
        await page.waitForSelector('h1:not(:has-text("Page not found"))')
        await settle(page)
        expect(await findFaultsInBothThemes(page)).toEqual([])
        expect(complaints).toEqual([])
      }
    })
  }

  test('failures are red, and warnings are not', async () => {
    const { page } = await visit('/app/console/health', { token, width: WIDE })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      for (const bad of ['tr.bad .badge', 'tr.bad a.tone-bad', '.figure.bad dd']) {
        expect(await isRed(page.locator(bad).first())).toBe(true)
      }
      expect(await isRed(page.locator('tr.warn .badge').first())).toBe(false)
    }
  })

  test('on a phone, the links at the top have a row of their own that shows the current page', async () => {
    const { page } = await visit('/app/watches', { token, width: PHONE })
    await settle(page)
    const box = (selector: string) => page.locator(selector).first().boundingBox()
    const [nav, brand, here] = await Promise.all(['.top-nav', '.brand', '.top-nav [aria-current]'].map(box))
    expect(nav).toMatchObject({ x: 0, width: PHONE })
    expect(nav?.y).toBeGreaterThanOrEqual((brand?.y ?? 0) + (brand?.height ?? 0))
    expect(here?.x).toBeGreaterThanOrEqual(0)
    expect((here?.x ?? 0) + (here?.width ?? PHONE)).toBeLessThanOrEqual(PHONE)

    const signedOut = await visit('/app/coverage', { token: null, width: PHONE })
    await settle(signedOut.page)
    const last = await signedOut.page.locator('.top-nav a:has-text("API")').boundingBox()
    expect((last?.x ?? PHONE) + (last?.width ?? 0)).toBeLessThanOrEqual(PHONE)
  })

  test('the table of the sources of each field shows all its rows', async () => {
    const { page } = await visit(pages['/app/parcels/:source/:id'].at, { token, width: WIDE })
    await page.waitForSelector('.provenance tbody tr')
    const [seen, all] = (await page.$eval('.provenance .table-scroll', (table) => [
      table.clientHeight,
      table.scrollHeight,
    ])) as number[]
    expect(seen).toBe(all as number)
  })

  for (const path of ['/app/coverage', '/app/parcels/:source/:id', '/app/watches'] as const) {
    test(`${path}: on paper, no table is cut off at the side`, async () => {
      const { page } = await visit(pages[path].at, { token, width: 800 })
      for (const selector of pages[path].shows) await page.waitForSelector(selector)
      await page.emulateMedia({ media: 'print' })
      const cut = await page.evaluate(`[...document.querySelectorAll('.table-scroll')]
        .filter((part) => part.scrollWidth > part.clientWidth + 1)
        .map((part) => part.getAttribute('aria-label'))`)
      await page.emulateMedia({ media: 'screen' })
      expect(cut).toEqual([])
    })
  }

  test('on paper, a search is all its hits, without the map and controls, also across the paper', async () => {
    for (const view of ['', '&view=table']) {
      const { page } = await visit(`/app/search?q=alder${view}`, { token, width: 1056, height: 816 })
      await page.waitForSelector(view === '' ? '[role=treeitem] mark' : '.results-table tbody tr')
      await settle(page)
      await page.emulateMedia({ media: 'print' })
      const cut =
        await page.evaluate(`[...document.querySelectorAll('.hits, .results-table, .search-results, .search-page')]
        .filter((part) => part.checkVisibility() && part.scrollHeight > part.clientHeight + 1)
        .map((part) => part.className)`)
      const shown =
        await page.evaluate(`[...document.querySelectorAll('main :is(.map-frame, button:not(th > button), select, [type=checkbox])')]
        .filter((part) => part.checkVisibility())
        .map((part) => part.outerHTML.slice(0, 80))`)
      await page.emulateMedia({ media: 'screen' })
      expect([cut, shown]).toEqual([[], []])
    }
  })

  test('the page for an unknown address has no serious fault', async () => {
    const { page } = await visit(NO_SUCH_PAGE, { token: null, width: WIDE })
    await settle(page)
    expect(await findFaultsInBothThemes(page)).toEqual([])
  })

  test('every page of the service is tested: the app’s here, and the API reference in its own test', async () => {
    const { paths } = (await call('/openapi.json')).body as {
      paths: Record<string, { get?: { responses: Record<string, { content?: object }> } }>
    }
    const isPage = (path: string) => 'text/html' in (paths[path]?.get?.responses['200']?.content ?? {})
    expect(Object.keys(paths).filter(isPage).sort()).toEqual(['/app', '/docs', '/docs/reference', '/map'])
  })

  test('the address of every page returns the app when it is the first page opened, with links to its scripts', async () => {
    const html = await (await fetch(`${base}/app`)).text()
    const links = /<link rel="modulepreload" href="[^"]+">/g
    // The guide is sent as text, too (test/http/convention/openapi/openapi.test.ts).
    for (const { at } of Object.values(pages).filter(({ at }) => at !== '/docs')) {
      const response = await fetch(base + at)
      const text = await response.text()
      expect([at, response.status, text.replaceAll(links, '')]).toEqual([at, 200, html])
      expect(text).toMatch(links)
    }
  })

  test('faults are found: text that is too faint, and a picture and a field without a name', async () => {
    const { page } = await createOpener(browser, base)('/app/search')
    await page.evaluate(`document.querySelector('main').innerHTML =
      '<p id="faint">too faint</p><img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="><input>'
      document.getElementById('faint').style.color = '#888'`)
    const faults = (await findFaults(page)).map((fault) => fault.split(':')[0])
    expect(faults.sort()).toEqual(['color-contrast', 'image-alt', 'label'])
    await closePage(page)
  })

  test('keyboard faults are found: a trap, an order that differs from the page, focus that is not visible, and focus that is lost', async () => {
    const { page } = await createOpener(browser, base)('/app/search')
    await page.evaluate(`document.querySelector('main').innerHTML =
      '<button id="early">early</button><button id="faint">faint</button><button id="loses">loses</button><button id="trap">trap</button><a href="/docs">after</a>'
      document.getElementById('early').tabIndex = 1
      document.getElementById('faint').style.outline = 'none'
      document.getElementById('trap').onkeydown = (event) => event.key === 'Tab' && event.preventDefault()
      document.getElementById('loses').onclick = ({ target }) => target.blur()`)
    const faults = await walkByTab(page)
    const expected = ['not reached: button "early"', 'not reached: a "after"', 'no sign of focus: button "faint"']
    expect(faults).toEqual(expected)
    expect(await pressButtons(page)).toEqual(['focus lost: button "loses"'])
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
