import { afterAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { findExampleParcel } from '../../../drizzle/queries/parcels/parcels'
import { createSearch } from '../../../search/search'
import { createSearchSync } from '../../../search/sync/sync'
import { ADMIN_KEY, createTestApp } from '../../http/test-app'
import { PATIENT } from '../../search/patient'
import { testMeilisearch } from '../../support/servers'
import { findChromium, launchChromium } from '../browser/chromium'
import { closePage, createOpener } from '../browser/open-page'

const chromium = findChromium()

describe.skipIf(chromium === null)('the layout of the search, and of all pages on small screens', async () => {
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
  const open = async (width: number, height = 700): Promise<Page> => {
    const { page } = await openPage('/app/search?q=larkspur', { width, height })
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

  test('on a phone the map fills the space below the header and the search field, and its attribution is not covered', async () => {
    const page = await open(390)
    await page.click('button:has-text("Show the map")')
    const header = await boxOf(page, '.top')
    const search = await boxOf(page, '.search-box')
    const map = await boxOf(page, '.search-map')
    expect(search.y).toBeGreaterThan(header.y + header.height)
    expect(map.y).toBeGreaterThan(search.y + search.height)
    expect(map.y + map.height).toBe(700)
    const attribution = await boxOf(page, '.maplibregl-ctrl-attrib')
    const list = await boxOf(page, 'button:has-text("Show the list")')
    expect(list.y + list.height).toBeLessThanOrEqual(attribution.y)
    await closePage(page)
  })

  /** Whether an element is in the window and nothing covers it, at its upper and lower end. */
  const isClear = (page: Page, selector: string): Promise<boolean> =>
    page.$eval(selector, (one) => {
      const { document } = globalThis as unknown as {
        document: { elementFromPoint: (x: number, y: number) => unknown }
      }
      const { left, top, width, height } = one.getBoundingClientRect()
      return [2, height - 2].every((y) => {
        const found = document.elementFromPoint(left + width / 2, top + y)
        return found !== null && one.contains(found as never)
      })
    })

  test('at 400% zoom, the hit that the arrow keys reach is not behind the links or the button for the map', async () => {
    const page = await open(320, 256)
    const hidden: number[] = []
    for (const [index, key] of [...Array(6).fill('ArrowDown'), ...Array(6).fill('ArrowUp')].entries()) {
      await page.keyboard.press(key)
      await page.waitForSelector('[aria-selected=true]')
      if (!(await isClear(page, '[aria-selected=true]'))) hidden.push(index)
    }
    expect(hidden).toEqual([])
    await closePage(page)
  })

  test('the control that Tab reaches is not behind the links at the top', async () => {
    const { page } = await openPage('/docs', { width: 390 })
    await page.evaluate(`(() => {
      const head = [...document.querySelectorAll('main .code-head:has(input)')].at(3)
      const [before, next] = [head.querySelector('input:checked'), head.querySelector('button')]
      next.id = 'next'
      before.focus({ preventScroll: true })
      scrollTo(0, next.getBoundingClientRect().top + scrollY - 40)
    })()`)
    await page.keyboard.press('Tab')
    await page.waitForSelector('#next:focus')
    expect(await isClear(page, '#next')).toBe(true)
    await closePage(page)
  })

  test('on a low screen, the end of the account menu can be scrolled into view', async () => {
    const { page } = await openPage('/app/coverage', { width: 320, height: 200 })
    await page.click('.menu > button')
    await page.locator('.menu-panel button:has-text("Forget the key")').scrollIntoViewIfNeeded()
    expect(await isClear(page, '.menu-panel button:has-text("Forget the key")')).toBe(true)
    await closePage(page)
  })

  test('on a phone on its side, a map leaves room to scroll the page, and the camera covers nothing', async () => {
    const example = await findExampleParcel(sql)
    if (example === null) throw new Error('the sample county is empty')
    const { page } = await openPage(`/app/parcels/${example.source}/${example.source_parcel_id}`, {
      width: 740,
      height: 360,
    })
    const emulation = await page.context().newCDPSession(page)
    await emulation.send('Emulation.setSafeAreaInsetsOverride', { insets: { left: 47, right: 47 } })
    await page.click('button:has-text("Open the map")')
    const map = await boxOf(page, '.map-frame:not(.closed)')
    expect(map.height).toBeLessThanOrEqual(240)
    expect(map.x).toBeGreaterThanOrEqual(47)
    expect((await boxOf(page, '.brand')).x).toBeGreaterThanOrEqual(47)
    await emulation.send('Emulation.setSafeAreaInsetsOverride', { insets: {} })
    await closePage(page)
  })

  /** A search on a phone, with fingers. */
  const openByTouch = async () => {
    const page = await open(390)
    const emulation = await page.context().newCDPSession(page)
    await emulation.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 1 })
    const close = async () => {
      await emulation.send('Emulation.setTouchEmulationEnabled', { enabled: false })
      await closePage(page)
    }
    return { page, emulation, close }
  }

  test('on a phone, fields have text of 16 pixels, so that iOS does not zoom in on them', async () => {
    const { page, close } = await openByTouch()
    const sizes = await page.$$eval('input:not([type=checkbox], [type=radio]), select', (fields) =>
      fields.map((field) => Number.parseFloat((globalThis as never as Styles).getComputedStyle(field).fontSize)),
    )
    expect(sizes.length).toBeGreaterThan(1)
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(16)
    await close()
  })

  test('a finger that scrolls the hits chooses none, so that Enter still opens the first one', async () => {
    const { page, emulation, close } = await openByTouch()
    const swipe = (type: 'touchStart' | 'touchMove' | 'touchEnd', y?: number) =>
      emulation.send('Input.dispatchTouchEvent', { type, touchPoints: y === undefined ? [] : [{ x: 150, y }] })
    await swipe('touchStart', 500)
    for (const y of [480, 440, 400, 360, 320]) await swipe('touchMove', y)
    await swipe('touchEnd')
    await page.waitForFunction('scrollY > 0')
    expect(await page.locator('[aria-selected=true]').count()).toBe(0)
    await close()
  })

  test('on a phone, Back to a search does not focus its field, because the keyboard would cover the hits', async () => {
    const { page, close } = await openByTouch()
    await page.locator('.top-nav a', { hasText: 'Coverage' }).click()
    await page.waitForSelector('main:focus h1:text-is("Coverage")')
    await page.goBack()
    await page.waitForSelector('.search-page:focus-within')
    await page.waitForSelector('[role=treeitem]')
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
    await close()
  })

  test('with forced colors, the legend keeps the colors of the map, and choices and the map’s buttons are visible', async () => {
    const page = await open(1280)
    await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
    await page.click('.map-legend summary')
    const colors = await page.$$eval('.swatch:not(.line)', (swatches) =>
      swatches.map((swatch) => (globalThis as never as Styles).getComputedStyle(swatch).backgroundColor),
    )
    const styleOf = (selector: string, name: 'filter' | 'outlineStyle') =>
      page.$eval(selector, (one, name) => (globalThis as never as Styles).getComputedStyle(one)[name], name)
    const icon = await styleOf('.maplibregl-ctrl-zoom-in .maplibregl-ctrl-icon', 'filter')
    await page.keyboard.press('Control+k')
    await page.waitForSelector('[cmdk-item]')
    const choice = await styleOf('[cmdk-item][aria-selected=true]', 'outlineStyle')
    expect({ hasColors: new Set(colors).size > 2, icon, choice }).toEqual({
      hasColors: true,
      icon: 'none',
      choice: 'solid',
    })
    await page.keyboard.press('Escape')
    await page.emulateMedia({ forcedColors: 'none' })
    await closePage(page)
  })

  test('the filters of an export are all visible on a phone', async () => {
    const { page } = await openPage('/app/exports', { width: 390 })
    await page.waitForSelector('.filter-panel')
    const [seen, all] = (await page.$eval('form.filter-panel', (panel) => [
      panel.clientHeight,
      panel.scrollHeight,
    ])) as number[]
    expect(seen).toBe(all as number)
    await closePage(page)
  })
})

/** A part of `Window`, whose types the tests do not have. */
interface Styles {
  getComputedStyle: (one: unknown) => Record<'fontSize' | 'backgroundColor' | 'filter' | 'outlineStyle', string>
}
