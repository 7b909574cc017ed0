import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { findExampleParcel } from '../../drizzle/queries/parcels/parcels'
import { createSearch } from '../../search/search'
import { SESSION_COOKIE } from '../../src/http/callers/cookies'
import { buildTiles, DEFAULT_TILE_OPTIONS } from '../../tiles-build/build'
import { ADMIN_KEY, createTestApp } from '../http/test-app'
import { waitFor } from '../servers'
import { findFaults } from './axe'
import { findChromium, launchChromium } from './chromium'

setDefaultTimeout(60_000)

const chromium = findChromium()
/** Its owner's name would run, were it ever read as HTML. */
const HOSTILE_OWNER = '<img src=x onerror="document.title=1">'

describe.skipIf(chromium === null)('the map', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { app, sql, url, tileStore, useSearch, signIn } = await createTestApp()
  await seedSampleCounty(sql, { parcels: 300, entities: 0 })
  // Postgres answers: the map asks for hits, whoever finds them.
  useSearch(createSearch({ sql, meili: null }))
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))
  const base = `http://127.0.0.1:${app.server?.port}`

  /** The page, and all that it complained about: errors, refusals of the policy, and what it asked of others. */
  const openMap = async ({
    token = null,
    theme = 'light',
    width = 1280,
  }: {
    token?: string | null
    theme?: 'light' | 'dark'
    width?: number
  } = {}): Promise<{
    page: Page
    complaints: string[]
    ranges: string[]
  }> => {
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme: theme })
    if (token !== null) await page.context().addCookies([{ name: SESSION_COOKIE, value: token, url: base }])
    const complaints: string[] = []
    const ranges: string[] = []
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      // Whoever comes is asked who they are: that it is nobody is an answer, which the browser tells as an error.
      if (message.location().url === `${base}/v1/account`) return
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    page.on('response', (response) => {
      const to = new URL(response.url())
      if (to.origin !== base && to.protocol !== 'data:' && to.protocol !== 'blob:') complaints.push(to.href)
      if (to.pathname.endsWith('.pmtiles')) ranges.push(`${response.status()} ${response.request().headers().range}`)
    })
    await page.goto(`${base}/map`)
    await page.waitForSelector('html[data-ready]')
    return { page, complaints, ranges }
  }
  const useKey = async (page: Page) => {
    await page.fill('#key', ADMIN_KEY)
    await page.click('#key-form button')
  }

  /** Flown to and marked: the parcel fills the middle that the panels leave free. Its details are open. */
  const flyToExample = async (page: Page) => {
    const example = await findExampleParcel(sql)
    await page.fill('#query', example?.owner_name ?? '')
    await page.waitForSelector('#hits [role=option]')
    await page.press('#query', 'ArrowDown')
    await page.press('#query', 'Enter')
    await page.waitForSelector('#details dl')
    expect(await page.textContent('#details')).toContain(example?.source_parcel_id ?? 'an example')
    await page.waitForSelector('html[data-chosen]')
    return example
  }
  const build = async (options: Partial<typeof DEFAULT_TILE_OPTIONS> = {}) => {
    const workDir = mkdtempSync(join(tmpdir(), 'map-'))
    await buildTiles({ ...DEFAULT_TILE_OPTIONS, ...options }, { databaseUrl: url, to: tileStore, workDir, threads: 1 })
    rmSync(workDir, { recursive: true, force: true })
  }
  /** Paths of the parcels that the page asks for from now on. */
  const watchParcels = (page: Page): string[] => {
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/v1/parcels/')) asked.push(pathname)
    })
    return asked
  }

  test('says plainly that there are no tiles before the first build, and how to make them', async () => {
    const { page } = await openMap()
    expect(await page.textContent('#note')).toBe(
      'There are no tiles yet. Build them with bun run tiles:build, then load this page again.',
    )
    await page.close()
  })

  test('draws tiles read by ranges, flies to a hit, and shows the parcel that is clicked, without a complaint', async () => {
    await sql`update parcels set owner_name = ${HOSTILE_OWNER}
      where source_parcel_id = (select source_parcel_id from parcels order by id offset 20 limit 1)`
    await build()
    const { page, complaints, ranges } = await openMap()
    await useKey(page)
    const example = await flyToExample(page)
    await page.click('#details button[aria-label=Close]')
    expect(await page.isVisible('#details')).toBe(false)
    await page.mouse.click(640, 400)
    await page.waitForSelector('#details dl')
    expect(await page.textContent('#details')).toContain(example?.source_parcel_id ?? 'an example')

    expect(ranges.length).toBeGreaterThan(1)
    for (const range of ranges) expect(range).toMatch(/^206 bytes=\d+-\d+$/)
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a pointer that rests on a parcel sees its address, owner and id, without a request and without a key', async () => {
    const { page, complaints } = await openMap()
    await useKey(page)
    const example = await flyToExample(page)
    await page.click('#details button[aria-label=Close]')
    const asked = watchParcels(page)
    await page.mouse.move(640, 400)
    await page.waitForSelector('#label:visible')
    const [row] =
      await sql`select situs_address from parcels where source_parcel_id = ${example?.source_parcel_id ?? ''}`
    const lines = [row?.situs_address, example?.owner_name, example?.source_parcel_id].filter((line) => line !== null)
    expect(await page.locator('#label > *').allTextContents()).toEqual(lines)
    await page.mouse.move(100, 50)
    await page.waitForSelector('#label', { state: 'hidden' })
    expect(asked).toEqual([])
    expect(complaints).toEqual([])
    await page.close()
  })

  test('with the keyboard the parcel in the middle has the label, arrows move on, and Enter shows its row', async () => {
    const { page } = await openMap()
    await useKey(page)
    await flyToExample(page)
    await page.focus('#details button[aria-label=Close]')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.focus('canvas.maplibregl-canvas')
    await page.waitForSelector('#label:visible')
    const first = await page.textContent('#label')
    await waitFor(async () => {
      await page.keyboard.press('ArrowRight')
      const now = await page.textContent('#label:visible', { timeout: 1_000 }).catch(() => null)
      return now !== null && now !== first
    }, 30_000)
    const id = (await page.locator('#label > *').last().textContent()) ?? 'an id'
    await page.keyboard.press('Enter')
    await page.waitForSelector('#details dl')
    expect(await page.textContent('#details')).toContain(id)
    await page.close()
  })

  test('an owner whose name is HTML is shown as text', async () => {
    const { page, complaints } = await openMap()
    await useKey(page)
    const [row] = await sql<{ id: string }[]>`
      select source_parcel_id as id from parcels where owner_name = ${HOSTILE_OWNER}`
    await page.fill('#query', row?.id ?? '')
    await page.waitForSelector('#hits [role=option]')
    expect(await page.textContent('#hits')).toContain(HOSTILE_OWNER)
    await page.press('#query', 'Enter')
    await page.waitForSelector('#details dl')
    expect(await page.textContent('#details')).toContain(HOSTILE_OWNER)
    expect(await page.title()).toBe('Parcel map')
    expect(complaints).toEqual([])
    await page.close()
  })

  test('who has neither key nor session is asked for a key, and asked again by a search', async () => {
    const { page } = await openMap()
    expect(await page.isVisible('#key-form')).toBe(true)
    await page.click('#key-button')
    expect(await page.isVisible('#key-form')).toBe(false)
    await page.fill('#query', 'alder')
    await page.waitForSelector('#note:has-text("Enter your key, or sign in")')
    expect(await page.isVisible('#key-form')).toBe(true)
    expect(await page.getAttribute('#key-form a', 'href')).toBe('/auth/sign-in?return_to=%2Fmap')
    await page.close()
  })

  test('who is signed in is asked for no key: they search and see a parcel until the session has ended', async () => {
    const { token } = await signIn()
    const { page, complaints } = await openMap({ token })
    expect(await page.isVisible('#key-form')).toBe(false)
    const example = await flyToExample(page)
    await page.click('#details button[aria-label=Close]')
    await page.mouse.click(640, 400)
    await page.waitForSelector('#details dl')
    expect(await page.textContent('#details')).toContain(example?.source_parcel_id ?? 'an example')
    expect(await page.isVisible('#key-form')).toBe(false)
    expect(complaints).toEqual([])

    await sql`delete from sessions`
    await page.fill('#query', 'alder')
    await page.waitForSelector('#note:has-text("Enter your key, or sign in")')
    expect(await page.isVisible('#key-form')).toBe(true)
    await page.close()
  })

  for (const theme of ['light', 'dark'] as const) {
    test(`axe finds no serious fault, ${theme}: asking for a key, searching, and with a parcel’s details`, async () => {
      for (const width of [1280, 390]) {
        const { page } = await openMap({ theme, width })
        await page.waitForSelector('#key-form:visible')
        expect(await findFaults(page)).toEqual([])
        await useKey(page)
        await page.waitForSelector('#key-form', { state: 'hidden' })
        expect(await findFaults(page)).toEqual([])
        await page.fill('#query', 'alder')
        await page.waitForSelector('#hits [role=option]')
        await page.press('#query', 'ArrowDown')
        expect(await findFaults(page)).toEqual([])
        await page.fill('#query', '')
        await page.waitForSelector('#hits', { state: 'hidden' })
        await flyToExample(page)
        expect(await findFaults(page)).toEqual([])
        await page.close()
      }
    })
  }

  test('where tiles carry ids alone a rest asks for the row, a pointer on its way for none, and what came is kept', async () => {
    await build({ properties: ['source', 'source_parcel_id'] })
    const { page } = await openMap()
    await useKey(page)
    const example = await flyToExample(page)
    await page.click('#details button[aria-label=Close]')
    const asked = watchParcels(page)
    const path = `/v1/parcels/${example?.source}/${example?.source_parcel_id}`
    // Over some parcels without a stop, however slow the machine.
    await page.evaluate(`for (let x = 400; x < 640; x += 10) document.querySelector('canvas.maplibregl-canvas')
      .dispatchEvent(new MouseEvent('mousemove', { clientX: x, clientY: x - 240, bubbles: true }))`)
    await page.mouse.move(640, 400)
    await page.waitForSelector(`#label:has-text(${JSON.stringify(example?.owner_name)})`)
    expect(asked).toEqual([path])
    for (const away of [50, 60]) {
      await page.mouse.move(100, away)
      await page.waitForSelector('#label', { state: 'hidden' })
      await page.mouse.move(640, 400)
      await page.waitForSelector(`#label:has-text(${JSON.stringify(example?.owner_name)})`)
    }
    expect(asked).toEqual([path])
    await page.close()
  })
})
