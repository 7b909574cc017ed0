import { describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { PAGE_TIMEOUT_MS } from '../../support/deadlines'
import { findFaults } from '../browser/axe'
import { findChromium, launchChromium } from '../browser/chromium'
import { createVisits } from '../browser/open-page'
import { startWholeService } from '../browser/whole-service'

const chromium = findChromium()

/** Tests that need all roles: jobs that run, tiles that are built, people who sign in, and pages that follow them. */
describe.skipIf(chromium === null)('the web app on the whole service', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { base, key } = await startWholeService()
  const visit = createVisits(browser, base, { key })
  const headers = { 'x-service-key': key, 'content-type': 'application/json' }
  const orderScrapes = async (ids: readonly string[]) => {
    const body = JSON.stringify(ids.map((id) => ({ source: 'sample-county', source_parcel_id: id })))
    const { status } = await fetch(`${base}/v1/scrape-jobs`, { method: 'POST', headers, body })
    expect(status).toBe(200)
  }
  /** Changes the behavior of the sample county's portal. */
  const changePortal = async (traffic: { latencyMs: number }) => {
    const county = (await (await fetch(`${base}/v1/sources/sample-county`, { headers })).json()) as { base_url: string }
    const { status } = await fetch(new URL('/traffic', county.base_url), {
      method: 'PUT',
      body: JSON.stringify(traffic),
    })
    expect(status).toBe(200)
  }
  /** Pauses the vendor of the portal, or resumes it. */
  const pausePortal = async (isPaused: boolean) => {
    const { status } = await fetch(`${base}/v1/admin/concurrency/fixture/pause`, {
      method: isPaused ? 'PUT' : 'DELETE',
      headers,
      ...(isPaused && { body: JSON.stringify({ reason: 'a test' }) }),
    })
    expect(status).toBe(200)
  }
  /** Signs in at the identity provider that comes with `bun start`, and returns to this page. The first person becomes an admin. */
  const signIn = async (name: 'Ada Juniper' | 'Ben Alder', path = '/app/dashboard'): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' })
    const page = await context.newPage()
    page.setDefaultTimeout(PAGE_TIMEOUT_MS)
    await page.goto(`${base}${path}`)
    await page.click('.menu > button')
    await page.click('.menu-panel a:has-text("Sign in")')
    await page.click(`button:has-text("${name}")`)
    await page.waitForURL(`${base}${path}`)
    await page.waitForSelector(`.menu > button:has-text("${name}")`)
    return page
  }

  test('a job goes from queued to done on a page that is not reloaded', async () => {
    const { page } = await visit('/app/console/jobs')
    await page.waitForSelector('.live.on')
    // An empty table shows new jobs without a request.
    await orderScrapes(['12-0003-0010'])
    await page.waitForSelector('tbody tr:has-text("12-0003-0010") .badge:has-text("done")')
    // The table may still be about to show what came while it was empty. Opened again, it has rows, and new ones wait for a click.
    await visit('/app/console/jobs')
    await page.waitForSelector('.live.on')
    await page.waitForSelector('tbody tr:has-text("12-0003-0010") .badge:has-text("done")')
    // Each status that the row showed.
    await page.evaluate(`
      window.seen = []
      new MutationObserver(() => {
        const row = [...document.querySelectorAll('tbody tr')].find((one) => one.textContent.includes('12-0001-0010'))
        const status = row?.querySelector('.badge')?.textContent
        if (status && seen.at(-1) !== status) seen.push(status)
      }).observe(document.body, { childList: true, subtree: true, characterData: true })`)
    // The job waits until its row is shown.
    await pausePortal(true)
    const others = ['0010', '0020', '0030', '0040', '0050', '0060', '0070', '0080'].map((lot) => `12-0002-${lot}`)
    await orderScrapes(others)
    await orderScrapes(['12-0001-0010'])
    // Its row appears only after a click, so that no row moves away from the pointer.
    await page.click('.new-rows button:has-text("Show 9 new jobs")')
    await page.waitForSelector('tbody tr:has-text("12-0001-0010") .badge:has-text("queued")')
    await pausePortal(false)
    await page.waitForSelector('tbody tr:has-text("12-0001-0010") .badge.good:has-text("done")')
    const seen = (await page.evaluate('seen')) as string[]
    expect(seen[0]).toBe('queued')
    expect(seen.at(-1)).toBe('done')

    await page.click('a[aria-label="Details of the job for 12-0001-0010"]')
    await page.waitForSelector('section:has-text("Attempts") tbody tr:has-text("done")')
  })

  test('a parcel is scraped from its page, which then shows its values and where each field comes from', async () => {
    const { page } = await visit('/app/parcels/sample-county/12-0001-0040')
    await page.waitForSelector('.empty:has-text("appear after the first scrape")')
    await page.click('button:has-text("Scrape now")')
    await page.waitForSelector('.notice.good:has-text("Scraped just now")')
    await page.waitForSelector('section[aria-label="Values by year"] tbody tr')
    await page.waitForSelector('svg[role=img][aria-label^="Value by year"] circle')
    await page.waitForSelector('section[aria-label="Where each field comes from"] tbody tr')
  })

  test('a tile build is started from its page, which follows it to its end without a reload', async () => {
    const { page } = await visit('/app/console/tiles')
    await page.waitForSelector('section:has-text("Builds") tbody tr')
    // A build counts even when its archive equals the published one.
    const before = await page.locator('section[aria-label=Builds] tbody tr').count()
    // A build may be over before the test looks.
    await page.evaluate(`
      window.wasBuilding = false
      new MutationObserver(() => {
        wasBuilding ||= [...document.querySelectorAll('button')].some((one) => one.textContent.includes('Building'))
      }).observe(document.body, { childList: true, subtree: true, characterData: true })`)
    await page.click('button:has-text("Build now")')
    await page.waitForSelector(`section[aria-label=Builds] tbody tr >> nth=${before}`)
    await page.waitForSelector('button:has-text("Build now"):not([disabled])')
    expect(await page.evaluate('wasBuilding')).toBe(true)

    // A layer with a filter: the page shows it, with its builds.
    await page.fill('input[placeholder=RESIDENTIAL]', 'RES')
    await page.fill('label:has-text("Name of the layer") ~ input', 'homes')
    await page.click('button:has-text("Build layer")')
    await page.waitForURL('**/app/console/tiles?*layer=homes*')
    await page.waitForSelector('section[aria-label=Builds] tbody tr:has-text("Land use: RES"):has-text("published")')
    await page.waitForSelector('code.address:has-text("/tiles/homes/")')
  })

  test('the search index is checked and rebuilt from its page', async () => {
    const { page } = await visit('/app/console/search-index')
    await page.click('button:has-text("Check for drift")')
    await page.waitForSelector('.notice:has-text("The index and the database agree")')
    await page.click('button:has-text("Rebuild")')
    await page.click('dialog button:has-text("Rebuild")')
    await page.waitForSelector('text=Last rebuilt')
  })

  test('a search with a typo lands on the parcel’s page and on the map', async () => {
    const { page } = await visit('/app/search')
    await page.locator('[role=combobox]').pressSequentially('12 0001 0010')
    await page.waitForSelector('[role=treeitem]:has-text("12-0001-0010")')
    const owner = await page.textContent('[role=treeitem]:has-text("12-0001-0010") .hit-owner')
    const typo = (owner ?? '').toLowerCase().replace(/^(..)(.)(.)/, '$1$3$2')
    await page.fill('[role=combobox]', typo)
    // The hits of the id stay until the hits of the typo arrive.
    await page.waitForSelector('[role=tree]:not([data-stale]) [role=treeitem]:has-text("12-0001-0010")')
    await page.waitForSelector('.search-status:has-text("hit")')
    await page.waitForSelector('.map[data-hits]:not([data-hits="0"])')
    await page.click('[role=treeitem]:has-text("12-0001-0010")')
    await page.waitForURL('**/app/parcels/sample-county/12-0001-0010')
    await page.waitForSelector('.map[data-ready][data-boundary=true]')
  })

  test('the tuning log and a cancelled job name the operator, and a retried job is followed to its end', async () => {
    const page = await signIn('Ada Juniper', '/app/console/concurrency')
    await page.click('button[aria-label="Freeze fixture"]')
    await page.click('a[aria-label="Edit fixture"]')
    await page.fill('input[type=number] >> nth=0', '3')
    await page.click('button:has-text("Save")')
    await page.waitForSelector('section:has-text("Tuning log") tbody tr:has-text("ada@larkspur.example")')
    // Unsaved input stays when something else changes.
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
    // So slow that the job still runs when it is cancelled.
    await changePortal({ latencyMs: 60_000 })
    await orderScrapes(['12-0001-0050'])
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
    await page.context().close()
  })

  test('a failed job is found by its parcel id and retried from its page, which then shows the new job', async () => {
    const { page } = await visit('/app/console/jobs')
    await page.waitForSelector('.live.on')
    await page.waitForSelector('tbody tr:has-text("12-0001-0050")')
    await orderScrapes(['12-0001-0060', '99-0000-0000'])
    await page.click('.new-rows button:has-text("Show 2 new jobs")')
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
  })

  test('a new key is shown without a serious fault, and its button copies it; signing out ends the session', async () => {
    const page = await signIn('Ben Alder')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: base })
    await page.click('button:has-text("New key")')
    await page.fill('dialog input', 'to be copied')
    await page.click('dialog button[type=submit]')
    await page.waitForSelector('[data-testid=new-key]')
    expect(await findFaults(page)).toEqual([])
    await page.click('button:has-text("Copy the key")')
    await page.waitForSelector('button:has-text("Copied")')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await page.textContent('[data-testid=new-key]'))

    await page.click('dialog button:has-text("I have it")')
    const cookies = await page.context().cookies()
    await page.click('.menu > button')
    await page.click('button:has-text("Sign out")')
    await page.waitForURL('**/app/search')
    await page.waitForSelector('.menu > button:has-text("Sign in")')
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    expect((await fetch(`${base}/v1/account`, { headers: { cookie } })).status).toBe(401)
    await page.context().close()
  })
})
