import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { createSearch } from '../../../search/search'
import { buildTiles, DEFAULT_TILE_OPTIONS } from '../../../tiles-build/build'
import { ADMIN_KEY, createTestApp } from '../../http/test-app'
import { countNow } from '../../parcels/coverage/count'
import { PATIENT } from '../../search/patient'
import { findFaultsInBothThemes } from '../browser/axe'
import { findChromium, launchChromium } from '../browser/chromium'
import { closePage, createOpener } from '../browser/open-page'

const chromium = findChromium()

describe.skipIf(chromium === null)('tasks of people who look for land, with two counties', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { app, sql, url, tileStore, useSearch } = await createTestApp()
  await seedSampleCounty(sql, { parcels: 300, entities: 0 })
  await sql`
    insert into sources (source, state, county_name, vendor, base_url)
    values ('brook-county', 'ID', 'Brook', 'arcgis', 'https://brook.example')`
  await sql`insert into source_refresh_policies (source, next_due_at) values ('brook-county', '2099-01-01T00:00:00Z')`
  // Sixty lots in five rows, of one owner.
  const ringOf = (n: number) => {
    const [west, south] = [-116 + (n % 12) * 0.001, 43.6 + Math.floor(n / 12) * 0.001]
    const [east, north] = [west + 0.0009, south + 0.0009]
    return {
      ring: [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
      ],
      west,
      south,
      east,
      north,
    }
  }
  for (let n = 0; n < 60; n++) {
    const { ring, west, south, east, north } = ringOf(n)
    const boundary = JSON.stringify({ type: 'MultiPolygon', coordinates: [[ring]] })
    await sql`
      insert into parcels (source, source_parcel_id, owner_name, situs_address, situs_city, situs_state, assessed_value, geom, bbox)
      values ('brook-county', ${`B-${n}`}, 'KESTREL MEADOWS LLC', ${`${n + 1} WILLOW RUN`}, 'BROOKTON', 'ID', ${1_000 * (n + 1)},
        ${boundary}::text::json, ${`(${east},${north}),(${west},${south})`}::text::box)`
  }
  await countNow(sql)
  const workDir = mkdtempSync(join(tmpdir(), 'explore-'))
  await buildTiles(DEFAULT_TILE_OPTIONS, { databaseUrl: url, to: tileStore, workDir, threads: 1 })
  rmSync(workDir, { recursive: true, force: true })
  useSearch(createSearch({ sql, meili: null, limits: PATIENT }))
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))
  const base = `http://127.0.0.1:${app.server?.port}`
  const openPage = createOpener(browser, base, { key: ADMIN_KEY, width: 1100, height: 640 })
  const idle = (page: Page) => page.waitForSelector('.map[data-view=idle]')
  const boxOf = async (page: Page) => {
    const box = await page.locator('.map').boundingBox()
    if (box === null) throw new Error('the map is not visible')
    return box
  }

  test('the first load of the search is at most 200 KB of scripts, because the map and its tools come later', async () => {
    const { page, scripts } = await openPage('/app/search', { width: 390 })
    await page.waitForSelector('.search-help')
    const total = [...scripts.values()].reduce((sum, bytes) => sum + bytes, 0)
    expect(total).toBeGreaterThan(50_000)
    expect(total).toBeLessThan(200_000)
    await closePage(page)
  })

  test('a copied address shows the same land, and Back undoes each step', async () => {
    const { page, complaints } = await openPage('/app/search')
    await page.fill('[role=combobox]', 'kestral meadows')
    await page.click('[role=treeitem][aria-expanded=false]:has-text("60 parcels")')
    await page.click('[role=treeitem]:has-text("List all parcels of this owner")')
    await page.waitForSelector('.search-status:has-text("60 parcels")')
    await page.waitForSelector('.map[data-hits="60"][data-view=idle]')
    await page.waitForURL(({ hash }) => Math.abs(Number(hash.split('/')[2]) + 116) < 0.05)
    expect(complaints).toEqual([])
    const { search, hash } = new URL(page.url())
    expect(search).toBe('?owner=KESTREL+MEADOWS+LLC')
    await page.waitForSelector('button:has-text("Share")')
    await closePage(page)
    const { page: other } = await openPage(`/app/search${search}${hash}`)
    await other.waitForSelector('.map[data-hits="60"][data-view=idle]')
    await other.waitForSelector('.search-status:has-text("60 parcels")')
    expect(new URL(other.url()).hash).toBe(hash)
    // Back and forth between the list and the table.
    await other.click('button:has-text("Table")')
    await other.click('.results-table th button:has-text("Assessed value")')
    await other.waitForSelector('.results-table tbody tr:first-child:has-text("$60,000")')
    expect(await findFaultsInBothThemes(other)).toEqual([])
    await other.goBack()
    await other.goBack()
    await other.waitForSelector('[role=treeitem]')
    await closePage(other)
  })

  test('a lot that is clicked has the same card on the search, the map and the page of a neighbor, and Back closes it', async () => {
    for (const path of ['/app/search', '/map', '/app/parcels/brook-county/B-31']) {
      const { page, complaints } = await openPage(`${path}#18/43.60245/-115.99355`)
      await idle(page)
      const { x, y, width, height } = await boxOf(page)
      if (path.includes('parcels')) {
        // The page's own parcel is in the middle, and its neighbors are beside it.
        await page.mouse.click(x + width / 2 - width * 0.3, y + height / 2)
        await page.waitForSelector('.map-details:has-text("WILLOW RUN")')
      } else {
        await page.mouse.click(x + width / 2, y + height / 2)
        await page.waitForSelector('.map-details:has-text("31 WILLOW RUN")')
        await page.waitForSelector('.map[data-selected="brook-county/B-30"][data-boundary=true]')
      }
      await page.goBack()
      await page.waitForSelector('.map-details', { state: 'detached' })
      expect(complaints).toEqual([])
      await closePage(page)
    }
  })

  test('an area is drawn by keyboard alone', async () => {
    const { page, complaints } = await openPage('/map#16.5/43.6022/-115.994')
    await idle(page)
    // The arrow keys move the map, Enter adds a corner in its middle.
    await page.focus('[aria-label="Draw an area"]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('canvas:focus')
    await page.waitForSelector('.map-drawing')
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft']) {
      await page.keyboard.press('Enter')
      await page.keyboard.press(key)
      await idle(page)
    }
    await page.keyboard.press('Enter')
    await page.keyboard.press('f')
    await page.waitForSelector('.map[data-area=true]')
    await page.waitForSelector('.search-status:has-text("parcel")')
    expect(await findFaultsInBothThemes(page)).toEqual([])
    expect(complaints).toEqual([])
    await closePage(page)
  })

  test('a tool that is cancelled while its code is loading does not draw: a click picks a parcel', async () => {
    const { page } = await openPage('/map#16/43.6024/-115.9945')
    await idle(page)
    const { promise, resolve } = Promise.withResolvers<void>()
    await page.route('**/*.js', async (route) => {
      await promise
      await route.continue()
    })
    const tool = page.locator('[aria-label="Measure a distance"]')
    const code = page.waitForRequest(/\.js$/)
    await tool.click()
    await code
    await tool.click()
    const loaded = page.waitForResponse(/\.js$/)
    resolve()
    await (await loaded).finished()
    await page.unroute('**/*.js')
    const { x, y, width, height } = await boxOf(page)
    await page.mouse.click(x + width / 2, y + height / 2)
    await page.waitForSelector('.map-details dl')
    await closePage(page)
  })

  test('a tool whose code cannot be fetched says so', async () => {
    const { page } = await openPage('/map#16/43.6024/-115.9945')
    await idle(page)
    await page.route('**/*.js', (route) => route.abort())
    await page.click('[aria-label="Measure a distance"]')
    await page.waitForSelector('.map-drawing:has-text("This tool could not be fetched.")')
    await page.unroute('**/*.js')
    await page.click('.map-drawing button:has-text("Cancel")')
    await page.waitForSelector('.map-drawing', { state: 'detached' })
    await closePage(page)
  })

  test('the part of the map that is shown can be searched, and a distance measured', async () => {
    const { page, complaints } = await openPage('/map#17/43.60245/-115.9935')
    await idle(page)
    await page.click('[aria-label="Search this area"]')
    await page.waitForSelector('.chip:has-text("In one part of the map")')
    await page.waitForSelector('.search-status:has-text("parcels")')
    await page.click('[aria-label="Measure a distance"]')
    await page.waitForSelector('.map-drawing:has-text("points of a line")')
    await page.waitForSelector('canvas:focus')
    const { x, y, width, height } = await boxOf(page)
    for (const right of [0.3, 0.7]) {
      await page.mouse.move(x + width * right, y + height / 2)
      await page.mouse.down()
      await page.mouse.up()
    }
    await page.waitForSelector('.map-drawing:has-text(" ft (")')
    await page.click('.map-drawing button:has-text("Cancel")')
    await page.waitForSelector('.map-drawing', { state: 'detached' })
    expect(new URL(page.url()).searchParams.has('parcel')).toBe(false)
    expect(complaints).toEqual([])
    await closePage(page)
  })
})
