import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { buildTiles, DEFAULT_TILE_OPTIONS } from '../../../tiles-build/build'
import { createTestApp } from '../../http/test-app'
import { countNow } from '../../parcels/coverage/count'
import { findChromium, launchChromium } from '../browser/chromium'
import { createVisits } from '../browser/open-page'
import { photograph } from '../browser/photograph'
import { colorAt } from './color-at'

const chromium = findChromium()

describe.skipIf(chromium === null)('the map of a service with counties far apart', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { app, sql, url, tileStore } = await createTestApp()
  await seedSampleCounty(sql, { parcels: 50, entities: 0 })
  const ring = '[[-71.11,42.37],[-71.10,42.37],[-71.10,42.38],[-71.11,42.38],[-71.11,42.37]]'
  await sql`
    insert into sources (source, state, county_name, vendor, base_url)
    values ('ma-invented', 'MA', 'Middlesex', 'arcgis', 'https://middlesex.example')`
  await sql`insert into source_refresh_policies (source, next_due_at) values ('ma-invented', '2099-01-01T00:00:00Z')`
  await sql`
    insert into parcels (source, source_parcel_id, situs_address, geom, bbox)
    values ('ma-invented', '1', '12 ELM ST', ${`{"type":"MultiPolygon","coordinates":[[${ring}]]}`}::text::json,
      '(-71.10,42.38),(-71.11,42.37)')`
  // A roll without locations.
  await sql`
    insert into sources (source, state, county_name, vendor, base_url)
    values ('or-invented', 'OR', 'Washington', 'arcgis', 'https://washington.example')`
  await sql`insert into source_refresh_policies (source, next_due_at) values ('or-invented', '2099-01-01T00:00:00Z')`
  await sql`insert into parcels (source, source_parcel_id, situs_address) values ('or-invented', '1', '12 ELM ST')`
  await countNow(sql)
  const workDir = mkdtempSync(join(tmpdir(), 'county-map-'))
  await buildTiles(DEFAULT_TILE_OPTIONS, { databaseUrl: url, to: tileStore, workDir, threads: 1 })
  rmSync(workDir, { recursive: true, force: true })
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))
  const visit = createVisits(browser, `http://127.0.0.1:${app.server?.port}`, { width: 900, height: 500 })
  const idle = (page: Page) => page.waitForSelector('.map[data-outlines=true][data-areas="3"][data-view=idle]')
  /** Waits until the hash of the URL says that the map is near a place, at a zoom that draws parcels. */
  const near = (page: Page, lat: number, lon: number) =>
    page.waitForURL(({ hash }) => {
      const [zoom = 0, ...at] = hash.slice(1).split('/').map(Number)
      return zoom >= 10 && Math.abs((at[0] ?? 0) - lat) < 0.1 && Math.abs((at[1] ?? 0) - lon) < 0.1
    })

  test('it opens with the counties on it, and says how to see parcels', async () => {
    const { page, complaints } = await visit('/map')
    await idle(page)
    await page.waitForSelector('.map-note:has-text("Click a county, or zoom in, to see parcels.")')
    expect(complaints).toEqual([])
  })

  test('large lakes and rivers are drawn without a base map, from files of this service', async () => {
    // The Great Salt Lake, and the land east of it.
    const { page, complaints } = await visit('/map#7/41/-112.5')
    await idle(page)
    await page.waitForSelector('.maplibregl-ctrl-attrib:has-text("Natural Earth")')
    const [lake, land] = [await colorAt(page, 0, 0), await colorAt(page, 200, 0)]
    const bluer = ([red = 0, , blue = 0]: number[]) => blue - red
    expect(bluer(lake)).toBeGreaterThan(bluer(land) + 5)
    expect(complaints).toEqual([])
    await photograph(page, 'water')
  })

  test('the menu of counties leads to each one, and its parcels are drawn with their house numbers', async () => {
    const { page, complaints } = await visit('/map')
    await idle(page)
    expect(await page.locator('.map-counties option').allTextContents()).toEqual([
      'Go to a county',
      'Larkspur, OR',
      'Middlesex, MA',
      'Washington, OR',
    ])
    await page.selectOption('.map-counties', 'Middlesex, MA')
    await near(page, 42.375, -71.105)
    await page.waitForSelector('.map-note', { state: 'detached' })
    await page.goto(page.url().replace(/#.*/, '#18/42.375/-71.105'))
    await page.waitForSelector('.map[data-view=idle]')
    expect(complaints).toEqual([])
  })

  test('a county whose parcels have no known location has a ring, and the map says so there', async () => {
    const { page, complaints } = await visit('/map#6/45.56/-123.08')
    await idle(page)
    const box = await page.locator('.map').boundingBox()
    if (box === null) throw new Error('the map is not visible')
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
    await page.waitForSelector('.map-note:has-text("The locations of the parcels of this county are not known.")')
    expect(complaints).toEqual([])
  })

  test('a click on a county leads to its parcels', async () => {
    // West of the parcels, but in the county, so that the click hits its outline.
    const { page } = await visit('/map#8/42.5/-71.5')
    await idle(page)
    const box = await page.locator('.map').boundingBox()
    if (box === null) throw new Error('the map is not visible')
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
    await near(page, 42.375, -71.105)
  })
})
