import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { findExampleParcel } from '../../../drizzle/queries/parcels/parcels'
import { createSearch } from '../../../search/search'
import { buildTiles, DEFAULT_TILE_OPTIONS } from '../../../tiles-build/build'
import { ADMIN_KEY, createTestApp } from '../../http/test-app'
import { PATIENT } from '../../search/patient'
import { findFaultsInBothThemes } from '../browser/axe'
import { findChromium, launchChromium } from '../browser/chromium'
import { closePage, createOpener, createVisits, NO_SUCH_PAGE, type Visitor } from '../browser/open-page'

interface Position {
  lon: number
  lat: number
}

const chromium = findChromium()
/** How far an arrow key moves the map: 100 pixels, at zoom 17 with tiles of 512 pixels. */
const ARROW_KEY_DEGREES = (100 * 360) / (512 * 2 ** 17)
/** Read as HTML, this name would change the page's title. */
const HOSTILE_OWNER = '<img src=x onerror="document.title=1">'

describe.skipIf(chromium === null)('the map', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { app, sql, url, tileStore, useSearch, signIn } = await createTestApp()
  await seedSampleCounty(sql, { parcels: 300, entities: 0 })
  // A parcel in the shape of a U around a smaller one, which covers the middle of both their boxes.
  const box = (west: number, east: number, north: number) =>
    `[[${west},43.90],[${east},43.90],[${east},${north}],[${west},${north}],[${west},43.90]]`
  const around =
    '[[-120.61,43.90],[-120.60,43.90],[-120.60,43.91],[-120.602,43.91],[-120.602,43.902],[-120.608,43.902],[-120.608,43.91],[-120.61,43.91],[-120.61,43.90]]'
  for (const [id, ring] of [
    ['99-U', around],
    ['99-INNER', box(-120.608, -120.602, 43.91).replaceAll('43.90]', '43.902]')],
  ] as const) {
    await sql`
      insert into parcels (source, source_parcel_id, geom, bbox)
      values ('sample-county', ${id}, ${`{"type":"MultiPolygon","coordinates":[[${ring}]]}`}::text::json,
        '(-120.60,43.91),(-120.61,43.90)')`
  }
  await sql`insert into parcels (source, source_parcel_id, lon, lat) values ('sample-county', '99-PIN', -120.625, 43.925)`
  // PostgreSQL finds the hits: what is tested here is the map.
  useSearch(createSearch({ sql, meili: null, limits: PATIENT }))
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))
  const base = `http://127.0.0.1:${app.server?.port}`

  // Large enough for the layout of wide screens. Every pixel is drawn by the processor.
  const size = { width: 900, height: 500 }
  let visit = createVisits(browser, base, size)
  /** The map page, with the tiles that it shows drawn. */
  const openMap = async (visitor: Visitor = {}, address = '') => {
    const opened = await visit(`/map${address}`, visitor)
    await opened.page.waitForSelector('.map[data-view=idle]')
    return opened
  }
  /** The middle of the map. */
  const middleOf = async (page: Page) => {
    const box = await page.locator('.map').boundingBox()
    if (box === null) throw new Error('the map is not visible')
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  }
  const pathOf = (parcel: { source: string; source_parcel_id: string }) => `${parcel.source}/${parcel.source_parcel_id}`
  const getExample = async () => {
    const example = await findExampleParcel(sql)
    if (example === null) throw new Error('the sample county is empty')
    return example
  }
  /** Types a text. Waits for its hits, because the hits of the previous text stay until then. */
  const searchFor = async (page: Page, text: string) => {
    await page.fill('[role=combobox]', text)
    await page.waitForSelector('[role=tree]:not([data-stale]) [role=treeitem]')
  }
  const selectExample = async (page: Page) => {
    const example = await getExample()
    await searchFor(page, example.owner_name)
    await page.press('[role=combobox]', 'ArrowDown')
    await page.press('[role=combobox]', 'Enter')
    await page.waitForSelector('.map-details dl')
    expect(await page.textContent('.map-details')).toContain(example.source_parcel_id)
    await page.waitForSelector(`.map[data-selected="${pathOf(example)}"][data-boundary=true][data-view=idle]`)
    return example
  }
  /** The hash of a URL whose map has this position in its middle. */
  const viewOf = ({ lon, lat }: Position) => `#17/${lat}/${lon}`
  const positionOf = async (parcel: { source_parcel_id: string }): Promise<Position> => {
    const [position] = await sql<Position[]>`
      select (center(bbox))[0] as lon, (center(bbox))[1] as lat from parcels
      where source_parcel_id = ${parcel.source_parcel_id}`
    if (position === undefined) throw new Error(`there is no parcel ${parcel.source_parcel_id}`)
    return position
  }
  const publish = async (options: Partial<typeof DEFAULT_TILE_OPTIONS> = {}) => {
    const workDir = mkdtempSync(join(tmpdir(), 'map-'))
    await buildTiles({ ...DEFAULT_TILE_OPTIONS, ...options }, { databaseUrl: url, to: tileStore, workDir, threads: 1 })
    rmSync(workDir, { recursive: true, force: true })
  }
  /** Publishes an archive, which only pages that are opened later are certain to show. */
  const build = async (options?: Partial<typeof DEFAULT_TILE_OPTIONS>) => {
    await publish(options)
    await Promise.all(browser.contexts().map((context) => context.close()))
    visit = createVisits(browser, base, size)
  }
  /** Paths of the parcels that the page requests from now on. */
  const watchParcels = (page: Page): string[] => {
    const requested: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/v1/parcels/')) requested.push(pathname)
    })
    return requested
  }

  test('the styles of the map are fetched together with its code, which is large', async () => {
    const { page } = await createOpener(browser, base, size)(NO_SUCH_PAGE)
    const styles = page.waitForRequest(/maplibre-gl-\w+\.css$/)
    // The code arrives only after the styles were requested.
    await page.route(/\/parcel-map-\w+\.js$/, async (route) => {
      await styles
      await route.continue()
    })
    await page.goto(`${base}/map`)
    await page.waitForSelector('.map[data-view]')
    await page.unrouteAll()
    await closePage(page)
  })

  test('before the first build it says so, leads admins to the builds, and draws tiles when they are built, without a reload', async () => {
    const note =
      '.map-note:has-text("There are no boundaries yet. They appear here after the first build of the tiles.")'
    const builds = `${note} a[href="/app/console/tiles"]`
    const visitor = await openMap()
    await visitor.page.waitForSelector(note)
    expect(await visitor.page.locator(builds).count()).toBe(0)
    const { page } = await openMap({ key: ADMIN_KEY })
    await page.waitForSelector(builds)
    await publish()
    await page.waitForSelector('.map-note', { state: 'detached' })
    await page.waitForURL(({ hash }) => Math.abs(Number(hash.split('/')[2]) + 120.5) < 0.5)
  })

  test('on a screen as low as at 400% zoom, a map has a height and shows the parcels, not the whole world', async () => {
    const [width, height] = [320, 256]
    for (const path of ['/map', '/app/search?show=map']) {
      const { page } = await createOpener(browser, base, { width, height })(path, { key: ADMIN_KEY })
      await page.waitForSelector('.map[data-view=idle]')
      await page.waitForURL(({ hash }) => Math.abs(Number(hash.split('/')[2]) + 120.5) < 0.5)
      expect((await page.locator('.map').boundingBox())?.height).toBeGreaterThanOrEqual(200)
      await closePage(page)
    }
  })

  test('while the map opens, the URL has no position but that of the parcels', async () => {
    const { page } = await createOpener(browser, base, size)('/map', {}, (page) =>
      page.addInitScript(`
        window.hashes = []
        const replaceState = history.replaceState
        history.replaceState = function (state, title, url) {
          hashes.push(new URL(url ?? location, location).hash)
          return replaceState.call(this, state, title, url)
        }`),
    )
    await page.waitForSelector('.map[data-view=idle]')
    const hashes = (await page.evaluate<string[]>('hashes')).filter((hash) => hash !== '')
    expect(hashes.length).toBeGreaterThan(0)
    expect(new Set(hashes)).toEqual(new Set([new URL(page.url()).hash]))
    await closePage(page)
  })

  test('a tap anywhere on the closed legend opens it', async () => {
    const { page } = await visit('/map', { width: 360 })
    const { x = 0, y = 0, height = 0 } = (await page.locator('.map-legend').boundingBox()) ?? {}
    // WCAG 2.2, 2.5.8: targets have at least 24 by 24 pixels.
    expect(height).toBeGreaterThanOrEqual(24)
    await page.mouse.click(x + 4, y + 3)
    await page.waitForSelector('.map-legend[open] li')
  })

  test('it draws tiles read by ranges, flies to a hit, and shows the parcel that is clicked, without an error', async () => {
    await sql`update parcels set owner_name = ${HOSTILE_OWNER}
      where source_parcel_id = (select source_parcel_id from parcels order by id offset 20 limit 1)`
    await build()
    const { page, complaints } = await visit(NO_SUCH_PAGE, { key: ADMIN_KEY })
    const ranges: string[] = []
    page.on('response', (response) => {
      if (new URL(response.url()).pathname.endsWith('.pmtiles'))
        ranges.push(`${response.status()} ${response.request().headers().range}`)
    })
    await openMap({ key: ADMIN_KEY })
    const example = await selectExample(page)
    await page.click('.map-details button[aria-label=Close]')
    await page.waitForSelector('.map-details', { state: 'detached' })
    expect(await page.getAttribute('.map', 'data-selected')).toBeNull()
    const { x, y } = await middleOf(page)
    await page.mouse.click(x, y)
    await page.waitForSelector('.map-details dl')
    expect(await page.textContent('.map-details')).toContain(example.source_parcel_id)

    expect(ranges.length).toBeGreaterThan(1)
    for (const range of ranges) expect(range).toMatch(/^206 bytes=\d+-\d+$/)
    expect(complaints).toEqual([])
  })

  test('a pointer that rests on a parcel shows its address, owner and id, without a request and without a key', async () => {
    const example = await getExample()
    const { page: stranger, complaints } = await openMap({}, viewOf(await positionOf(example)))
    const requested = watchParcels(stranger)
    const { x, y } = await middleOf(stranger)
    await stranger.mouse.move(x, y)
    await stranger.waitForSelector(`.map-label:has-text("${example.source_parcel_id}")`)
    const [row] = await sql`select situs_address from parcels where source_parcel_id = ${example.source_parcel_id}`
    const lines = [row?.situs_address, example.owner_name, example.source_parcel_id].filter((line) => line !== null)
    expect(await stranger.locator('.map-label > *').allTextContents()).toEqual(lines)
    await stranger.mouse.move(100, 20)
    await stranger.waitForSelector('.map-label', { state: 'detached' })
    expect(requested).toEqual([])
    expect(complaints).toEqual([])
  })

  test('with the keyboard, the parcel in the middle has the label, the arrow keys move on, and Enter shows and closes its details', async () => {
    // Two lots with four corners, so that the middle of the box is in the lot. An arrow key moves the map from one to the other.
    const [pair] = await sql<(Position & { west: string; east: string })[]>`
      with lots as (
        select id, source_parcel_id, bbox, center(bbox) as middle from parcels
        where json_array_length(geom -> 'coordinates') = 1 and json_array_length(geom #> '{coordinates,0,0}') = 5
      )
      select west.source_parcel_id as west, east.source_parcel_id as east,
        east.middle[0] - ${ARROW_KEY_DEGREES} as lon, east.middle[1] as lat
      from lots west join lots east
        on abs(east.middle[0] - ${ARROW_KEY_DEGREES} - west.middle[0]) < width(west.bbox) / 8
          and abs(east.middle[1] - west.middle[1]) < height(west.bbox) / 8
      order by west.id, east.id limit 1`
    if (pair === undefined) throw new Error('no parcels have that distance')
    const { page } = await openMap({ key: ADMIN_KEY }, viewOf(pair))
    await page.keyboard.press('Tab')
    await page.focus('canvas.maplibregl-canvas')
    await page.waitForSelector(`.map-label:has-text("${pair.west}")`)
    await page.keyboard.press('ArrowRight')
    await page.waitForSelector(`.map-label:has-text("${pair.east}")`)
    // The label is removed when the map loses the focus, which must not take the focus back to the map.
    await page.keyboard.press('Tab')
    await page.waitForSelector('.map-label', { state: 'detached' })
    expect(await page.evaluate<string>('document.activeElement.ariaLabel')).toBe('Zoom in')
    await page.keyboard.press('Shift+Tab')
    await page.waitForSelector(`.map-label:has-text("${pair.east}")`)
    await page.keyboard.press('Enter')
    await page.waitForSelector(`.map-details:has(dl):has-text("${pair.east}")`)
    await page.focus('.map-details button[aria-label=Close]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.map-details', { state: 'detached' })
  })

  test('an owner whose name is HTML is shown as text', async () => {
    const { page, complaints } = await openMap({ key: ADMIN_KEY })
    const [row] = await sql<{ id: string }[]>`
      select source_parcel_id as id from parcels where owner_name = ${HOSTILE_OWNER}`
    await searchFor(page, row?.id ?? '')
    expect(await page.textContent('[role=tree]')).toContain(HOSTILE_OWNER)
    await page.press('[role=combobox]', 'Enter')
    await page.waitForSelector('.map-details dl')
    expect(await page.textContent('.map-details')).toContain(HOSTILE_OWNER)
    expect(await page.title()).toBe(`${row?.id} · Map · Parcels`)
    expect(complaints).toEqual([])
  })

  test('a link shows another person the same text, selected parcel and map position', async () => {
    const { page } = await openMap({ key: ADMIN_KEY })
    const example = await selectExample(page)
    const { lon } = await positionOf(example)
    await page.focus('canvas.maplibregl-canvas')
    await page.keyboard.press('ArrowRight')
    // The URL is updated after the map moves, so at first it may have the old position.
    await page.waitForURL(({ hash }) => Number(hash.split('/')[2]) > lon + ARROW_KEY_DEGREES / 2)
    const { search, hash } = new URL(page.url())
    const { token } = await signIn()
    const { page: other } = await createOpener(browser, base, size)(`/map${search}${hash}`, { token })
    await other.waitForSelector(`.map[data-selected="${pathOf(example)}"][data-boundary=true][data-view=idle]`)
    await other.waitForSelector(`.map-details:has-text("${example.source_parcel_id}")`)
    expect(await other.inputValue('[role=combobox]')).toBe(example.owner_name)
    expect(new URL(other.url()).hash).toBe(hash)
    await closePage(other)
  })

  test('a parcel is highlighted by its id, even if the middle of its box belongs to a neighbor', async () => {
    const { page } = await openMap({ key: ADMIN_KEY }, '?parcel=sample-county/99-U')
    await page.waitForSelector('.map[data-selected="sample-county/99-U"][data-boundary=true][data-view=idle]')
    await page.waitForSelector('.map-details:has-text("99-U")')
    const { x, y } = await middleOf(page)
    await page.mouse.click(x, y)
    await page.waitForSelector('.map[data-selected="sample-county/99-INNER"][data-view=idle]')
  })

  test('a parcel without a boundary is drawn at its point, where a click selects it', async () => {
    const { page } = await openMap({ key: ADMIN_KEY }, '#17/43.925/-120.625')
    const { x, y } = await middleOf(page)
    await page.mouse.click(x, y)
    await page.waitForSelector('.map[data-selected="sample-county/99-PIN"][data-boundary=true][data-view=idle]')
    await page.waitForSelector('.map-details:has-text("Only a point of this parcel is known.")')
  })

  test('where no parcel is drawn the map says so, and leads back to the parcels', async () => {
    const { page } = await openMap({}, '#13/40/-110')
    await page.waitForSelector('.map-note:has-text("There are no parcels here")')
    await page.click('.map-note button')
    await page.waitForSelector('.map-note', { state: 'detached' })
  })

  test('what it says without parcels follows the map', async () => {
    const { page } = await openMap({}, '#13/40/-110')
    await page.waitForSelector('.map-note:has-text("There are no parcels here")')
    await page.evaluate(`location.hash = '#4/43.9/-120.5'`)
    await page.waitForSelector('.map-note:has-text("Click a county, or zoom in, to see parcels")')
  })

  test('hits that are not in the tiles yet are said to be missing, and are drawn after the next build where the map is', async () => {
    await sql`
      insert into parcels (source, source_parcel_id, owner_name, geom, bbox)
      values ('sample-county', '99-NEW', 'LATECOMER PETRA', '{"type":"MultiPolygon","coordinates":[[[[-121,44.5],[-120.99,44.5],[-120.99,44.51],[-121,44.5]]]]}'::json,
        '(-120.99,44.51),(-121,44.5)')`
    const { page, complaints } = await visit('/app/search?q=latecomer+petra', { key: ADMIN_KEY })
    await page.waitForSelector('.map[data-hits="1"][data-view=idle]')
    await page.waitForSelector('.map-note:has-text("The boundaries of these parcels are not drawn yet.")')
    const { hash } = new URL(page.url())
    expect(hash).toStartWith('#15.5/44.505')
    await publish()
    await page.waitForSelector('.map-note', { state: 'detached' })
    await page.waitForSelector('.map[data-hits="1"][data-view=idle]')
    expect(new URL(page.url()).hash).toBe(hash)
    expect(complaints).toEqual([])
  })

  test('if the location of no hit is known, the map says so', async () => {
    await sql`insert into parcels (source, source_parcel_id, owner_name) values ('sample-county', '99-NOWHERE', 'DRIFTER OMAR')`
    const { page } = await visit('/app/search?q=drifter+omar', { key: ADMIN_KEY })
    await page.waitForSelector('.map-note:has-text("The location of these parcels is not known.")')
    await page.fill('[role=combobox]', (await getExample()).owner_name)
    await page.waitForSelector('.map-note', { state: 'detached' })
  })

  test('a person without a key or a session is asked for one, and asked again after a search', async () => {
    const { page } = await openMap()
    await page.waitForSelector('.map-side .key-form')
    // The map may have added its position to the URL already.
    const signIn = await page.getAttribute('.map-side a:has-text("Sign in")', 'href')
    expect(signIn).toMatch(/^\/auth\/sign-in\?return_to=%2Fmap(?:%23|$)/)
    await page.fill('[role=combobox]', 'alder')
    expect(await page.isVisible('.map-side .key-form')).toBe(true)
    await page.fill('.map-side .key-form input', ADMIN_KEY)
    await page.click('.map-side .key-form button')
    await page.waitForSelector('[role=treeitem]')
    // The document keeps the key, so no test after this one is signed out.
  })

  test('a signed-in person is not asked for a key, and sees a message when the session has ended; typed text stays', async () => {
    const { token } = await signIn()
    const { page, complaints } = await openMap({ token })
    await selectExample(page)
    expect(await page.locator('.key-form').count()).toBe(0)
    expect(complaints).toEqual([])

    await sql`delete from sessions`
    await page.fill('[role=combobox]', 'alder')
    await page.waitForSelector('.trouble-notices:has-text("Your session has ended")')
    expect(await page.inputValue('[role=combobox]')).toBe('alder')
  })

  // With a parcel's details: test/web/pages/every-page.test.ts.
  test('axe finds no serious fault with hits, on a wide screen and on a phone', async () => {
    const { page } = await openMap({ key: ADMIN_KEY })
    await searchFor(page, 'alder')
    await page.press('[role=combobox]', 'ArrowDown')
    await page.waitForSelector('[role=treeitem][aria-selected=true]')
    for (const width of [size.width, 390]) {
      await page.setViewportSize({ ...size, width })
      expect(await findFaultsInBothThemes(page)).toEqual([])
    }
  })

  test('where tiles have only ids, a resting pointer requests the row once, and a passing pointer requests none', async () => {
    await build({ properties: ['source', 'source_parcel_id'] })
    const example = await getExample()
    const { page: again } = await openMap({ key: ADMIN_KEY }, viewOf(await positionOf(example)))
    const requested = watchParcels(again)
    const path = `/v1/parcels/${example.source}/${example.source_parcel_id}`
    const { x, y } = await middleOf(again)
    // Over some parcels without a stop, however slow the machine.
    await again.evaluate(`for (let x = ${x} - 240; x < ${x}; x += 10) document.querySelector('canvas.maplibregl-canvas')
      .dispatchEvent(new MouseEvent('mousemove', { clientX: x, clientY: x - ${x} + ${y}, bubbles: true }))`)
    await again.mouse.move(x, y)
    await again.waitForSelector(`.map-label:has-text(${JSON.stringify(example.owner_name)})`)
    expect(requested).toEqual([path])
    for (const away of [20, 25]) {
      await again.mouse.move(100, away)
      await again.waitForSelector('.map-label', { state: 'detached' })
      await again.mouse.move(x, y)
      await again.waitForSelector(`.map-label:has-text(${JSON.stringify(example.owner_name)})`)
    }
    expect(requested).toEqual([path])
  })
})
