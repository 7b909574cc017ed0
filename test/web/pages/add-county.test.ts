import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { ADMIN_KEY, createTestApp } from '../../http/test-app'
import { writeZip } from '../../ingest/files/write-zip'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { findChromium, launchChromium } from '../browser/chromium'
import { closePage, createOpener } from '../browser/open-page'
import { countyFile, startFileWorker } from '../file-work'

setDefaultTimeout(TEST_TIMEOUT_MS)

const chromium = findChromium()

describe.skipIf(chromium === null)('the page that adds a county, in a browser', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { app, sql, url } = await createTestApp()
  startFileWorker(sql, url)
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))
  const open = createOpener(browser, `http://127.0.0.1:${app.server?.port}`)

  test('Back and Forward lead through its steps, a reload keeps the sent file, and the focus begins each step', async () => {
    const archive = writeZip('layers.zip', [
      { name: 'roads.geojson', content: Buffer.from(countyFile(3)) },
      { name: 'lots.geojson', content: Buffer.from(countyFile(12)) },
    ])
    const { page, complaints } = await open('/app/console/sources', { key: ADMIN_KEY })
    const [choose, layers, fields] = ['input[type=file]', '#layer', 'input[aria-label="Column of Parcel id"]'] as const
    await page.click('main a:has-text("Add a county")')
    await page.setInputFiles(choose, archive)
    await page.waitForSelector(layers)
    await page.waitForSelector('main:focus')
    await page.focus('button:has-text("lots.geojson")')
    await page.keyboard.press('Enter')
    await page.waitForSelector(fields)
    await page.waitForSelector('main:focus')
    await page.goBack()
    await page.waitForSelector(layers)
    await page.goBack()
    await page.waitForSelector(choose)
    await page.goForward()
    await page.waitForSelector(layers)
    await page.goForward()
    await page.waitForSelector(fields)
    await page.reload()
    expect(await page.inputValue(fields)).toBe('APN')
    await page.waitForSelector('strong:has-text("layers.zip · lots.geojson")')
    await page.click('button:has-text("Choose another file")')
    await page.waitForSelector(choose)
    expect(complaints).toEqual([])
    await closePage(page)
  })

  test('on a phone, long names of files and layers are not wider than the screen', async () => {
    const long = 'parcels_of_the_county_as_exported_by_the_assessor_in_2026'
    const archive = readFileSync(
      writeZip('layers.zip', [
        { name: `${long}/roads.geojson`, content: Buffer.from(countyFile(3)) },
        { name: `${long}/lots of the county, the corrected file.geojson`, content: Buffer.from(countyFile(12)) },
      ]),
    )
    const { page } = await open('/app/console/add-county', { key: ADMIN_KEY, width: 360 })
    const choose = (name: string, buffer: Buffer) =>
      page.setInputFiles('input[type=file]', { name, mimeType: 'application/octet-stream', buffer })
    const overflow = () => page.evaluate('document.documentElement.scrollWidth - innerWidth')
    await page.route('**/v1/files', (route) => route.abort())
    await choose(`${long}.zip`, archive)
    await page.waitForSelector('button:has-text("Continue to send")')
    expect(await overflow()).toBe(0)
    await page.unroute('**/v1/files')
    await page.click('button:has-text("Continue to send")')
    await page.waitForSelector('#layer')
    expect(await overflow()).toBe(0)
    await page.click('button:has-text("lots of the county")')
    await page.waitForSelector('input[aria-label="Column of Parcel id"]')
    expect(await overflow()).toBe(0)
    await page.click('button:has-text("Choose another file")')
    await choose(`${long}.png`, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]))
    await page.waitForSelector('.notice.bad:has-text("The file cannot be read")')
    expect(await overflow()).toBe(0)
    await closePage(page)
  })
})
