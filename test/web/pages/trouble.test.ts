import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { ADMIN_KEY, createTestApp, insertCounty } from '../../http/test-app'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { findFaultsInBothThemes } from '../browser/axe'
import { findChromium, launchChromium } from '../browser/chromium'
import { closePage, createOpener, NO_SUCH_PAGE } from '../browser/open-page'
import { photograph } from '../browser/photograph'

setDefaultTimeout(TEST_TIMEOUT_MS)

const chromium = findChromium()

describe.skipIf(chromium === null)('when something is wrong with the whole app', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { app, sql, signIn } = await createTestApp()
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))
  const base = `http://127.0.0.1:${app.server?.port}`
  const open = createOpener(browser, base)

  test('without a network the page stays and says since when, until the network is back', async () => {
    const { page } = await open('/app/lists', { key: ADMIN_KEY })
    await page.waitForSelector('h1:has-text("Lists")')
    await page.context().setOffline(true)
    await page.waitForSelector('.trouble-notices:has-text("The service has not responded since")')
    await page.waitForSelector('h1:has-text("Lists")')
    await photograph(page, 'trouble-offline')
    expect(await findFaultsInBothThemes(page)).toEqual([])
    await page.context().setOffline(false)
    await page.waitForSelector('.trouble-notices [role=status]', { state: 'detached' })
    await closePage(page)
  })

  test('a page that could not be loaded without a network opens by itself when the network is back', async () => {
    const { page } = await open('/app/lists', { key: ADMIN_KEY })
    await page.waitForSelector('h1:has-text("Lists")')
    await page.context().setOffline(true)
    await page.click('nav a:has-text("Watches")')
    await page.waitForSelector('h1:has-text("This page cannot be shown now")')
    await page.context().setOffline(false)
    await page.waitForSelector('h1:has-text("Watches")')
    await closePage(page)
  })

  test('a menu or dialog whose code cannot be fetched says so, the page stays, and it opens after a reload', async () => {
    const { page } = await open('/app/lists', { key: ADMIN_KEY })
    await page.waitForSelector('h1:has-text("Lists")')
    await page.context().setOffline(true)
    await page.keyboard.press('Control+k')
    await page.waitForSelector('.top-end [role=alert]:has-text("This could not be opened.")')
    await page.click('.menu > button')
    await page.waitForSelector('.menu [role=alert]:has-text("This could not be opened.")')
    await page.waitForSelector('h1:has-text("Lists")')
    await photograph(page, 'trouble-part')
    expect(await findFaultsInBothThemes(page)).toEqual([])
    await page.context().setOffline(false)
    await page.click('.menu button:has-text("Reload the page")')
    await page.waitForSelector('h1:has-text("Lists")')
    await page.click('.menu > button')
    await page.waitForSelector('.key-form')
    await closePage(page)
  })

  test('without a network a dialog says why nothing was saved, and what was typed can be sent later', async () => {
    const { token } = await signIn()
    const { page } = await open('/app/dashboard', { token })
    await page.click('button:has-text("New key")')
    await page.fill('dialog input', 'nightly export')
    await page.context().setOffline(true)
    await page.click('dialog button[type=submit]')
    await page.waitForSelector('dialog [role=alert]:has-text("Check your network")')
    await page.context().setOffline(false)
    expect(await sql`select from api_keys where name = 'nightly export'`).toHaveLength(0)
    await page.click('dialog button[type=submit]')
    await page.waitForSelector('[data-testid=new-key]')
    await closePage(page)
  })

  test('when the session ends, the page says so and the typed text stays; after a new sign-in it can be sent', async () => {
    const email = 'ada@larkspur.example'
    const { token } = await signIn({ email, role: 'admin' })
    const { page } = await open('/app/dashboard', { token })
    await page.click('button:has-text("New key")')
    await page.fill('dialog input', 'nightly export')
    await sql`delete from sessions`
    await page.click('dialog button[type=submit]')
    await page.waitForSelector('dialog .notice:has-text("Your session has ended. Sign in again in a new tab")')
    await page.waitForSelector('.trouble-notices:has-text("What you typed is still here.")')
    expect(await page.inputValue('dialog input')).toBe('nightly export')
    await photograph(page, 'trouble-session')
    expect(await findFaultsInBothThemes(page)).toEqual([])
    // Signed in again in another tab.
    const again = await signIn({ email, role: 'admin' })
    const [cookie] = await page.context().cookies()
    if (cookie === undefined) throw new Error('the session has no cookie')
    await page.context().addCookies([{ ...cookie, value: again.token }])
    await page.click('dialog button[type=submit]')
    await page.waitForSelector('[data-testid=new-key]')
    await closePage(page)
  })

  test('a browser that cannot draw the map shows the rest of each page, and says why the map is missing', async () => {
    await insertCounty(sql)
    await sql`
      insert into parcels (source, source_parcel_id, owner_name, geom, bbox)
      values ('elm', 'A', 'ADA ELM', '{"type":"MultiPolygon","coordinates":[[[[-121,44],[-120.9,44],[-120.9,44.1],[-121,44]]]]}',
        '(-120.9,44.1),(-121,44)')`
    const { page } = await open('/app/dashboard', { key: ADMIN_KEY })
    await page.addInitScript(`
      const getContext = HTMLCanvasElement.prototype.getContext
      HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
        return kind.startsWith('webgl') ? null : getContext.call(this, kind, ...rest)
      }`)
    for (const [path, rest] of [
      ['/app/search', '[role=combobox]'],
      ['/app/parcels/elm/A', 'h2:has-text("History")'],
    ] as const) {
      await page.goto(base + path)
      await page.waitForSelector('.no-map:has-text("This browser cannot draw the map")')
      await page.waitForSelector(rest)
      expect(await findFaultsInBothThemes(page)).toEqual([])
    }
    await page.close()
  })

  test('an unknown address says so with status 404, and leads to the search', async () => {
    const { page } = await open('/app/dashboard', { key: ADMIN_KEY })
    const response = await page.goto(`${base}${NO_SUCH_PAGE}`)
    expect(response?.status()).toBe(404)
    await page.waitForSelector('h1:has-text("Page not found")')
    await page.click('main a:has-text("Search for a parcel")')
    await page.waitForSelector('[role=combobox]')
    await closePage(page)
  })
})
