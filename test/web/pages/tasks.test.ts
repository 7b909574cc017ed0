import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { waitFor } from '../../support/servers'
import { findFaultsInBothThemes } from '../browser/axe'
import { findChromium, launchChromium } from '../browser/chromium'
import { closePage, createOpener } from '../browser/open-page'
import { photograph } from '../browser/photograph'
import { startWholeService } from '../browser/whole-service'
import { countyFile } from '../file-work'

setDefaultTimeout(TEST_TIMEOUT_MS)

const chromium = findChromium()
const BROOK = 'id-brook'
const LARKSPUR = 'sample-county'
const OWNER = 'KESTREL MEADOWS LLC'
const LOTS = 60

/** The main tasks of people and operators, each from the first click to the result. Two counties are loaded. */
describe.skipIf(chromium === null)('ten tasks on the whole service', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { base, key } = await startWholeService()

  /** A request with the admin key. A text is sent as a part of a file. */
  const call = async <Answer = Record<string, string>>(
    path: string,
    { body, method = body === undefined ? 'GET' : 'POST' }: { method?: string; body?: unknown } = {},
  ): Promise<Answer> => {
    const isFile = typeof body === 'string'
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { 'x-service-key': key, 'content-type': isFile ? 'application/octet-stream' : 'application/json' },
      ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json() as Promise<Answer>
  }
  const waitForWork = (id: string | undefined) =>
    waitFor(async () => {
      const { status, error_message } = await call(`/v1/work/${id}`)
      if (status === 'error') throw new Error(error_message)
      return status === 'done'
    })
  const changePortal = async (traffic: { latencyMs: number }) => {
    const { base_url } = await call(`/v1/sources/${LARKSPUR}`)
    const { status } = await fetch(new URL('/traffic', base_url), { method: 'PUT', body: JSON.stringify(traffic) })
    expect(status).toBe(200)
  }

  await call('/v1/sources', { body: { source: BROOK, state: 'ID', county_name: 'Brook', vendor: 'file' } })
  const lots = countyFile(
    LOTS,
    (row, index) => ({ ...row, OWNER1: OWNER, SITUS: `${index + 1} WILLOW RUN` }),
    [-116, 43.6],
  )
  const { id: file } = await call('/v1/files', { body: { name: 'brook.geojson', size_bytes: lots.length } })
  await call(`/v1/files/${file}?offset=0`, { method: 'PATCH', body: lots })
  const map = { source_parcel_id: 'APN', owner_name: 'OWNER1', situs_address: 'SITUS', value_land: 'LAND_VAL' }
  await waitForWork((await call('/v1/loads', { body: { source: BROOK, file, settings: { map } } })).work_id)
  const loadedAt = Date.now()
  await waitFor(async () => {
    const { builds } = await call<{ builds: { state: string; started_at: string }[] }>('/v1/admin/tiles?limit=1')
    const [newest] = builds
    if (newest !== undefined && Date.parse(newest.started_at) >= loadedAt) return newest.state === 'published'
    // The request is refused while the first build runs, which the service starts by itself.
    if (newest?.state !== 'building') await call('/v1/admin/tiles/build', { method: 'POST' }).catch(() => {})
    return false
  })
  await waitFor(async () => Number((await call(`/v1/search?q=willow+run&source=${BROOK}`)).count) > 0)

  const open = createOpener(browser, base, { key, width: 1440, height: 900 })
  const idle = (page: Page) => page.waitForSelector('.map[data-view=idle]')
  const boxOf = async (page: Page) => {
    const box = await page.locator('.map').boundingBox()
    if (box === null) throw new Error('the map is not visible')
    return box
  }
  const choose = (page: Page, name: string, content: string) =>
    page.setInputFiles('input[type=file]', { name, mimeType: 'application/json', buffer: Buffer.from(content) })
  const ownerOf = async (id: string) => (await call(`/v1/parcels/or-marlow/${id}`)).owner_name
  const allowClipboard = (page: Page) =>
    page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: base })
  const readClipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()')

  test('find an owner with a typo, and see all the land', async () => {
    const { page, complaints } = await open('/app/search')
    const lastHits = page.waitForResponse(
      (response) => new URL(response.url()).searchParams.get('q') === 'kestral meadows',
    )
    await page.locator('[role=combobox]').pressSequentially('kestral meadows')
    await lastHits
    await page.waitForSelector('[role=tree]:not([data-stale])')
    await page.click(`[role=treeitem][aria-expanded=false]:has-text("${LOTS} parcels")`)
    await page.click('[role=treeitem]:has-text("List all parcels of this owner")')
    await page.waitForSelector(`.search-status:has-text("${LOTS} parcels")`)
    await page.waitForSelector(`.map[data-hits="${LOTS}"][data-view=idle]`)
    await page.waitForURL(({ hash }) => Math.abs(Number(hash.split('/')[2]) + 116) < 0.05)
    await photograph(page, '1-owner')
    expect(new URL(page.url()).search).toBe(`?owner=${OWNER.replaceAll(' ', '+')}`)
    expect(complaints).toEqual([])
    await closePage(page)
  })

  test('share a search: the copied link shows another person the same', async () => {
    const { page } = await open(`/app/search?owner=${encodeURIComponent(OWNER)}&sort=-assessed_value`)
    await page.waitForURL(({ hash }) => Math.abs(Number(hash.split('/')[2]) + 116) < 0.05)
    await page.waitForSelector(`.map[data-hits="${LOTS}"][data-view=idle]`)
    await allowClipboard(page)
    await page.click('button[title=Share]')
    await page.waitForSelector('button[title=Share]:has-text("Copied")')
    const link = await readClipboard(page)
    await photograph(page, '2-share')
    await closePage(page)
    const { page: other, complaints } = await open(link.replace(base, ''), { width: 1100 })
    await other.waitForSelector(`.search-status:has-text("${LOTS} parcels")`)
    await other.waitForSelector(`.map[data-hits="${LOTS}"][data-view=idle]`)
    expect(other.url()).toBe(link)
    expect(complaints).toEqual([])
    await closePage(other)
  })

  test('click a lot of either county, and see what it is', async () => {
    for (const [source, filter] of [
      [LARKSPUR, '&max_acres=5'],
      [BROOK, ''],
    ]) {
      const { parcels } = await call<{
        parcels: { source_parcel_id: string; bbox: [number, number, number, number] }[]
      }>(`/v1/parcels?source=${source}${filter}&fields=bbox&limit=30`)
      const { source_parcel_id: id, bbox } = parcels.at(-1) ?? { source_parcel_id: '', bbox: [0, 0, 0, 0] }
      const [lon, lat] = [(bbox[0] + bbox[2]) / 2, (bbox[1] + bbox[3]) / 2]
      const { page, complaints } = await open(`/map#18/${lat}/${lon}`)
      await idle(page)
      const { x, y, width, height } = await boxOf(page)
      await page.mouse.click(x + width / 2, y + height / 2)
      await page.waitForSelector(`.map[data-selected="${source}/${id}"][data-boundary=true]`)
      await page.waitForSelector(`.map-details:has-text("${id}")`)
      await photograph(page, `3-lot-${source}`)
      // The focus returns to the map.
      await page.focus('.map-details button[aria-label=Close]')
      await page.keyboard.press('Escape')
      await page.waitForSelector('.map-details', { state: 'detached' })
      expect(await page.evaluate('document.activeElement.matches(".map canvas")')).toBe(true)
      expect(complaints).toEqual([])
      await closePage(page)
    }
  })

  test('draw an area, filter it, and export its parcels', async () => {
    const { page, complaints } = await open('/map#17/43.6038/-115.9962')
    await idle(page)
    await page.click('[aria-label="Draw an area"]')
    await page.waitForSelector('.map-drawing')
    await page.waitForSelector('canvas:focus')
    const { x, y, width, height } = await boxOf(page)
    // A triangle, so that its box contains parcels outside of it.
    for (const [right, down] of [
      [0.3, 0.2],
      [0.75, 0.8],
      [0.3, 0.8],
    ] as const) {
      await page.mouse.move(x + width * right, y + height * down)
      await page.mouse.down()
      await page.mouse.up()
    }
    await page.click('.map-drawing button:has-text("Finish")')
    await page.waitForSelector('.chip:has-text("In the drawn area")')
    await page.waitForSelector('.map[data-area=true]')
    const countShown = async () => Number(/\d+/.exec((await page.textContent('.search-status')) ?? '')?.[0])
    await waitFor(async () => (await countShown()) > 0)
    const drawn = await countShown()
    await page.click('button[title=Export]')
    await photograph(page, '4-export')
    const downloading = page.waitForEvent('download')
    await page.click('dialog button[type=submit]')
    const saved = readFileSync(await (await downloading).path(), 'utf8')
      .trim()
      .split('\r\n')
    expect(saved).toHaveLength(drawn + 1)
    // The service writes the same parcels, with all their fields.
    await page.click('dialog a:has-text("Export all parcels")')
    await page.waitForSelector('.chip:has-text("In the drawn area")')
    await page.getByLabel('Format').selectOption('ndjson')
    await page.click('main button.primary:has-text("Export")')
    const link = page.getByRole('link', { name: `Download ${drawn} parcels` })
    await link.waitFor()
    await photograph(page, '4-exported')
    const file = page.waitForEvent('download')
    await link.click()
    const rows = readFileSync(await (await file).path(), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>)
    expect(rows.map(({ source_parcel_id }) => source_parcel_id).sort()).toEqual(
      saved
        .slice(1)
        .map((line) => line.split(',')[1] ?? '')
        .sort(),
    )
    expect(complaints).toEqual([])
    await closePage(page)
  })

  test('request a refresh of a county, and watch it end', async () => {
    const { page, complaints } = await open('/app/console/jobs')
    await page.waitForSelector('.live.on')
    await page.click('button:has-text("Request scrapes")')
    await page.locator('dialog').getByLabel('County', { exact: true }).selectOption(LARKSPUR)
    await page.getByLabel('Acres, at least').fill('30')
    await page.click('dialog button:has-text("Estimate")')
    const order = page.locator('dialog button[type=submit]', { hasText: /^Request [\d,]+ scrapes?$/ })
    await order.waitFor()
    await photograph(page, '5-estimate')
    await order.click()
    await page.waitForSelector('progress, .notice:has-text("have ended")')
    await photograph(page, '5-progress')
    await page.waitForSelector('.notice.good:has-text("have ended")')
    expect(await page.textContent('.notice.good')).toMatch(/: [\d,]+ done, 0 failed\.$/)
    await photograph(page, '5-ended')
    expect(complaints).toEqual([])
    await closePage(page)
  })

  test('find out why a vendor is slow, and pause it', async () => {
    await call('/v1/admin/concurrency/fixture', {
      method: 'PATCH',
      body: { fast_threshold_ms: 50, slow_threshold_ms: 300, target_concurrency: 6 },
    })
    await changePortal({ latencyMs: 500 })
    const ids = ['0010', '0020', '0030', '0040', '0050', '0060'].map((lot) => `12-0002-${lot}`)
    await call('/v1/scrape-jobs', { body: ids.map((id) => ({ source: LARKSPUR, source_parcel_id: id })) })
    await waitFor(async () => Number((await call(`/v1/scrape-jobs?source=${LARKSPUR}&status=queued`)).count) === 0)
    await waitFor(async () => Number((await call(`/v1/scrape-jobs?source=${LARKSPUR}&status=running`)).count) === 0)
    await call('/v1/admin/concurrency/run-tuner', { method: 'POST' })

    const { page, complaints } = await open('/app/console/concurrency')
    await page.click('a:has-text("fixture")')
    await page.waitForSelector('section:has-text("Tuning log") tbody tr:has-text("slow")')
    await photograph(page, '6-slow')
    await page.click('button:has-text("Pause fixture")')
    await page.getByLabel('Reason').fill('The portal is slow today')
    await photograph(page, '6-pause')
    await page.click('dialog button[type=submit]')
    await page.waitForSelector('.notice.warn:has-text("The portal is slow today")')
    // Nothing starts while it is paused.
    await call('/v1/scrape-jobs', { body: { source: LARKSPUR, source_parcel_id: '12-0002-0070' } })
    await page.goto(`${base}/app/console/jobs?source=${LARKSPUR}&status=queued`)
    await page.waitForSelector('tbody tr:has-text("12-0002-0070") .badge:has-text("queued")')
    await changePortal({ latencyMs: 0 })
    await page.goto(`${base}/app/console/concurrency/fixture`)
    await page.click('button[aria-label="Resume fixture"]')
    await page.waitForSelector('button:has-text("Pause fixture")')
    expect(complaints).toEqual([])
    await closePage(page)
  })

  test('make, copy and revoke a key by keyboard alone', async () => {
    const { page } = await open('/app/dashboard', { key: null })
    await allowClipboard(page)
    const hasFocus = (selector: string) => page.evaluate<boolean>(`document.activeElement.matches('${selector}')`)
    const tabTo = async (selector: string) => {
      for (let step = 0; step < 60; step++) {
        if (await hasFocus(selector)) return
        await page.keyboard.press('Tab')
      }
      throw new Error(`Tab does not reach ${selector}`)
    }
    await page.waitForSelector('main a:has-text("Sign in")')
    await tabTo('main a')
    await page.keyboard.press('Enter')
    await page.waitForSelector('button:has-text("Ada Juniper")')
    await tabTo('button')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/app/dashboard')
    await page.waitForSelector('button:has-text("New key")')
    await tabTo('main .button.primary')
    await page.keyboard.press('Enter')
    await waitFor(() => hasFocus('dialog input'))
    await page.keyboard.type('county map')
    await photograph(page, '7-new-key')
    await page.keyboard.press('Enter')
    const shown = page.locator('[data-testid=new-key]')
    await shown.waitFor()
    await photograph(page, '7-key')
    await tabTo('dialog .dialog-foot .button:first-child')
    await page.keyboard.press('Enter')
    await page.waitForSelector('button:has-text("Copied")')
    const issued = await readClipboard(page)
    expect(issued).toBe((await shown.textContent()) as string)
    const use = async () => (await fetch(`${base}/v1/sources`, { headers: { 'x-service-key': issued } })).status
    expect(await use()).toBe(200)
    await tabTo('dialog .button.primary')
    await page.keyboard.press('Enter')
    await shown.waitFor({ state: 'detached' })
    // The focus is where it was before the dialog.
    expect(await hasFocus('main .button.primary')).toBe(true)
    await tabTo('[aria-label="Revoke county map"]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('dialog:has-text("Revoke “county map”?")')
    await photograph(page, '7-revoke')
    await tabTo('dialog .button.danger')
    await page.keyboard.press('Enter')
    await page.waitForSelector('tr:has-text("county map"):has-text("revoked")')
    expect(await use()).toBe(401)
    // The button that opened the dialog is gone.
    expect(await hasFocus('body')).toBe(false)
    await closePage(page)
  })

  test('add a county from a file', async () => {
    const { page, complaints } = await open('/app/console/sources')
    await page.click('a:has-text("Add a county")')
    await page.waitForSelector('input[type=file]')
    // One row has no parcel id.
    const rows = countyFile(LOTS, (row, index) => (index === 7 ? { ...row, APN: '' } : row))
    await choose(page, 'marlow-2026.geojson', rows)
    await page.waitForSelector('input[aria-label="Column of Owner"]')
    await photograph(page, '8-columns')
    expect(await findFaultsInBothThemes(page)).toEqual([])
    await page.fill('input[aria-label="Column of Land use"]', 'FIRE_DIST')
    await page.click('button:has-text("Check again")')
    await page.waitForSelector('td:has-text("F-0 · F-1")')
    await page.getByLabel('Name of the county', { exact: true }).fill('Marlow')
    await page.getByLabel('State', { exact: true }).selectOption('OR')
    await page.click('button:has-text("Load the file")')
    await page.waitForSelector('.notice.good:has-text("59 new, 1 row rejected.")')
    await page.waitForSelector('th:has-text("Parcel id is missing")')
    await photograph(page, '8-loaded')
    expect(await ownerOf('12-0003')).toBe('ALDER ROSE 3')
    await page.click('a:has-text("Open the source")')
    await page.waitForSelector('tr:has-text("marlow-2026.geojson")')
    expect(await findFaultsInBothThemes(page)).toEqual([])
    expect(complaints).toEqual([])
    await closePage(page)
  })

  test('undo a bad load', async () => {
    const { page, complaints } = await open('/app/console/add-county?source=or-marlow')
    // One owner in ten is wrong: too few to be held.
    const bad = countyFile(LOTS, (row, index) => (index % 10 === 3 ? { ...row, OWNER1: '#REF!' } : row))
    await choose(page, 'marlow-bad.geojson', bad)
    await page.waitForSelector('button:has-text("Load the file"):not([disabled])')
    await page.click('button:has-text("Load the file")')
    await page.waitForSelector('.notice.good:has-text("changed")')
    expect(await ownerOf('12-0003')).toBe('#REF!')
    await page.click('a:has-text("What the load changed")')
    // The page shows the loads of the last visit first, and the first of them has such a button, too.
    const undoThis = 'button[aria-label="Undo: marlow-bad.geojson"]'
    await page.waitForSelector(undoThis)
    await photograph(page, '9-load')
    await page.click(undoThis)
    // It is refused while other work on the source ends. A person tries again.
    const undo = page.locator('dialog button:has-text("Undo it"):not([disabled])')
    await undo.click()
    await waitFor(async () => {
      if ((await undo.count()) > 0) await undo.click({ timeout: 1_000 }).catch(() => {})
      return (await ownerOf('12-0003')) === 'ALDER ROSE 3'
    })
    await page.waitForSelector('.badge:has-text("undone")')
    await photograph(page, '9-undone')
    expect(complaints).toEqual([])
    await closePage(page)
  })

  test('read the docs, and call an endpoint', async () => {
    const { page, complaints } = await open('/app/search', { key: null })
    await page.click('header a:has-text("API")')
    await page.waitForURL('**/docs')
    const card = page.locator('article', { has: page.locator('form[aria-label^="Try it"]') }).first()
    await card.waitFor()
    await photograph(page, '10-docs')
    await page.locator('main form input').first().fill(key)
    await page.keyboard.press('Enter')
    await page.getByText('The examples below contain the key that you typed.').waitFor()
    const example = page.locator('article:has(h3:has-text("Search"))').first()
    await example.getByRole('button', { name: 'Try it' }).click()
    await example.locator('.badge.good:has-text("200")').waitFor()
    await example.locator('[aria-label^="Response:"]').waitFor()
    await photograph(page, '10-response')
    // The command on the page works as shown.
    const command = (await example.locator('[aria-label^="Command:"]').textContent()) ?? ''
    const child = Bun.spawn(['bash', '-c', command.replace('curl', 'curl -s')], { stdout: 'pipe', stderr: 'pipe' })
    const body = JSON.parse(await new Response(child.stdout).text()) as { count: number }
    expect(body.count).toBeGreaterThan(0)
    expect(complaints).toEqual([])
    await closePage(page)
  })
})
