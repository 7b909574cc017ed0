import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { findExampleParcel } from '../../drizzle/queries/parcels/parcels'
import { createSearch } from '../../search/search'
import { createSearchSync } from '../../search/sync/sync'
import { buildTiles, DEFAULT_TILE_OPTIONS } from '../../tiles-build/build'
import { ADMIN_KEY, createTestApp } from '../http/test-app'
import { testMeilisearch, waitFor } from '../servers'
import { findFaults } from './axe'
import { findChromium, launchChromium } from './chromium'
import { closePage, createOpener, settle } from './open-page'

const chromium = findChromium()
/** Were it ever read as HTML, the page's title would tell. */
const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>'

describe.skipIf(chromium === null)('the web app', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { app, sql, url, tileStore, useSearch, call, signIn } = await createTestApp()
  await seedSampleCounty(sql, { parcels: 300, entities: 20 })
  const example = await findExampleParcel(sql)
  if (example === null) throw new Error('the sample county is empty')
  await sql`
    insert into findings (parcel_id, rule, severity, category, evidence, suggested_action)
    select id, 'owner-changed', 'high', 'ownership', ${JSON.stringify({ is: HOSTILE })}::text::jsonb, ${HOSTILE}
    from parcels where source_parcel_id = ${example.source_parcel_id}`
  const [other] = await sql<{ id: string }[]>`
    update parcels set owner_name = ${HOSTILE}, situs_address = ${`1 ${HOSTILE}`}, land_use_class = ${HOSTILE}
    where source_parcel_id = (select source_parcel_id from parcels where source_parcel_id <> ${example.source_parcel_id} limit 1)
    returning source_parcel_id as id`
  const hostile = other?.id ?? ''
  await sql`update sources set vendor_config = ${JSON.stringify({ note: HOSTILE })}::text::jsonb where source = ${example.source}`
  await sql`
    insert into scrape_jobs (source, source_parcel_id, vendor, status, error_message)
    select source, ${hostile}, vendor, 'error', ${HOSTILE} from sources where source = ${example.source}`
  const workDir = mkdtempSync(join(tmpdir(), 'app-tiles-'))
  await buildTiles(DEFAULT_TILE_OPTIONS, { databaseUrl: url, to: tileStore, workDir, threads: 1 })
  rmSync(workDir, { recursive: true, force: true })
  const meili = { meili: testMeilisearch(), indexPrefix: `${url.split('/').at(-1)}_` }
  const sync = createSearchSync({ databaseUrl: url, ...meili })
  afterAll(() => sync.stop())
  sync.start()
  await sync.drain(30_000)
  useSearch(createSearch({ sql, ...meili }))
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))
  const base = `http://127.0.0.1:${app.server?.port}`
  const parcelPath = (id: string) => `/app/parcels/${example.source}/${encodeURIComponent(id)}`

  /** A page of the app, with the key of an admin unless told otherwise. */
  const open = createOpener(browser, base, { key: ADMIN_KEY })

  test('a browser that comes to / is sent to the search; a program is told that there is nothing', async () => {
    const ask = (accept: string) => fetch(`${base}/`, { headers: { accept }, redirect: 'manual' })
    const page = await ask('text/html,application/xhtml+xml,*/*;q=0.8')
    expect([page.status, page.headers.get('location')]).toEqual([302, '/app/search'])
    expect((await ask('*/*')).status).toBe(404)
  })

  test('pages come under a policy that takes nothing inline; their parts are compressed and kept for ever', async () => {
    const page = await fetch(`${base}/app/search`)
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    expect(page.headers.get('referrer-policy')).toBe('same-origin')
    expect(page.headers.get('cache-control')).toBe('no-cache')
    const html = await page.text()
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style| style=| on[a-z]+=/)
    const paths = [...html.matchAll(/(?:src|href)="(\/app\/assets\/[^"]+)"/g)].map(([, path]) => path)
    // The icon, the styles and the script.
    expect(paths.length).toBe(3)
    for (const path of paths) {
      const asset = await fetch(`${base}${path}`, { headers: { 'accept-encoding': 'gzip' } })
      expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      // What fits into a packet anyway is sent as it is: the icon.
      const { byteLength } = await asset.arrayBuffer()
      expect(asset.headers.get('content-encoding')).toBe(byteLength < 1_024 ? null : 'gzip')
      expect(asset.headers.get('x-content-type-options')).toBe('nosniff')
    }
    expect((await fetch(`${base}/app/assets/nothing-0123.js`)).status).toBe(404)
    const again = await fetch(`${base}/app/search`, { headers: { 'if-none-match': page.headers.get('etag') ?? '' } })
    expect(again.status).toBe(304)
  })

  test('a theme that was chosen comes with the page, whatever the system has', async () => {
    const { page } = await open('/app/search', { theme: 'light' })
    await page.click('button[aria-label="Use the dark theme"]')
    await page.reload()
    expect(await page.getAttribute('html', 'data-theme')).toBe('dark')
    await page.waitForSelector('button[aria-label="Use the light theme"]')
    await closePage(page)
  })

  test('a search goes from typo to hits, marked, by keys alone to the parcel, and onto the map', async () => {
    const { page, complaints } = await open('/app/search')
    const [word = ''] = example.owner_name.toLowerCase().split(' ')
    const typo = word.replace(/^(..)(.)(.)/, '$1$3$2')
    expect(typo).not.toBe(word)
    await page.locator('[role=combobox]').pressSequentially(`${typo} `)
    await page.waitForSelector('[role=treeitem] mark')
    await page.waitForSelector('.map[data-hits]:not([data-hits="0"])')
    for (let presses = 0; presses < 20; presses++) {
      await page.keyboard.press('ArrowDown')
      const active = await page.getAttribute('[role=combobox]', 'aria-activedescendant')
      const text = await page.textContent(`[id="${active}"]`)
      if (text?.includes(example.source_parcel_id)) break
    }
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${parcelPath(example.source_parcel_id)}`)
    await page.waitForSelector(`.lead:has-text("${example.source_parcel_id}")`)
    await page.waitForSelector('.map[data-ready][data-boundary=true]')
    expect(complaints).toEqual([])
    await page.goBack()
    await page.waitForSelector('[role=treeitem]')
    expect(await page.inputValue('[role=combobox]')).toBe(`${typo} `)
    await closePage(page)
  })

  test('letters that follow fast leave no request behind: each one is given up for the next', async () => {
    const { page } = await open('/app/search')
    let begun = 0
    let ended = 0
    page.on('request', (request) => {
      if (request.url().includes('/v1/search')) begun++
    })
    page.on('requestfinished', (request) => {
      if (request.url().includes('/v1/search')) ended++
    })
    const failed: string[] = []
    page.on('requestfailed', (request) => {
      if (request.url().includes('/v1/search')) failed.push(request.failure()?.errorText ?? '')
    })
    // The answers are held until all is typed, as on a slow line.
    const held: (() => void)[] = []
    await page.route('**/v1/search?**', (route) =>
      new Promise<void>((release) => held.push(release)).then(() => route.continue().catch(() => {})),
    )
    await page.locator('[role=combobox]').pressSequentially('alder')
    await waitFor(() => begun === 4 && failed.length === 3)
    for (const release of held) release()
    await waitFor(() => ended === 1)
    expect(failed).toEqual(Array(3).fill('net::ERR_ABORTED'))
    await closePage(page)
  })

  test('parcels of one owner are one entry, which unfolds and folds by keys and by the mouse', async () => {
    await sql`update parcels set owner_name = 'ZEPHYR MEADOWS LLC' where id in (select id from parcels order by id offset 30 limit 3)`
    await sync.drain(30_000)
    const { page } = await open('/app/search?q=zephyr+meadows&types=parcels')
    const group = page.locator('[role=treeitem][aria-expanded]')
    await group.waitFor()
    expect(await page.locator('[role=treeitem]').count()).toBe(1)
    await page.focus('[role=combobox]')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    await page.waitForSelector('[role=treeitem][aria-level="2"]')
    expect(await page.locator('[role=treeitem][aria-level="2"]').count()).toBe(3)
    await page.keyboard.press('ArrowLeft')
    await waitFor(async () => (await page.locator('[role=treeitem]').count()) === 1)
    await group.click()
    expect(await page.locator('[role=treeitem][aria-level="2"]').count()).toBe(3)
    await closePage(page)
  })

  test('owners, addresses, findings, jobs and vendor_config that are HTML are shown as text', async () => {
    for (const [path, where] of [
      [`/app/search?q=${hostile}`, '[role=tree]'],
      [parcelPath(hostile), 'h1'],
      [parcelPath(example.source_parcel_id), '.findings'],
      ['/app/console/findings', 'tbody'],
      ['/app/console/jobs', 'tbody'],
    ] as const) {
      const { page, complaints } = await open(path)
      await page.waitForSelector(`${where}:has-text("onerror")`)
      await settle(page)
      expect(await page.title()).not.toMatch(/^\d$/)
      expect(await page.locator('img[src=x], main script').count()).toBe(0)
      expect(complaints).toEqual([])
      await closePage(page)
    }
    const { page } = await open('/app/console/sources')
    await page.click(`button[aria-label="Edit the settings of ${example.source}"]`)
    await page.waitForSelector('textarea')
    expect(await page.inputValue('textarea')).toContain(JSON.stringify(HOSTILE))
    expect(await page.title()).toBe('Sources · Parcels')
    await closePage(page)
  })

  test('settings of a source: what is no JSON, and what the vendor does not take, is told beside the text', async () => {
    const { page } = await open('/app/console/sources')
    await page.click(`button[aria-label="Edit the settings of ${example.source}"]`)
    await page.fill('textarea', '{')
    await page.waitForSelector('.field-error:has-text("This is not JSON")')
    expect(await page.isDisabled('dialog button[type=submit]')).toBe(true)
    await page.fill('textarea', '{"no_such_field": 1}')
    await page.click('dialog button[type=submit]')
    await page.waitForSelector('.field-error:has-text("vendor_config")')
    expect(await page.getAttribute('textarea', 'aria-invalid')).toBe('true')
    await page.fill('textarea', '{}')
    await page.selectOption('dialog select', 'weekly')
    await page.click('dialog button[type=submit]')
    await page.waitForSelector('dialog', { state: 'detached' })
    await waitFor(async () => {
      const [row] =
        await sql`select cadence, vendor_config from sources join source_refresh_policies using (source) where source = ${example.source}`
      return row?.cadence === 'weekly' && JSON.stringify(row.vendor_config) === '{}'
    })
    await closePage(page)
  })

  test('a source is switched on and off', async () => {
    const isActive = async () => (await sql`select active from sources where source = ${example.source}`)[0]?.active
    const { page } = await open('/app/console/sources')
    const button = page.locator(`button[role=switch][aria-label="${example.source} is active"]`)
    const before = await isActive()
    await button.click()
    await waitFor(async () => (await isActive()) === !before)
    await page.waitForSelector(
      `button[role=switch][aria-label="${example.source} is active"][aria-checked="${!before}"]`,
    )
    await closePage(page)
  })

  test('a vendor is frozen, and let go again', async () => {
    const modeOf = async () => (await sql`select mode from vendor_concurrency where vendor = 'fixture'`)[0]?.mode
    const { page } = await open('/app/console/concurrency')
    await page.click('button[aria-label="Freeze fixture"]')
    await page.waitForSelector('button[aria-label="Unfreeze fixture"]')
    expect(await modeOf()).toBe('manual')
    await page.click('button[aria-label="Unfreeze fixture"]')
    await page.waitForSelector('button[aria-label="Freeze fixture"]')
    expect(await modeOf()).toBe('auto')
    await closePage(page)
  })

  test('who has neither key nor session is told so, and a key that is typed in opens the rest', async () => {
    const { page } = await open('/app/console/health', { key: null })
    await page.waitForSelector('.notice:has-text("The console is for operators")')
    expect(await page.locator('table').count()).toBe(0)
    await page.click('.menu > button')
    await page.fill('.key-form input', ADMIN_KEY)
    await page.click('.key-form button[type=submit]')
    await page.waitForSelector('table')
    await closePage(page)
  })

  test('a live key that is older than 90 days is named until it is revoked; a younger one, or a revoked one, is not', async () => {
    const { token, headers } = await signIn()
    for (const [name, days] of [
      ['county map', 89],
      ['nightly export', 91],
      ['trial', 200],
    ] as const) {
      await call('/v1/account/keys', { method: 'POST', key: null, headers, body: { name } })
      await sql`update api_keys set created_at = now() - ${days} * interval '1 day' where name = ${name}`
    }
    await sql`update api_keys set revoked_at = now() where name = 'trial'`
    const { page } = await open('/app/dashboard', { key: null, token })
    const nudge = page.locator('.notice.warn', { hasText: 'older than 90 days' })
    await nudge.waitFor()
    expect(await nudge.textContent()).toStartWith('“nightly export” is older than 90 days.')
    const stateOf = async (name: string) =>
      (await page.textContent(`tbody tr:has-text("${name}") .badge`))?.split(' ')[0]
    expect(await Promise.all(['county map', 'nightly export', 'trial'].map(stateOf))).toEqual([
      ...['live', 'time', 'revoked'],
    ])

    await sql`update api_keys set created_at = now() - interval '91 days' where name = 'county map'`
    await page.reload()
    await nudge.waitFor()
    expect(await nudge.textContent()).toStartWith('2 keys are older than 90 days.')
    for (const name of ['county map', 'nightly export']) {
      await page.click(`button[aria-label="Revoke ${name}"]`)
      await page.click('dialog button.danger')
      await page.waitForSelector('dialog', { state: 'detached' })
    }
    await nudge.waitFor({ state: 'detached' })
    await closePage(page)
  })

  test('menus and dialogs are without a serious fault, too', async () => {
    const { page } = await open('/app/console/sources', { theme: 'dark' })
    await settle(page)
    await page.click('.menu > button')
    expect(await findFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.click(`button[aria-label="Edit the settings of ${example.source}"]`)
    await page.waitForSelector('textarea')
    expect(await findFaults(page)).toEqual([])
    await closePage(page)
  })
})
