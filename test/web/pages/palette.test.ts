import { afterAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { findExampleParcel } from '../../../drizzle/queries/parcels/parcels'
import { createSearch } from '../../../search/search'
import { ADMIN_KEY, createTestApp } from '../../http/test-app'
import { PATIENT } from '../../search/patient'
import { findFaultsInBothThemes } from '../browser/axe'
import { findChromium, launchChromium } from '../browser/chromium'
import { createOpener } from '../browser/open-page'

const chromium = findChromium()

describe.skipIf(chromium === null)('the command palette', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { app, sql, useSearch } = await createTestApp()
  await seedSampleCounty(sql, { parcels: 40, entities: 3 })
  const { source, source_parcel_id: id } = (await findExampleParcel(sql)) ?? { source: '', source_parcel_id: '' }
  useSearch(createSearch({ sql, meili: null, limits: PATIENT }))
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))
  const open = createOpener(browser, `http://127.0.0.1:${app.server?.port}`)
  const FOCUSED = 'document.activeElement.getAttribute("aria-label") ?? document.activeElement.id'

  test('opens on Ctrl+K, gives the focus back on Escape, and opens the entry that Enter chooses', async () => {
    const { page, complaints } = await open('/app/coverage', { key: ADMIN_KEY })
    const theme = page.getByRole('button', { name: /Use the .* theme/ })
    await theme.focus()
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Go to' })
    await field.waitFor()
    expect(await findFaultsInBothThemes(page)).toEqual([])
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    expect(await page.evaluate<string>(FOCUSED)).toMatch(/^Use the .* theme$/)

    await page.keyboard.press('Control+k')
    await page.keyboard.type(id)
    await page
      .getByRole('option', { name: new RegExp(id) })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/app/parcels/${source}/${id}`)
    await field.waitFor({ state: 'detached' })
    await page.locator('main:focus').waitFor()

    // From the guide, and back.
    await page.keyboard.press('Meta+k')
    await page.keyboard.type('api')
    await page.getByRole('option', { name: 'API', exact: true }).click()
    await page.waitForURL('**/docs')
    await page.getByRole('heading', { name: 'API guide' }).waitFor()
    await page.getByRole('link', { name: 'Search', exact: true }).click()
    await page.waitForURL('**/app/search')
    expect(complaints).toEqual([])
  })
})
