import { afterAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { ADMIN_KEY, createTestApp } from '../http/test-app'
import { waitFor } from '../servers'
import { findFaultsInBothThemes } from './axe'
import { findChromium, launchChromium } from './chromium'
import { countyFile, startFileWorker } from './file-work'
import { createVisits } from './open-page'

const chromium = findChromium()
/** A folder for pictures of each step, to look at. */
const PICTURES = process.env.ADD_COUNTY_PICTURES

/** Two tasks of an admin, in a browser, on the whole service with two counties. */
describe.skipIf(chromium === null)('counties from files', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { app, sql, url, call } = await createTestApp()
  await seedSampleCounty(sql, { parcels: 60, entities: 5 })
  startFileWorker(sql, url)
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))
  const visit = createVisits(browser, `http://127.0.0.1:${app.server?.port}`, { key: ADMIN_KEY })

  const picture = async (page: Page, name: string): Promise<void> => {
    if (PICTURES === undefined) return
    for (const [theme, width] of [
      ['light', 1440],
      ['dark', 1440],
      ['light', 390],
    ] as const) {
      await page.emulateMedia({ colorScheme: theme })
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
      await page.screenshot({ path: `${PICTURES}/${name}-${theme}-${width}.png`, fullPage: true })
    }
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 1280, height: 860 })
  }
  const choose = (page: Page, name: string, content: string) =>
    page.setInputFiles('input[type=file]', { name, mimeType: 'application/json', buffer: Buffer.from(content) })
  const ownerOf = async (id: string) => (await call(`/v1/parcels/or-marlow/${id}`)).body.owner_name

  test('an admin adds a county from a file', async () => {
    const { page, complaints } = await visit('/app/console/sources')
    await page.waitForSelector('table[aria-label="Sources"], [aria-label="Sources"]')
    await page.click('a:has-text("Add a county")')
    await page.waitForSelector('input[type=file]')
    await picture(page, '1-choose')
    await choose(
      page,
      'marlow-2026.geojson',
      countyFile(60, (row, index) => (index === 7 ? { ...row, APN: '' } : row)),
    )
    await page.waitForSelector('input[aria-label="Column of Owner"]')
    await page.waitForSelector('tr:has-text("source_parcel_id is"), tr:has-text("source_parcel_id")')
    await picture(page, '2-map')
    expect(await findFaultsInBothThemes(page)).toEqual([])
    await page.fill('input[aria-label="Column of Land use"]', 'FIRE_DIST')
    await page.click('button:has-text("Check again")')
    await page.waitForSelector('td:has-text("F-0 · F-1")')
    await page.getByLabel('Name of the county', { exact: true }).fill('Marlow')
    await page.getByLabel('State', { exact: true }).selectOption('OR')
    await page.click('button:has-text("Load the file")')
    await page.waitForSelector('.notice.good:has-text("59 new")')
    await picture(page, '3-loaded')
    await page.click('a:has-text("Open the source")')
    await page.waitForSelector('h2:has-text("Files")')
    await page.waitForSelector('tr:has-text("marlow-2026.geojson")')
    await picture(page, '4-source')
    expect(await findFaultsInBothThemes(page)).toEqual([])
    expect(await ownerOf('12-0003')).toBe('ALDER ROSE 3')
    expect(complaints).toEqual([])
  })

  test('an admin loads a bad file, sees what it changed, and undoes it', async () => {
    const { page, complaints } = await visit('/app/console/add-county?source=or-marlow')
    // One owner in ten is wrong: too few to be held.
    const bad = countyFile(60, (row, index) => (index % 10 === 3 ? { ...row, OWNER1: '#REF!' } : row))
    await choose(page, 'marlow-bad.geojson', bad)
    await page.waitForSelector('button:has-text("Load the file"):not([disabled])')
    await page.click('button:has-text("Load the file")')
    await page.waitForSelector('.notice.good:has-text("changed")')
    expect(await ownerOf('12-0003')).toBe('#REF!')
    await page.click('a:has-text("What the load changed")')
    await page.waitForSelector('button:has-text("Undo")')
    await picture(page, '5-undo')
    await page.click('button:has-text("Undo")')
    // It is refused while other work on the source ends. A person tries again.
    const undo = page.locator('dialog button:has-text("Undo it"):not([disabled])')
    await undo.click()
    await waitFor(async () => {
      if ((await undo.count()) > 0) await undo.click({ timeout: 1_000 }).catch(() => {})
      return (await ownerOf('12-0003')) === 'ALDER ROSE 3'
    })
    await page.waitForSelector('.badge:has-text("undone")')
    await picture(page, '6-undone')
    expect(complaints).toEqual([])
  })
})
