import { describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { findFaults } from './axe'
import { findChromium, launchChromium } from './chromium'
import { startWholeService } from './whole-service'

const chromium = findChromium()

/** What people do who are signed in, by the identity provider that comes with `bun start`: Ada is the first admin, Ben is nobody. */
describe.skipIf(chromium === null)('people in the web app', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { base, key } = await startWholeService()

  /** Signs in from that page, and is back on it. */
  const signIn = async (name: 'Ada Juniper' | 'Ben Alder', path = '/app/dashboard'): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' })
    const page = await context.newPage()
    await page.goto(`${base}${path}`)
    await page.click('.menu > button')
    await page.click('.menu-panel a:has-text("Sign in")')
    await page.click(`button:has-text("${name}")`)
    await page.waitForURL(`${base}${path}`)
    await page.waitForSelector(`.menu > button:has-text("${name}")`)
    return page
  }
  const leave = (page: Page) => page.context().close()
  const statusWith = async (key: string) =>
    (await fetch(`${base}/v1/sources?limit=1`, { headers: { 'x-service-key': key } })).status

  const headers = { 'x-service-key': key, 'content-type': 'application/json' }
  const orderScrape = async (id: string) => {
    const body = JSON.stringify({ source: 'sample-county', source_parcel_id: id })
    const { status } = await fetch(`${base}/v1/scrape-jobs`, { method: 'POST', headers, body })
    expect(status).toBe(200)
  }
  /** How the sample county's portal behaves from now on. */
  const changePortal = async (traffic: { latencyMs: number }) => {
    const county = (await (await fetch(`${base}/v1/sources/sample-county`, { headers })).json()) as { base_url: string }
    const { status } = await fetch(new URL('/traffic', county.base_url), {
      method: 'PUT',
      body: JSON.stringify(traffic),
    })
    expect(status).toBe(200)
  }

  test('someone signs in, issues a key, uses it, revokes it, and it is refused on the next call', async () => {
    const page = await signIn('Ben Alder')
    await page.click('button:has-text("New key")')
    await page.fill('dialog input', 'county map')
    expect(await page.locator('dialog input[type=checkbox]').count()).toBe(0)
    await page.click('dialog button[type=submit]')
    await page.waitForSelector('[data-testid=new-key]')
    expect(await findFaults(page)).toEqual([])
    const key = (await page.textContent('[data-testid=new-key]')) ?? ''
    expect(key).toMatch(/^pk_[0-9a-f]{64}$/)
    expect(await statusWith(key)).toBe(200)
    await page.click('dialog button:has-text("I have it")')
    await page.waitForSelector('tbody tr:has-text("county map"):has-text("live")')
    // Shown this once: it is nowhere any more.
    expect(await page.content()).not.toContain(key)

    await page.click('button[aria-label="Revoke county map"]')
    await page.click('dialog button.danger')
    await page.waitForSelector('tbody tr:has-text("county map"):has-text("revoked")')
    expect(await statusWith(key)).toBe(401)
    await leave(page)
  })

  test('a key is copied by its button', async () => {
    const page = await signIn('Ben Alder')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: base })
    await page.click('button:has-text("New key")')
    await page.fill('dialog input', 'to be copied')
    await page.click('dialog button[type=submit]')
    await page.click('button:has-text("Copy the key")')
    await page.waitForSelector('button:has-text("Copied")')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await page.textContent('[data-testid=new-key]'))
    await leave(page)
  })

  test('an admin promotes and demotes someone, whose pages and calls follow at once', async () => {
    const ada = await signIn('Ada Juniper', '/app/console/people')
    const ben = await signIn('Ben Alder', '/app/console/people')
    const asBen = () => ben.evaluate(`fetch('/v1/admin/accounts').then(({ status }) => status)`)
    await ben.waitForSelector('.notice:has-text("The console is for operators")')
    expect(await asBen()).toBe(403)

    await ada.click('button[aria-label="Promote ben@larkspur.example"]')
    await ada.waitForSelector('button[aria-label="Demote ben@larkspur.example"]')
    expect(await asBen()).toBe(200)
    await ben.reload()
    await ben.waitForSelector('tbody tr:has-text("ada@larkspur.example")')

    await ada.click('button[aria-label="Demote ben@larkspur.example"]')
    await ada.waitForSelector('button[aria-label="Promote ben@larkspur.example"]')
    expect(await asBen()).toBe(403)
    await ben.reload()
    await ben.waitForSelector('.notice:has-text("The console is for operators")')
    await leave(ada)
    await leave(ben)
  })

  test('the last admin cannot demote themself, and is told why', async () => {
    const page = await signIn('Ada Juniper', '/app/console/people')
    await page.click('button[aria-label="Demote ada@larkspur.example"]')
    await page.waitForSelector('.notice.bad:has-text("last admin")')
    await page.reload()
    await page.waitForSelector('tbody tr:has-text("ada@larkspur.example") .badge:has-text("admin")')
    await leave(page)
  })

  test('a paid plan lets its account issue keys that order scrapes', async () => {
    const ada = await signIn('Ada Juniper', '/app/console/people')
    const ben = await signIn('Ben Alder')
    await ada.click('button[aria-label="To the paid plan: ben@larkspur.example"]')
    await ada.waitForSelector('button[aria-label="To the free plan: ben@larkspur.example"]')
    await ben.reload()
    await ben.click('button:has-text("New key")')
    await ben.fill('dialog input[type=text], dialog input:not([type])', 'refresher')
    await ben.check('dialog input[type=checkbox]')
    await ben.click('dialog button[type=submit]')
    const key = (await ben.textContent('[data-testid=new-key]')) ?? ''
    const ordered = await fetch(`${base}/v1/scrape-jobs`, {
      method: 'POST',
      headers: { 'x-service-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ source: 'sample-county', source_parcel_id: '12-0001-0010' }),
    })
    expect(ordered.status).toBe(200)
    await leave(ada)
    await leave(ben)
  })

  test('an operator’s changes are theirs by name: the tuning log and a cancelled job say who, and a retry is seen to its end', async () => {
    const page = await signIn('Ada Juniper', '/app/console/concurrency')
    await page.click('button[aria-label="Freeze fixture"]')
    await page.click('a[aria-label="Edit fixture"]')
    await page.fill('input[type=number] >> nth=0', '3')
    await page.click('button:has-text("Save")')
    await page.waitForSelector('section:has-text("Tuning log") tbody tr:has-text("ada@larkspur.example")')
    // What someone types outlasts a change that is made meanwhile.
    await page.fill('input[type=number] >> nth=2', '33')
    await page.click('button:has-text("Unfreeze")')
    await page.waitForSelector('button:has-text("Freeze at this target")')
    expect(await page.inputValue('input[type=number] >> nth=2')).toBe('33')
    await page.click('button:has-text("Save"):not([disabled])')
    await page.waitForSelector('button:has-text("Save")[disabled]')
    expect(await page.inputValue('input[type=number] >> nth=2')).toBe('33')

    await page.goto(`${base}/app/console/jobs?parcel_id=12-0001-0050`)
    await page.waitForSelector('.live.on')
    await page.evaluate('window.isTheSamePage = true')
    // Long enough that it is still under way when it is cancelled.
    await changePortal({ latencyMs: 60_000 })
    await orderScrape('12-0001-0050')
    await page.waitForSelector('tbody tr:has-text("12-0001-0050") .badge:has-text("running")')
    await page.click('button[aria-label="Cancel the job for 12-0001-0050"]')
    const cancelled = 'tbody tr:has(.badge:has-text("error")):has-text("cancelled by ada@larkspur.example")'
    await page.waitForSelector(cancelled)

    await changePortal({ latencyMs: 0 })
    await page.click('button[aria-label="Retry the job for 12-0001-0050"]')
    await page.waitForSelector('tbody tr:has-text("12-0001-0050") .badge:has-text("done")')
    expect(await page.locator('tbody tr').count()).toBe(2)
    expect(await page.locator(cancelled).count()).toBe(1)
    expect(await page.evaluate('window.isTheSamePage')).toBe(true)
    await leave(page)
  })

  test('a job that failed is found by its parcel id, and retried from its story, which goes on with the next one', async () => {
    const page = await signIn('Ada Juniper', '/app/console/jobs')
    await orderScrape('12-0001-0060')
    await orderScrape('99-0000-0000')
    await page.waitForSelector('tbody tr:has-text("12-0001-0060")')
    await page.fill('input[placeholder="As the source writes it"]', '99-0000-0000')
    await page.waitForSelector('tbody tr:has-text("12-0001-0060")', { state: 'detached' })
    await page.waitForSelector('tbody tr:has-text("99-0000-0000") .badge:has-text("error")')
    expect(await page.locator('tbody tr').count()).toBe(1)
    await page.click('a[aria-label="Details of the job for 99-0000-0000"]')
    await page.waitForSelector('section[aria-label=Attempts] tbody tr:has-text("not found")')
    const failed = page.url()
    await page.click('button:has-text("Retry")')
    await page.waitForURL((url) => url.href !== failed)
    await page.waitForSelector('.facts .badge:has-text("error")')
    await page.waitForSelector('section[aria-label=Attempts] tbody tr:has-text("not found")')
    await leave(page)
  })

  test('what a source’s settings may not be is told by its vendor’s schema, and what they may be is kept', async () => {
    const page = await signIn('Ada Juniper', '/app/console/sources')
    const open = async () => {
      await page.fill('input[type=search]', 'ascendweb.clackamas')
      await page.click('button[aria-label^="Edit the settings of"] >> nth=0')
      await page.waitForSelector('textarea')
    }
    await open()
    await page.fill('textarea', '{ "parcel_id": "lot" }')
    await page.click('dialog button[type=submit]')
    await page.waitForSelector('.field-error:has-text("vendor_config.parcel_id")')
    await page.fill('textarea', '{ "value_types": { "land": 5 }, "lot": 7 }')
    await page.click('dialog button[type=submit]')
    await page.waitForSelector('.field-error:has-text("vendor_config.value_types.land"):has-text("unknown field")')
    await page.fill('textarea', '{ "parcel_id": "alternate" }')
    await page.waitForSelector('.field-error', { state: 'detached' })
    await page.click('dialog button[type=submit]')
    await page.waitForSelector('dialog', { state: 'detached' })
    await page.reload()
    await open()
    expect(JSON.parse(await page.inputValue('textarea'))).toEqual({ parcel_id: 'alternate' })
    await leave(page)
  })

  test('signing out ends the session: its cookie is worth nothing afterwards', async () => {
    const page = await signIn('Ben Alder')
    const cookies = await page.context().cookies()
    await page.click('.menu > button')
    await page.click('button:has-text("Sign out")')
    await page.waitForURL('**/app/search')
    await page.waitForSelector('.menu > button:has-text("Sign in")')
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    expect((await fetch(`${base}/v1/account`, { headers: { cookie } })).status).toBe(401)
    await leave(page)
  })
})
