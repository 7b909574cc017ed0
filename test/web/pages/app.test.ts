import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { findExampleParcel } from '../../../drizzle/queries/parcels/parcels'
import { createSearch } from '../../../search/search'
import { createSearchSync } from '../../../search/sync/sync'
import { buildTiles, DEFAULT_TILE_OPTIONS } from '../../../tiles-build/build'
import { ADMIN_KEY, createTestApp } from '../../http/test-app'
import { PATIENT } from '../../search/patient'
import { testMeilisearch } from '../../support/servers'
import { findFaults } from '../browser/axe'
import { findChromium, launchChromium } from '../browser/chromium'
import { closePage, createOpener, createVisits, settle } from '../browser/open-page'

const chromium = findChromium()
/** Read as HTML, it would change the page's title. */
const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>'

describe.skipIf(chromium === null)('the web app', async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const { app, sql, url, tileStore, useSearch } = await createTestApp()
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
  useSearch(createSearch({ sql, ...meili, limits: PATIENT }))
  app.listen({ port: 0, hostname: '127.0.0.1' })
  afterAll(() => app.stop(true))
  const base = `http://127.0.0.1:${app.server?.port}`
  const parcelPath = (id: string) => `/app/parcels/${example.source}/${encodeURIComponent(id)}`

  const visit = createVisits(browser, base, { key: ADMIN_KEY })

  test('a browser that opens / is redirected to the search, and a program gets 404', async () => {
    const ask = (accept: string) => fetch(`${base}/`, { headers: { accept }, redirect: 'manual' })
    const page = await ask('text/html,application/xhtml+xml,*/*;q=0.8')
    expect([page.status, page.headers.get('location')]).toEqual([302, '/app/search'])
    expect((await ask('*/*')).status).toBe(404)
  })

  test('pages have a policy that forbids inline scripts and styles; their assets are compressed and cached forever', async () => {
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
    // The icon, the styles, the script, and what the page opens with.
    expect(paths.length).toBe(3 + (html.match(/<link rel="modulepreload"/g)?.length ?? 0))
    for (const path of paths) {
      const asset = await fetch(`${base}${path}`, { headers: { 'accept-encoding': 'gzip' } })
      expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      // The icon fits into one packet, so it is not compressed.
      const { byteLength } = await asset.arrayBuffer()
      expect(asset.headers.get('content-encoding')).toBe(byteLength < 1_024 ? null : 'gzip')
      expect(asset.headers.get('x-content-type-options')).toBe('nosniff')
    }
    expect((await fetch(`${base}/app/assets/nothing-0123.js`)).status).toBe(404)
    const again = await fetch(`${base}/app/search`, { headers: { 'if-none-match': page.headers.get('etag') ?? '' } })
    expect(again.status).toBe(304)
  })

  test('the page has the chosen theme from the first byte; who chooses the system’s theme follows the system again', async () => {
    const { page } = await createOpener(browser, base)('/app/search', { key: ADMIN_KEY, theme: 'light' })
    await page.click('button[aria-label="Use the dark theme"]')
    await page.reload()
    expect(await page.getAttribute('html', 'data-theme')).toBe('dark')
    await page.click('button[aria-label="Use the light theme"]')
    await page.reload()
    expect(await page.getAttribute('html', 'data-theme')).toBeNull()
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.waitForSelector('button[aria-label="Use the light theme"]')
    await closePage(page)
  })

  test('a search with a typo finds marked hits, opens the parcel by keyboard, and shows it on the map', async () => {
    const { page, complaints } = await visit('/app/search')
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
  })

  test('owners, addresses, findings, jobs and vendor_config that are HTML are shown as text', async () => {
    for (const [path, where] of [
      [`/app/search?q=${hostile}`, '[role=tree]'],
      [parcelPath(hostile), 'h1'],
      [parcelPath(example.source_parcel_id), '.findings'],
      ['/app/console/findings', 'tbody'],
      ['/app/console/jobs', 'tbody'],
    ] as const) {
      const { page, complaints } = await visit(path)
      await page.waitForSelector(`${where}:has-text("onerror")`)
      await settle(page)
      expect(await page.title()).not.toMatch(/^\d$/)
      expect(await page.locator('img[src=x], main script').count()).toBe(0)
      expect(complaints).toEqual([])
    }
    const { page } = await visit('/app/console/sources')
    await page.click(`button[aria-label="Edit the settings of ${example.source}"]`)
    await page.waitForSelector('textarea')
    expect(await page.inputValue('textarea')).toContain(JSON.stringify(HOSTILE))
    expect(await page.title()).toBe('Sources · Parcels')
  })

  test('menus and dialogs have no serious fault', async () => {
    const { page } = await visit('/app/console/sources', { theme: 'dark' })
    await settle(page)
    await page.click('.menu > button')
    expect(await findFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.click(`button[aria-label="Edit the settings of ${example.source}"]`)
    await page.waitForSelector('textarea')
    expect(await findFaults(page)).toEqual([])
  })
})
