import { afterAll, describe, expect, test } from 'bun:test'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { findExampleParcel } from '../../../drizzle/queries/parcels/parcels'
import { createSearch } from '../../../search/search'
import { createSearchSync } from '../../../search/sync/sync'
import { PAGE_PATHS } from '../../../src/web/app/page-paths'
import { ADMIN_KEY, createTestApp } from '../../http/test-app'
import { PATIENT } from '../../search/patient'
import { testMeilisearch, waitFor } from '../../support/servers'
import { useAppInDom } from './open-app'

describe('the logic of the app’s pages', async () => {
  const { app, sql, url, useSearch, call, signIn } = await createTestApp()
  await seedSampleCounty(sql, { parcels: 60, entities: 5 })
  const example = await findExampleParcel(sql)
  if (example === null) throw new Error('the sample county is empty')
  await sql`
    update parcels set owner_name = 'ZEPHYR MEADOWS LLC'
    where id in (select id from parcels where source_parcel_id <> ${example.source_parcel_id} order by id limit 3)`
  const meili = { meili: testMeilisearch(), indexPrefix: `${url.split('/').at(-1)}_` }
  const sync = createSearchSync({ databaseUrl: url, ...meili })
  afterAll(() => sync.stop())
  sync.start()
  await sync.drain(30_000)
  useSearch(createSearch({ sql, ...meili, limits: PATIENT }))
  /** Answers of the search wait for `release` while they are held, as on a slow line. */
  const searches: { signal: AbortSignal; release: () => void }[] = []
  let isHeld = false
  const { open, find, gone, elements, texts, type, press } = useAppInDom(async (request) => {
    if (isHeld && request.url.includes('/v1/search')) {
      await new Promise<void>((release) => searches.push({ signal: request.signal, release }))
    }
    return app.handle(request)
  })

  test('fast typing leaves no request behind: each search is aborted for the next one', async () => {
    await open('/app/search', { key: ADMIN_KEY })
    const field = await find('[role=combobox]')
    isHeld = true
    for (const [index, text] of ['ze', 'zep', 'zeph', 'zephy'].entries()) {
      type(field, text)
      await waitFor(() => searches.length === index + 1)
    }
    expect(searches.map(({ signal }) => signal.aborted)).toEqual([true, true, true, false])
    isHeld = false
    for (const { release } of searches) release()
    await find('.search-status', 'hit')
    expect(document.title).toBe('zephy · Search · Parcels')
  })

  test('a screen reader says the count of hits once the typing ends, and not after each letter', async () => {
    await open('/app/search?q=zeph', { key: ADMIN_KEY })
    await find('.search-bar [role=status]', 'hit')
    type(await find('[role=combobox]'), 'zephy')
    expect(texts('.search-bar [role=status]')).toEqual([''])
    await find('.search-bar [role=status]', 'hit')
  })

  test('the link that skips to the content leaves the position of the map in the URL', async () => {
    await open('/map#14/43.866/-120.55', { key: ADMIN_KEY })
    ;(await find('a.skip')).click()
    expect([location.hash, document.activeElement?.id]).toEqual(['#14/43.866/-120.55', 'main'])
  })

  test('a page that has no clipboard copies by the old command, or says that it cannot', async () => {
    await open('/app/search', { key: ADMIN_KEY })
    const share = await find('button[title=Share]')
    const copied: string[] = []
    let isRefused = true
    const clipboard = Object.getOwnPropertyDescriptor(navigator, 'clipboard')
    Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })
    Object.assign(document, {
      execCommand: () => {
        const clipboardData = { setData: (_: string, text: string) => copied.push(text) }
        if (!isRefused) document.dispatchEvent(Object.assign(new Event('copy'), { clipboardData }))
      },
    })
    try {
      share.click()
      await find('button[title=Share] span:not(.unseen)', 'The browser refused')
      isRefused = false
      share.click()
      await find('button[title=Share] span', 'Copied')
      expect(copied).toEqual([location.href])
    } finally {
      if (clipboard) Object.defineProperty(navigator, 'clipboard', clipboard)
      else delete (navigator as { clipboard?: unknown }).clipboard
    }
  })

  test('parcels of one owner are one entry, which the arrow keys and the mouse expand and collapse', async () => {
    await open('/app/search?q=zephyr+meadows&types=parcels', { key: ADMIN_KEY })
    const group = await find('[role=treeitem][aria-expanded]')
    expect(elements('[role=treeitem]').length).toBe(1)
    const field = await find('[role=combobox]')
    press(field, 'ArrowDown')
    await find('[role=treeitem][aria-selected=true]')
    press(field, 'ArrowRight')
    await find('[role=treeitem][aria-level="2"]')
    // The parcels, and a line that lists all of them.
    expect(texts('[role=treeitem][aria-level="2"]').at(-1)).toBe('List all parcels of this owner')
    expect(elements('[role=treeitem][aria-level="2"]').length).toBe(4)
    press(field, 'ArrowLeft')
    await gone('[role=treeitem][aria-level="2"]')
    group.click()
    await find('[role=treeitem][aria-level="2"]')
    // The parcels, and a line that lists all of them.
    expect(texts('[role=treeitem][aria-level="2"]').at(-1)).toBe('List all parcels of this owner')
    expect(elements('[role=treeitem][aria-level="2"]').length).toBe(4)
  })

  test('the page of a retired parcel says that it is retired, and since when', async () => {
    const path = `/app/parcels/${example.source}/${encodeURIComponent(example.source_parcel_id)}`
    await sql`update parcels set retired_at = '2026-01-02T12:00:00Z' where source_parcel_id = ${example.source_parcel_id}`
    await open(path, { key: ADMIN_KEY })
    await find('.badge', 'Retired Jan 2, 2026')
    await sql`update parcels set retired_at = null`
  })

  test('settings of a source that are not JSON, or that its vendor’s schema refuses, are reported beside the text', async () => {
    await open('/app/console/sources', { key: ADMIN_KEY })
    ;(await find(`button[aria-label="Edit the settings of ${example.source}"]`)).click()
    type(await find('textarea'), '{')
    await find('.field-error', 'This is not JSON')
    expect((await find<HTMLButtonElement>('dialog button[type=submit]')).disabled).toBe(true)
    type(await find('textarea'), '{"no_such_field": 1}')
    await gone('.field-error')
    ;(await find('dialog button[type=submit]')).click()
    await find('.field-error', 'vendor_config')
    expect((await find('textarea')).getAttribute('aria-invalid')).toBe('true')
    type(await find('textarea'), '{}')
    type(await find('dialog select'), 'weekly')
    await gone('.field-error')
    ;(await find('dialog button[type=submit]')).click()
    await gone('dialog')
    const [row] = await sql`
      select cadence, vendor_config from sources join source_refresh_policies using (source) where source = ${example.source}`
    expect(row).toEqual({ cadence: 'weekly', vendor_config: {} })
  })

  test('a source is switched on and off', async () => {
    const isActive = async () => (await sql`select active from sources where source = ${example.source}`)[0]?.active
    await open('/app/console/sources', { key: ADMIN_KEY })
    const button = `button[role=switch][aria-label="${example.source} is active"]`
    const before = await isActive()
    ;(await find(button)).click()
    await find(`${button}[aria-checked=${!before}]`)
    expect(await isActive()).toBe(!before)
  })

  test('a vendor is frozen and unfrozen', async () => {
    const modeOf = async () => (await sql`select mode from vendor_concurrency where vendor = 'fixture'`)[0]?.mode
    await open('/app/console/concurrency', { key: ADMIN_KEY })
    ;(await find('button[aria-label="Freeze fixture"]')).click()
    const unfreeze = await find('button[aria-label="Unfreeze fixture"]')
    expect(await modeOf()).toBe('manual')
    unfreeze.click()
    await find('button[aria-label="Freeze fixture"]')
    expect(await modeOf()).toBe('auto')
  })

  test('an operator pauses a vendor with a reason, and resumes it', async () => {
    const pauseOf = async () => {
      const [row] =
        await sql`select pause_reason as reason, paused_until as until from vendor_concurrency where vendor = 'fixture'`
      return row
    }
    await open('/app/console/concurrency', { key: ADMIN_KEY })
    ;(await find('button[aria-label="Pause fixture"]')).click()
    type(await find('dialog input'), 'The county asked')
    type(await find('dialog select'), '4')
    ;(await find('dialog button[type=submit]:not([disabled])')).click()
    await gone('dialog')
    await find('.notice.warn', 'The county asked')
    expect(await pauseOf()).toEqual({ reason: 'The county asked', until: expect.any(Date) })
    ;(await find('button[aria-label="Resume fixture"]')).click()
    await find('button[aria-label="Pause fixture"]')
    expect(await pauseOf()).toEqual({ reason: null, until: null })
  })

  test('a person without a key or a session sees a message that says so, and typing a key opens the page', async () => {
    await open('/app/console/health')
    await find('.notice', 'The console is for operators')
    expect(elements('table').length).toBe(0)
    ;(await find('.menu > button')).click()
    type(await find('.key-form input'), ADMIN_KEY)
    ;(await find('.key-form button[type=submit]')).click()
    await find('table')
  })

  for (const path of PAGE_PATHS.filter((path) => path.startsWith('/app/console/'))) {
    test(`${path}: a signed-out visitor and a member see that it is for operators, and nothing else`, async () => {
      const { cookie } = await signIn()
      for (const visitor of [{}, { cookie }]) {
        await open(path.replaceAll(/:\w+/g, 'any'), visitor)
        await find('main .notice', 'The console is for operators')
        expect(texts('main > *').length).toBe(2)
        expect(elements('main table, main form, main .actions button').length).toBe(0)
      }
    })
  }

  test('live keys that are older than 90 days are named until they are revoked; younger and revoked keys are not', async () => {
    const { cookie, headers } = await signIn()
    for (const [name, days] of [
      ['county map', 89],
      ['nightly export', 91],
      ['trial', 200],
    ] as const) {
      await call('/v1/account/keys', { method: 'POST', key: null, headers, body: { name } })
      await sql`update api_keys set created_at = now() - ${days} * interval '1 day' where name = ${name}`
    }
    await sql`update api_keys set revoked_at = now() where name = 'trial'`
    await open('/app/dashboard', { cookie })
    const nudge = await find('.notice.warn', 'older than 90 days')
    expect(nudge.textContent).toStartWith('“nightly export” is older than 90 days.')
    const stateOf = (name: string) => elements('tbody tr', name)[0]?.querySelector('.badge')?.textContent.split(' ')[0]
    expect(['county map', 'nightly export', 'trial'].map(stateOf)).toEqual(['valid', 'replace', 'revoked'])

    await sql`update api_keys set created_at = now() - interval '91 days' where name = 'county map'`
    await open('/app/dashboard', { cookie })
    expect((await find('.notice.warn', 'older than 90 days')).textContent).toStartWith('2 keys are older than 90 days.')
    for (const name of ['county map', 'nightly export']) {
      ;(await find(`button[aria-label="Revoke ${name}"]`)).click()
      ;(await find('dialog button.danger:not([disabled])')).click()
      await gone('dialog')
      await gone(`button[aria-label="Revoke ${name}"]`)
    }
    await gone('.notice.warn', 'older than 90 days')
  })
})
