import { describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { findChromium, launchChromium } from './chromium'
import { startWholeService } from './whole-service'

const chromium = findChromium()

/** What only shows with all roles at work: jobs that are run, tiles that are built, and pages that hear of it. */
describe.skipIf(chromium === null)('the web app on the whole service', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { base, key } = await startWholeService()
  const open = async (path: string): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } })
    await page.addInitScript(`sessionStorage.setItem('parcel-key', '${key}')`)
    await page.goto(`${base}${path}`)
    return page
  }
  const post = (path: string, body: unknown) =>
    fetch(`${base}${path}`, {
      method: 'POST',
      headers: { 'x-service-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  test('a job goes from queued to done on a page that is never loaded again', async () => {
    const page = await open('/app/console/jobs')
    await page.waitForSelector('.live.on')
    // What was seen of its row, as it changed.
    await page.evaluate(`
      window.seen = []
      new MutationObserver(() => {
        const row = [...document.querySelectorAll('tbody tr')].find((one) => one.textContent.includes('12-0001-0010'))
        const status = row?.querySelector('.badge')?.textContent
        if (status && seen.at(-1) !== status) seen.push(status)
      }).observe(document.body, { childList: true, subtree: true, characterData: true })`)
    // Others go before it, on a portal that takes its time: there is a while in which it waits.
    const county = await fetch(`${base}/v1/sources/sample-county`, { headers: { 'x-service-key': key } })
    const { base_url: portal } = (await county.json()) as { base_url: string }
    const slowDown = (latencyMs: number) =>
      fetch(new URL('/traffic', portal), { method: 'PUT', body: JSON.stringify({ latencyMs }) })
    expect((await slowDown(700)).status).toBe(200)
    const order = (id: string) => ({ source: 'sample-county', source_parcel_id: id })
    const others = ['0010', '0020', '0030', '0040', '0050', '0060', '0070', '0080'].map((lot) => `12-0002-${lot}`)
    expect((await post('/v1/scrape-jobs', others.map(order))).status).toBe(200)
    expect((await post('/v1/scrape-jobs', order('12-0001-0010'))).status).toBe(200)
    await page.waitForSelector('tbody tr:has-text("12-0001-0010") .badge.good:has-text("done")')
    const seen = (await page.evaluate('seen')) as string[]
    expect(seen[0]).toBe('queued')
    expect(seen.at(-1)).toBe('done')
    await slowDown(0)

    await page.click('a[aria-label="Details of the job for 12-0001-0010"]')
    await page.waitForSelector('section:has-text("Attempts") tbody tr:has-text("done")')
    await page.close()
  })

  test('jobs are found by their parcel id', async () => {
    await post('/v1/scrape-jobs', [
      { source: 'sample-county', source_parcel_id: '12-0001-0020' },
      { source: 'sample-county', source_parcel_id: '12-0001-0030' },
    ])
    const page = await open('/app/console/jobs')
    await page.waitForSelector('tbody tr:has-text("12-0001-0030")')
    await page.fill('input[placeholder="As the source writes it"]', '12-0001-0020')
    await page.waitForSelector('tbody tr:has-text("12-0001-0030")', { state: 'detached' })
    await page.waitForSelector('tbody tr:has-text("12-0001-0020")')
    expect(await page.locator('tbody tr').count()).toBe(1)
    await page.close()
  })

  test('a parcel is scraped from its page, which then shows its values, bills, sales and where they come from', async () => {
    const page = await open('/app/parcels/sample-county/12-0001-0040')
    await page.waitForSelector('.empty:has-text("appear after the first scrape")')
    await page.click('button:has-text("Scrape now")')
    await page.waitForSelector('.notice.good:has-text("Scraped just now")')
    await page.waitForSelector('section[aria-label="Values by year"] tbody tr')
    await page.waitForSelector('svg[role=img][aria-label^="Value by year"] circle')
    await page.waitForSelector('section[aria-label="Where each field comes from"] tbody tr')
    await page.close()
  })

  test('a tile build is started from its page, and seen to its end without loading the page again', async () => {
    const page = await open('/app/console/tiles')
    await page.waitForSelector('section:has-text("Builds") tbody tr')
    // Else the archive would come out as the published one: all the same a build.
    const before = await page.locator('section[aria-label=Builds] tbody tr').count()
    await page.click('button:has-text("Build now")')
    await page.waitForSelector('button:has-text("Building")')
    await page.waitForSelector('button:has-text("Build now"):not([disabled])')
    expect(await page.locator('section[aria-label=Builds] tbody tr').count()).toBeGreaterThan(before)
    await page.close()
  })

  test('the search index is checked and built anew from its page', async () => {
    const page = await open('/app/console/search-index')
    await page.click('button:has-text("Check for drift")')
    await page.waitForSelector('.notice:has-text("The index and the database agree")')
    await page.click('button:has-text("Rebuild")')
    await page.click('dialog button:has-text("Rebuild")')
    await page.waitForSelector('text=Last rebuilt')
    await page.close()
  })

  test('a search with a typo lands on the parcel’s page and on the map', async () => {
    const page = await open('/app/search')
    await page.locator('[role=combobox]').pressSequentially('12 0001 0010')
    await page.waitForSelector('[role=treeitem]:has-text("12-0001-0010")')
    const owner = await page.textContent('[role=treeitem]:has-text("12-0001-0010") .hit-owner')
    const typo = (owner ?? '').toLowerCase().replace(/^(..)(.)(.)/, '$1$3$2')
    await page.fill('[role=combobox]', typo)
    await page.waitForSelector('.search-status:has-text("hit")')
    await page.waitForSelector('[role=treeitem]:has-text("12-0001-0010")')
    await page.waitForSelector('.map[data-hits]:not([data-hits="0"])')
    await page.click('[role=treeitem]:has-text("12-0001-0010")')
    await page.waitForURL('**/app/parcels/sample-county/12-0001-0010')
    await page.waitForSelector('.map[data-ready][data-boundary=true]')
    await page.close()
  })
})
