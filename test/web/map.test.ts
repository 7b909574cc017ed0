import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { findExampleParcel } from '../../drizzle/queries/parcels'
import { seedSampleCounty } from '../../drizzle/seed/sample-county'
import { createSearch } from '../../search/search'
import { buildTiles, DEFAULT_TILE_OPTIONS } from '../../tiles-build/build'
import { ADMIN_KEY, createTestApp } from '../http/test-app'
import { findChromium, launchChromium } from './chromium'

setDefaultTimeout(60_000)

const chromium = findChromium()
/** Its owner's name would run, were it ever read as HTML. */
const HOSTILE_OWNER = '<img src=x onerror="document.title=1">'

describe.skipIf(chromium === null)('the map', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { app, sql, url, tileStore, useSearch } = await createTestApp()
  await seedSampleCounty(sql, { parcels: 300, entities: 0 })
  // Postgres answers: the map asks for hits, whoever finds them.
  useSearch(createSearch({ sql, meili: null }))
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))
  const base = `http://127.0.0.1:${app.server?.port}`

  /** The page, and all that it complained about: errors, refusals of the policy, and what it asked of others. */
  const openMap = async (): Promise<{ page: Page; complaints: string[]; ranges: string[] }> => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    const complaints: string[] = []
    const ranges: string[] = []
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
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

  test('says plainly that there are no tiles before the first build, and how to make them', async () => {
    const { page } = await openMap()
    expect(await page.textContent('#note')).toBe(
      'There are no tiles yet. Build them with bun run tiles:build, then load this page again.',
    )
    await page.close()
  })

  test('draws tiles read by ranges, flies to a hit, and shows the parcel that is clicked, without a complaint', async () => {
    const workDir = mkdtempSync(join(tmpdir(), 'map-'))
    await sql`update parcels set owner_name = ${HOSTILE_OWNER}
      where source_parcel_id = (select source_parcel_id from parcels order by id offset 20 limit 1)`
    await buildTiles(DEFAULT_TILE_OPTIONS, { databaseUrl: url, to: tileStore, workDir, threads: 1 })
    rmSync(workDir, { recursive: true, force: true })
    const example = await findExampleParcel(sql)
    const { page, complaints, ranges } = await openMap()
    await useKey(page)

    await page.fill('#query', example?.owner_name ?? '')
    await page.waitForSelector('#hits [role=option]')
    await page.press('#query', 'ArrowDown')
    await page.press('#query', 'Enter')
    await page.waitForSelector('#details dl')
    expect(await page.textContent('#details')).toContain(example?.source_parcel_id ?? 'an example')
    // Flown to and marked: the parcel fills the middle that the panels leave free.
    await page.waitForSelector('html[data-chosen]')
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

  test('a click without a key asks for one', async () => {
    const { page } = await openMap()
    await page.fill('#query', 'alder')
    await page.waitForSelector('#note:has-text("Enter your key")')
    expect(await page.isVisible('#key-form')).toBe(true)
    await page.close()
  })
})
