import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Browser, Download, Page } from 'playwright-core'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { createExportStore } from '../../../src/exports/export-store'
import { createExportRunner } from '../../../src/work/export-runner'
import { createMatchRunner } from '../../../src/work/match-runner'
import { createWorkLoop } from '../../../src/work/work-loop'
import { ADMIN_KEY, createTestApp } from '../../http/test-app'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { findFaultsInBothThemes } from '../browser/axe'
import { findChromium, launchChromium } from '../browser/chromium'
import { closePage, createOpener } from '../browser/open-page'

setDefaultTimeout(TEST_TIMEOUT_MS)

const chromium = findChromium()

describe.skipIf(chromium === null)('lists and exports with a mouse', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const folder = mkdtempSync(join(tmpdir(), 'lists-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const store = createExportStore(join(folder, 'exports'))
  const { app, sql, url } = await createTestApp({ exports: { store } })
  await seedSampleCounty(sql, { parcels: 300, entities: 0 })
  const log = pino({ level: 'silent' })
  const exporting = { databaseUrl: url, store, workDir: join(folder, 'work'), maxBytes: 1e9, log }
  const runners = [createMatchRunner({ databaseUrl: url }), createExportRunner(exporting)]
  const loop = createWorkLoop({ sql, log, runners, pollMs: 50 })
  loop.start()
  afterAll(() => loop.stop())
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))
  const base = `http://127.0.0.1:${app.server?.port}`
  const open = createOpener(browser, base, { key: ADMIN_KEY })

  const [first, second] = await sql<{ address: string; city: string }[]>`
    select situs_address as address, situs_city as city from parcels p
    where situs_address ~ '^[0-9]' and not exists (select from parcels o where o.id <> p.id and starts_with(o.situs_address, p.situs_address))
    order by source_parcel_id limit 2`
  const [{ landUse } = { landUse: '' }] = await sql<{ landUse: string }[]>`
    select land_use_class as "landUse" from parcels where acreage <= 2 group by 1 order by count(*) desc limit 1`
  const list = [
    'Where it is,Town,Remark',
    `"${first?.address}",${first?.city},"a ""quoted"" one"`,
    `"${second?.address}",${second?.city},`,
    '9 Nowhere Blvd,Nowhere,',
  ].join('\r\n')

  /** Drops a file on the page, as the mouse does. */
  const drop = async (page: Page, selector: string, name: string, text: string) => {
    const files = await page.evaluateHandle(
      `(() => {
        const transfer = new DataTransfer()
        transfer.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}))
        return transfer
      })()`,
    )
    for (const type of ['dragenter', 'dragover', 'drop'])
      await page.dispatchEvent(selector, type, { dataTransfer: files })
  }
  const saved = async (download: Promise<Download>) => readFileSync(await (await download).path(), 'utf8')
  /** For people who want to look at the pages. */
  const show = async (page: Page, name: string) => {
    if (process.env.SCREENSHOTS !== undefined)
      await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`), fullPage: true })
  }

  test('a file is dropped, its columns are changed, and its rows are matched, downloaded and tried again', async () => {
    const { page, complaints } = await open('/app/lists')
    await drop(page, '.drop', 'list.csv', list)
    await page.getByText('9 Nowhere Blvd').waitFor()
    expect(await page.getByLabel('What the column Town has').inputValue()).toBe('city')
    await page.getByLabel('What the column Where it is has').selectOption('address')
    await show(page, 'lists-columns')
    expect(await findFaultsInBothThemes(page)).toEqual([])
    await page.getByRole('button', { name: 'Match 3 rows' }).click()
    await page.locator('.badge', { hasText: 'done' }).waitFor()
    const figures = () => page.locator('section[aria-label^="List "]').first().locator('.figure').allInnerTexts()
    expect((await figures()).join().replace(/\s+/g, ' ')).toMatch(/Matched 2.*Ties 0.*No match 1/i)
    await show(page, 'lists-done')

    const all = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download as CSV' }).click()
    const csv = await saved(all)
    // Without it, Excel reads UTF-8 as another encoding.
    expect(csv).toStartWith('\ufeff')
    const [header, ...rows] = csv.trim().split('\r\n')
    expect(header).toStartWith('Where it is,Town,Remark,match_row,match_outcome')
    expect(rows.length).toBe(3)
    expect(rows[0]).toContain('"a ""quoted"" one",2,matched')
    const failed = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download failed rows' }).click()
    expect((await saved(failed)).trim().split('\r\n').length).toBe(2)
    await page.getByRole('button', { name: 'Retry failed rows' }).click()
    await page.getByText('failed rows, retried').waitFor()
    await page.locator('section[aria-label^="List "]').nth(1).waitFor()
    expect(complaints).toEqual([])
    await closePage(page)
  })

  test('the field of a file is empty when it is opened again, so that a corrected file can be chosen', async () => {
    const { page } = await open('/app/lists')
    const field = page.locator('input[type=file]')
    await field.setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from('') })
    await page.locator('.notice.bad', { hasText: 'the file is empty' }).waitFor()
    const chooser = page.waitForEvent('filechooser')
    await field.click()
    await chooser
    expect(await field.inputValue()).toBe('')
    await closePage(page)
  })

  test('a file that is not a list is refused with a message', async () => {
    const { page } = await open('/app/lists')
    await drop(page, '.drop', 'photo.png', '\u0089PNG\r\n\u001a\n\0\0\0')
    await page.locator('.notice.bad', { hasText: 'not text' }).waitFor()
    await show(page, 'lists-refused')
    await closePage(page)
  })

  test('parcels of a filter are exported, watched and downloaded', async () => {
    const { page, complaints } = await open('/app/exports?max_acres=2')
    await page.locator('.chip', { hasText: 'At most 2 acres' }).waitFor()
    await page.getByLabel('Land use').fill(landUse)
    await page.getByLabel('Format').selectOption('ndjson')
    await page.getByLabel('Boundaries').selectOption('none')
    await show(page, 'exports-form')
    expect(await findFaultsInBothThemes(page)).toEqual([])
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    const link = page.getByRole('link', { name: /^Download [\d,]+ parcels/ })
    await link.waitFor()
    await show(page, 'exports-done')
    const download = page.waitForEvent('download')
    await link.click()
    const rows = (await saved(download))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.every(({ acreage, land_use_class }) => acreage <= 2 && land_use_class === landUse)).toBe(true)
    expect(complaints).toEqual([])
    await closePage(page)
  })
})
