import { describe, expect, spyOn, test } from 'bun:test'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { createSearch } from '../../../search/search'
import { ADMIN_KEY, createTestApp, insertCounty } from '../../http/test-app'
import { countNow } from '../../parcels/coverage/count'
import { PATIENT } from '../../search/patient'
import { waitFor } from '../../support/servers'
import { useAppInDom } from './open-app'

describe('the results of a search', async () => {
  const { app, sql, useSearch } = await createTestApp()
  let hasTwoCounties = false
  /** Searches for these texts are answered when the promise resolves. */
  const answersTo = new Map<string, Promise<void>>()
  /** So many searches are answered with fewer hits and a warning. */
  let overloaded = 0
  let isFailing = false
  const { open, find, gone, elements, texts, type, press, point, requests } = useAppInDom(async (request) => {
    await answersTo.get(new URL(request.url).searchParams.get('q') ?? '')
    if (isFailing && request.url.includes('/v1/search?')) return Response.json({ error: 'no luck' }, { status: 500 })
    const response = await app.handle(request)
    if (overloaded > 0 && request.url.includes('/v1/search?')) {
      overloaded--
      const body = (await response.json()) as { results: object[] }
      return Response.json(
        { ...body, results: body.results.slice(0, 3) },
        { headers: { warning: '199 - "search degraded"' } },
      )
    }
    if (!hasTwoCounties || !request.url.endsWith('/v1/coverage')) return response
    const { sources, ...rest } = (await response.json()) as { sources: object[] }
    return Response.json({ ...rest, sources: [...sources, { ...sources[0], source: 'oak', county_name: 'Oak' }] })
  })
  await insertCounty(sql)
  const rows = Array.from({ length: 130 }, (_, n) => ({
    sourceParcelId: `${n}`.padStart(3, '0'),
    ownerName: 'ALDER HOLDINGS LLC',
    situsAddress: `${n + 1} ELM ST`,
    assessedValue: 1_000 * (n + 1),
    acreage: 1 + n / 10,
    landUseClass: n < 5 ? 'FARM' : 'RESIDENTIAL',
  }))
  await upsertParcels(sql, 'elm', [
    ...rows,
    { sourceParcelId: 'other', ownerName: 'BIRCH BO', situsAddress: '1 OAK ST' },
  ])
  await countNow(sql)
  useSearch(createSearch({ sql, meili: null, limits: PATIENT }))
  const params = () => Object.fromEntries(new URL(location.href).searchParams)

  test('hits do not stop at 20: the total is shown, and more follow', async () => {
    await open('/app/search?q=elm+st&group=none', { key: ADMIN_KEY })
    await find('[role=treeitem]')
    expect(elements('[role=treeitem]')).toHaveLength(20)
    await find('.search-status', '130 hits')
    ;(await find('button', 'Show more than 20')).click()
    await find('button', 'Show more than 70')
    expect(elements('[role=treeitem]')).toHaveLength(70)
    // Past the last hit, the arrow key loads more too.
    const field = await find('[role=combobox]')
    press(field, 'ArrowUp')
    await find('[role=treeitem][aria-selected=true]')
    press(field, 'ArrowDown')
    await waitFor(() => elements('[role=treeitem]').length === 120)
  })

  test('Enter right after typing opens the hit of what is typed, not one of the letters before', async () => {
    await open('/app/search?q=elm+st&group=none', { key: ADMIN_KEY })
    await find('[role=treeitem]', '1 ELM ST')
    const arrives = Promise.withResolvers<void>()
    answersTo.set('1 oak st', arrives.promise)
    const field = await find('[role=combobox]')
    type(field, '1 oak st')
    await find('.hits[data-stale]')
    press(field, 'Enter')
    arrives.resolve()
    await waitFor(() => location.pathname === '/app/parcels/elm/other')
  })

  test('Enter that ends the composition of an input method does not open a hit', async () => {
    await open('/app/search?q=elm+st&group=none', { key: ADMIN_KEY })
    await find('[role=treeitem]', '1 ELM ST')
    const field = await find('[role=combobox]')
    press(field, 'Enter', { isComposing: true })
    press(field, 'ArrowDown', { isComposing: true })
    press(field, 'ArrowDown')
    await find('[role=treeitem]:first-child[aria-selected=true]')
    expect(location.pathname).toBe('/app/search')
  })

  test('a hit is a link, which the browser opens in a new tab: the page stays', async () => {
    await open('/app/search?q=elm+st&group=none', { key: ADMIN_KEY })
    const hit = await find('[role=treeitem]', '1 ELM ST')
    expect(hit.getAttribute('href')).toBe('/app/parcels/elm/000')
    let isLeft = false
    const note = (event: Event) => {
      isLeft = !event.defaultPrevented
      // happy-dom would open the page.
      event.preventDefault()
    }
    document.addEventListener('click', note, { once: true })
    hit.dispatchEvent(new window.MouseEvent('click', { ctrlKey: true, bubbles: true, cancelable: true }))
    expect([isLeft, location.pathname]).toEqual([true, '/app/search'])
  })

  for (const [what, movementY, chosen] of [
    ['rests where hits appear does not choose one: Enter opens the best hit', 0, 0],
    ['moves chooses the hit under it, which Enter opens', 2, 2],
  ] as const) {
    test(`a pointer that ${what}`, async () => {
      await open('/app/search?q=elm+st&group=none', { key: ADMIN_KEY })
      await find('[role=treeitem]', '1 ELM ST')
      const hits = elements('[role=treeitem]')
      for (const type of ['pointerover', 'pointermove'])
        point(hits[2] as HTMLElement, type, { movementX: 0, movementY })
      const [address] = /\d+ ELM ST/.exec(hits[chosen]?.textContent ?? '') ?? []
      press(await find('[role=combobox]'), 'Enter')
      await find('h1', address)
    })
  }

  test('Enter does nothing if the text is changed before its hits arrive', async () => {
    await open('/app/search?q=elm+st&group=none', { key: ADMIN_KEY })
    await find('[role=treeitem]', '1 ELM ST')
    const arrives = Promise.withResolvers<void>()
    answersTo.set('1 oak st', arrives.promise)
    const field = await find('[role=combobox]')
    type(field, '1 oak st')
    press(field, 'Enter')
    type(field, '2 elm st')
    arrives.resolve()
    await find('[role=treeitem]:first-child', '2 ELM ST')
    expect(location.pathname).toBe('/app/search')
  })

  test('a search that an overloaded service answered with fewer hits says so and is repeated', async () => {
    overloaded = 1
    await open('/app/search?q=elm+st&group=none', { key: ADMIN_KEY })
    await find('.search-status', 'others may be missing')
    expect(elements('[role=treeitem]')).toHaveLength(3)
    await waitFor(() => elements('[role=treeitem]').length === 20)
    await gone('.search-status', 'others may be missing')
  })

  test('a click on “Show more” while the hits are requested again shows more of them', async () => {
    overloaded = 1
    await open('/app/search?q=elm+st&group=none', { key: ADMIN_KEY })
    const more = await find('button', 'Show more than 3')
    const { promise, resolve } = Promise.withResolvers<void>()
    answersTo.set('elm st', promise)
    const asked = () => requests.filter((one) => one.includes('/v1/search?') && !one.includes('total=1')).length
    await waitFor(() => asked() === 2)
    more.click()
    resolve()
    await waitFor(() => elements('[role=treeitem]').length === 70)
    answersTo.clear()
  })

  test('if the next page cannot be loaded, the page says why, and the loaded hits stay', async () => {
    await open('/app/search?q=elm+st&group=none', { key: ADMIN_KEY })
    const more = await find('button', 'Show more than 20')
    isFailing = true
    more.click()
    await find('.search-results .notice.bad', 'no luck')
    expect(elements('[role=treeitem]')).toHaveLength(20)
    isFailing = false
    ;(await find('button', 'Show more than 20')).click()
    await waitFor(() => elements('[role=treeitem]').length === 70)
    await gone('.search-results .notice.bad')
  })

  test('all parcels of an owner can be reached from a search', async () => {
    await open('/app/search?q=alder+holdings&types=parcels', { key: ADMIN_KEY })
    ;(await find('[role=treeitem][aria-expanded]')).click()
    ;(await find('[role=treeitem]', 'List all parcels of this owner')).click()
    await find('.search-status', '130 parcels')
    expect(params()).toEqual({ types: 'parcels', owner: 'ALDER HOLDINGS LLC' })
    await waitFor(() => elements('[role=treeitem]').length === 100)
    ;(await find('button', 'Show more than 100')).click()
    await waitFor(() => elements('[role=treeitem]').length === 130)
    await find('.chip', 'Owner: ALDER HOLDINGS LLC')
    history.back()
    await waitFor(() => params().q === 'alder holdings')
  })

  test('Back to a search leaves the owner open whose parcel was opened', async () => {
    await open('/app/search?q=alder+holdings&types=parcels&state=OR', { key: ADMIN_KEY })
    ;(await find('[role=treeitem][aria-expanded=false]')).click()
    ;(await find('[role=treeitem][aria-level="2"]', '2 ELM ST')).click()
    await find('h1', '2 ELM ST')
    history.back()
    await find('[role=treeitem][aria-level="2"]', '2 ELM ST')
    ;(await find('[role=treeitem][aria-expanded=true]')).click()
    await gone('[role=treeitem][aria-level="2"]')
  })

  test('when the key is forgotten, its hits and what can be done with them are gone', async () => {
    await open('/app/search?q=elm+st&group=none', { key: ADMIN_KEY })
    await find('[role=treeitem]')
    ;(await find('.menu button', 'Your key')).click()
    ;(await find('.menu button', 'Forget the key')).click()
    await find('h2', 'Search US land parcels')
    expect(texts('.result-actions button')).toEqual(['Share'])
  })

  test('filters are in the URL, each has a button that removes it, and the only source is implied', async () => {
    await open('/app/search', { key: ADMIN_KEY })
    ;(await find('button', 'Filters')).click()
    const panel = await find('.filter-panel')
    expect(panel.textContent).toContain('Changed since')
    type(await find('.filter-panel input[placeholder=RESIDENTIAL]'), 'farm')
    await find('.search-status', '5 parcels')
    type(await find('.filter-panel input[placeholder="at least"]'), '3000')
    await find('.search-status', '3 parcels')
    expect(params()).toEqual({ land_use: 'farm', min_value: '3000' })
    ;(await find('.chip', 'Land use: farm')).click()
    await find('.search-status', '128 parcels')
    expect(params()).toEqual({ min_value: '3000' })
  })

  test('the day of "Changed since" begins in the time zone of the viewer', async () => {
    await open('/app/search?county=elm', { key: ADMIN_KEY })
    ;(await find('button', 'Filters')).click()
    const field = await find<HTMLInputElement>('.filter-panel input[type=date]')
    type(field, '2026-03-09')
    await find('.chip', 'Changed since Mar 9, 2026')
    expect(params().changed_since).toBe(new Date(2026, 2, 9).toISOString())
    expect(field.value).toBe('2026-03-09')
  })

  test('a URL with a text that is not a time shows it, and the error of the service', async () => {
    await open('/app/search?county=elm&changed_since=soon', { key: ADMIN_KEY })
    await find('.chip', 'Changed since soon')
    await find('.notice.bad', 'changed_since must be a date')
  })

  test('the button of an export says how many parcels it saves if that is known', async () => {
    const label = async (address: string) => {
      await open(address, { key: ADMIN_KEY })
      ;(await find('.result-actions button', 'Export')).click()
      return (await find('dialog button[type=submit]')).textContent
    }
    expect(await label('/app/search?source=elm&owner=birch+bo')).toBe('Export 1 parcel')
    expect(await label('/app/search?source=elm&land_use=farm')).toBe('Export 5 parcels')
    // One hit is an owner with 130 parcels.
    expect(await label('/app/search?q=alder+holdings&types=parcels')).toBe('Export')
  })

  test('an export of a sorted list saves the parcels in the order of the list', async () => {
    await open('/app/search?source=elm&land_use=farm&view=table&sort=-assessed_value', { key: ADMIN_KEY })
    ;(await find('.result-actions button', 'Export')).click()
    using _download = spyOn(window.HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
    using saved = spyOn(URL, 'createObjectURL')
    ;(await find('dialog button[type=submit]')).click()
    await find('dialog .notice', 'Saved 5 parcels.')
    const [[file] = []] = saved.mock.calls
    const lines = (await new Response(file as Blob).text()).trim().split('\r\n')
    expect(lines.slice(1).map((line) => line.split(',')[1])).toEqual(['004', '003', '002', '001', '000'])
  })

  test('hits that are companies alone cannot be exported, because an export saves parcels', async () => {
    await sql`
      insert into entities (jurisdiction, registry_number, name, entity_type, status)
      values ('OR', '1', 'ALDER HOLDINGS LLC', 'LLC', 'Active')`
    await open('/app/search?q=alder+holdings&types=entities', { key: ADMIN_KEY })
    await find('[role=treeitem]', 'ALDER HOLDINGS LLC')
    expect(texts('.result-actions button')).not.toContain('Export')
    await open('/app/search?q=alder+holdings', { key: ADMIN_KEY })
    await find('.result-actions button', 'Export')
  })

  test('an export of a search that an overloaded service answered with fewer hits says so', async () => {
    await open('/app/search?q=elm+st&types=parcels', { key: ADMIN_KEY })
    ;(await find('.result-actions button', 'Export')).click()
    const save = await find('dialog button[type=submit]')
    overloaded = 1
    // happy-dom would open the file instead of saving it.
    using _download = spyOn(window.HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
    save.click()
    await find('dialog .notice', 'others may be missing')
  })

  test('an export shows each of its filters, also the state, with a button that removes it', async () => {
    await open('/app/exports?county=Elm&state=OR', { key: ADMIN_KEY })
    ;(await find('.chip', 'Elm County')).click()
    expect(params()).toEqual({ state: 'OR' })
    ;(await find('.chip', 'OR')).click()
    await find('section', 'No filter: all parcels are exported.')
    expect(params()).toEqual({})
  })

  test('a filter that needs a place says so', async () => {
    hasTwoCounties = true
    await open('/app/search?land_use=farm', { key: ADMIN_KEY })
    await find('.search-help', 'Choose a county')
    expect(requests.some((request) => request.includes('/v1/parcels?'))).toBe(false)
    ;(await find('button', 'Filters')).click()
    await find('.filter-panel option', 'Elm, OR')
    type(await find('.filter-panel select'), 'Elm, OR')
    await find('.search-status', '5 parcels')
    expect(params()).toEqual({ land_use: 'farm', county: 'Elm', state: 'OR' })
    hasTwoCounties = false
  })

  test('in the table, the arrow keys choose no hit that is not shown, and Enter opens the first row', async () => {
    await open('/app/search?q=alder+holdings&types=parcels&view=table', { key: ADMIN_KEY })
    await find('.results-table tbody tr')
    const field = await find('[role=combobox]')
    press(field, 'ArrowDown')
    press(field, 'ArrowDown')
    const first = (await find('.results-table tbody th a')).textContent
    press(field, 'Enter')
    await find('h1', first)
    expect(field.hasAttribute('aria-activedescendant')).toBe(false)
  })

  test('if the table shows the parcels of an owner in rows of their own, the number of hits is not all it says', async () => {
    await open('/app/search?q=alder+holdings&types=parcels&view=table', { key: ADMIN_KEY })
    await find('.results-table tbody tr')
    const rows = elements('.results-table tbody tr').length
    expect(rows).toBeGreaterThan(1)
    // The service sends the best parcels of an owner.
    expect(rows).toBeLessThan(130)
    await find('.search-status', `1 hit, ${rows} of 130 rows shown`)
  })

  test('a table that is sorted before all hits are loaded says that only its rows are sorted', async () => {
    await open('/app/search?q=elm+st&group=none&view=table', { key: ADMIN_KEY })
    await find('.results-table tbody tr')
    ;(await find('.results-table th button', 'Assessed value')).click()
    await find('.search-status', ', sorted among these rows only')
    expect(params().sort).toBe('-assessed_value')
  })

  test('an order that only text searches have does not reach the list of parcels', async () => {
    await open('/app/search?source=elm&view=table&sort=owner', { key: ADMIN_KEY })
    await find('.results-table tbody tr')
    expect(elements('.results-table th[aria-sort]')).toHaveLength(0)
  })

  test('Back to a search restores the loaded hits and how far they were scrolled; a link to a page focuses it', async () => {
    await open('/app/search?q=elm+st&group=none', { key: ADMIN_KEY })
    ;(await find('button', 'Show more than 20')).click()
    await find('button', 'Show more than 70')
    const list = await find('[role=tree]')
    list.scrollTop = 900
    list.dispatchEvent(new Event('scroll'))
    elements('[role=treeitem]')[45]?.dispatchEvent(new Event('click', { bubbles: true }))
    const page = await find('main.page')
    await waitFor(() => document.activeElement === page)
    history.back()
    await find('[role=treeitem]')
    expect(elements('[role=treeitem]')).toHaveLength(70)
    expect((await find('[role=tree]')).scrollTop).toBe(900)
  })

  test('until the first hits arrive, the page says that it searches', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    answersTo.set('elm waiting', promise)
    await open('/app/search?q=elm+waiting', { key: ADMIN_KEY })
    await find('.search-results [role=status]', 'Searching…')
    resolve()
    await gone('.search-results [role=status]', 'Searching…')
    answersTo.clear()
  })

  test('the table is sorted by the service, and its columns can be chosen', async () => {
    await open('/app/search?source=elm&view=table', { key: ADMIN_KEY })
    await find('.results-table tbody tr')
    ;(await find('.results-table th button', 'Assessed value')).click()
    await waitFor(() => texts('.results-table tbody tr:first-child th')[0]?.startsWith('130 ELM ST') === true)
    expect(params().sort).toBe('-assessed_value')
    expect(elements('.results-table tbody tr')).toHaveLength(100)
    ;(await find<HTMLInputElement>('.columns-menu label:nth-of-type(5) input')).click()
    await gone('.results-table th', 'Acres')
    expect(params().columns).toBe('owner,city,value,use')
    // The menu covers a part of the table.
    const menu = await find<HTMLDetailsElement>('.columns-menu')
    menu.open = true
    press(await find('.columns-menu input'), 'Escape')
    expect([menu.open, document.activeElement?.tagName]).toEqual([false, 'SUMMARY'])
  })
})
