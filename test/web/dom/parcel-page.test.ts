import { describe, expect, test } from 'bun:test'
import { upsertEntities } from '../../../drizzle/queries/entities/upsert-entities'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { ADMIN_KEY, createTestApp, insertCounty } from '../../http/test-app'
import { useAppInDom } from './open-app'

describe('the page of a parcel', async () => {
  const { app, sql, signIn } = await createTestApp()
  const { open, find, elements, texts } = useAppInDom(app.handle)
  await insertCounty(sql)
  await sql`
    insert into sources (source, state, county_name, vendor, base_url)
    values ('oak', 'MA', 'Oak', 'file', '')`
  await sql`insert into source_refresh_policies (source, next_due_at) values ('oak', '2099-01-01T00:00:00Z')`
  const load = { cause: 'ingest', id: '00000000-0000-7000-8000-000000000001' } as const
  for (const source of ['elm', 'oak'])
    await upsertParcels(sql, source, [{ sourceParcelId: 'A', ownerName: 'ADA ELM', situsAddress: '1 ELM ST' }], load)
  const account = (index: number, owner: string) => ({
    ...{ account_id: `R${index}`, unit: `${index}`, owner_name: owner, owner_mailing_address: null },
    ...{
      situs_address: null,
      land_use_class: null,
      assessed_value: 1000 + index,
      value_land: null,
      value_improvement: null,
    },
  })
  await upsertParcels(sql, 'oak', [
    {
      sourceParcelId: 'UNITS',
      situsAddress: '9 OAK ST',
      accounts: Array.from({ length: 25 }, (_, index) => account(index, `OWNER ${index}`)),
    },
  ])
  await upsertParcels(sql, 'oak', [
    { sourceParcelId: 'ONE', ownerName: 'BO ALDER' },
    { sourceParcelId: 'TWO', ownerName: 'BO ALDER', ownerNamesAll: ['BO ALDER', 'CY ALDER'] },
  ])
  await sql`
    update parcels set bbox = '(-71.9,42.1),(-72,42)',
      geom = '{"type":"MultiPolygon","coordinates":[[[[-72,42],[-71.9,42],[-71.9,42.1],[-72,42]]]]}'
    where source = 'oak' and source_parcel_id = 'A'`
  await sql`update parcels set scraped_at = now() where source = 'elm'`

  test('it names the county, links to its portal, and offers a scrape', async () => {
    await open('/app/parcels/elm/A', { key: ADMIN_KEY })
    await find('.scrape-now button', 'Scrape now')
    const link = await find('a', 'Portal')
    const [{ base_url, county_name, state } = {}] = await sql`select * from sources where source = 'elm'`
    expect(link.getAttribute('href')).toBe(base_url)
    expect(link.parentElement?.textContent).toContain(`${county_name}, ${state}`)
    await find('.empty', 'The review has no findings.')
  })

  test('a scrape that is requested after the session has ended says so', async () => {
    const { cookie } = await signIn({ role: 'admin' })
    await open('/app/parcels/elm/A', { cookie })
    const scrape = await find('.scrape-now button:not([disabled])', 'Scrape now')
    await sql`delete from sessions`
    scrape.click()
    await find('.scrape-now .notice', 'Your session has ended.')
  })

  test('a parcel of a file has no portal to scrape, and nothing on its page waits for a scrape', async () => {
    await open('/app/parcels/oak/A', { key: ADMIN_KEY })
    await find('.empty', 'Not reviewed: the review reads scrapes, and this source is loaded from files.')
    await find('.empty', 'Past values, bills and sales come from scrapes, and this source is loaded from files.')
    await find('dd', 'never: this source is loaded from files')
    await find('p', 'Oak, MA')
    expect(elements('.scrape-now')).toHaveLength(0)
    expect(texts('a')).not.toContain('Portal')
    expect(elements('main', 'first scrape')).toHaveLength(0)
  })

  test('a parcel that does not exist can be scraped, but not saved or watched', async () => {
    await open('/app/parcels/elm/nope', { key: ADMIN_KEY })
    await find('.notice', 'has no parcel nope')
    await find('.scrape-now button', 'Scrape now')
    expect(texts('.actions button')).toEqual(['Scrape now'])
  })

  test('accounts of a roll are shown in a table, the first 20 immediately and the others on request', async () => {
    await open('/app/parcels/oak/UNITS', { key: ADMIN_KEY })
    await find('.accounts tbody th', 'R0')
    expect(texts('.accounts tbody th')).toHaveLength(20)
    const button = await find('.accounts button', 'Show all 25')
    button.click()
    await find('.accounts td', 'OWNER 24')
    expect(texts('.accounts tbody th')).toHaveLength(25)
    await open('/app/parcels/oak/A', { key: ADMIN_KEY })
    await find('p', 'Oak, MA')
    expect(elements('.accounts')).toHaveLength(0)
  })

  test('accounts are sorted before the first 20 are chosen, and the URL has the order of each table', async () => {
    await open('/app/parcels/oak/UNITS', { key: ADMIN_KEY })
    ;(await find('.accounts thead button', 'Assessed value')).click()
    await find('.accounts tbody tr:first-child', 'OWNER 24')
    ;(await find('.provenance thead button', 'Since')).click()
    await find('.provenance th[aria-sort=ascending]', 'Since')
    expect(Object.fromEntries(new URL(location.href).searchParams)).toEqual({
      sort_accounts: '-assessed_value',
      sort_fields: 'since',
    })
    expect(texts('.accounts th[aria-sort]')[0]).toStartWith('Assessed value')
  })

  test('ten owners of a building are shown, and the others on request', async () => {
    const owners = Array.from({ length: 12 }, (_, index) => `OWNER ${index}`)
    await upsertParcels(sql, 'oak', [{ sourceParcelId: 'MANY', ownerName: 'OWNER 0', ownerNamesAll: owners }])
    await open('/app/parcels/oak/MANY', { key: ADMIN_KEY })
    await find('.facts', '10 of 12 shown')
    expect(texts('.facts .plain-list li')).toEqual(owners.slice(0, 10))
    ;(await find('button', 'Show all 12')).click()
    await find('.facts .plain-list li', 'OWNER 11')
  })

  test.each([
    ['12/34 #5?x=1&y', '/app/parcels/oak/12%2F34%20%235%3Fx%3D1%26y'],
    ['A%2FB', '/app/parcels/oak/A%252FB'],
  ])('a parcel with the id %s opens', async (id, path) => {
    await upsertParcels(sql, 'oak', [{ sourceParcelId: id, situsAddress: '7 OAK ST' }])
    await open(path, { key: ADMIN_KEY })
    await find('h1', '7 OAK ST')
    expect(texts('.lead .code')).toEqual([id])
  })

  test('a source that does not exist is named as the reason', async () => {
    await open('/app/parcels/nowhere/1', { key: ADMIN_KEY })
    await find('.notice', 'There is no source nowhere.')
    expect(elements('.notice', 'has no parcel')).toHaveLength(0)
  })

  test('fields have names in plain words, and say that they are from a file', async () => {
    await open('/app/parcels/oak/A', { key: ADMIN_KEY })
    await find('.provenance tbody th', 'Address')
    expect(texts('.provenance tbody th')).toEqual(expect.arrayContaining(['Owner', 'Address']))
    expect(texts('.provenance tbody .badge')).toContain('file')
    const row = elements('.provenance tbody tr').find((one) => one.querySelector('th')?.textContent === 'Boundary')
    expect(row?.querySelector('td')?.textContent).toBe('on the map')
  })

  test('it lists the documents of the sales, with links only to web addresses, and at most eight at first', async () => {
    const sales = Array.from({ length: 10 }, (_, n) => ({
      sold_on: `200${9 - n}-01-02`,
      document_number: `D-${9 - n}`,
    }))
    const [newest, second, ...others] = sales
    const url = 'https://recorder.oak.example/deeds/1204/88'
    const history = [
      { ...newest, deed_type: 'WARRANTY DEED', book: '1204', page: '88', document_url: url },
      { ...second, deed_type: 'QUIT CLAIM', document_url: 'javascript:alert(1)' },
      // Not recorded anywhere.
      { sold_on: '2008-01-01', price: 1 },
      ...others,
    ]
    const scrape = { parcel_number: 'A', fetched_at: '2026-01-02T03:04:05.678Z', sale_history: history }
    await sql`update parcels set scrape_data = ${JSON.stringify(scrape)}::text::jsonb where source = 'oak' and source_parcel_id = 'A'`
    await open('/app/parcels/oak/A', { key: ADMIN_KEY })
    const link = await find('a', 'WARRANTY DEED')
    expect(link.getAttribute('href')).toBe(url)
    expect(link.getAttribute('rel')).toBe('noreferrer')
    const list = link.closest('ul')
    expect(link.parentElement?.textContent).toContain('No. D-9 · Book 1204, page 88')
    expect(list?.querySelectorAll('a')).toHaveLength(1)
    expect(list?.querySelectorAll('li')).toHaveLength(8)
    ;(await find('button', 'Show all 10')).click()
    await find('li', 'No. D-0')
  })

  test('it lists the other land of the owner, in all counties, and links to all of it', async () => {
    await open('/app/parcels/elm/A', { key: ADMIN_KEY })
    const other = await find('.linked-rows a', '1 ELM ST')
    expect(other.getAttribute('href')).toBe('/app/parcels/oak/A')
    expect((await find('a', 'All 2 parcels of this owner')).getAttribute('href')).toBe('/app/search?owner=ADA%20ELM')
  })

  test('it links to the company with the name of the owner, and to no other', async () => {
    await upsertParcels(sql, 'oak', [{ sourceParcelId: 'FIRM', ownerName: 'ALDER HOLDINGS, L.L.C.' }])
    await upsertEntities(sql, 'OR', [
      { registryNumber: '7', name: 'ALDER HOLDINGS LLC', status: 'Active' },
      { registryNumber: '8', name: 'ALDER HOLDING CO' },
    ])
    await open('/app/parcels/oak/FIRM', { key: ADMIN_KEY })
    const link = await find('a', 'ALDER HOLDINGS LLC')
    expect(link.parentElement?.textContent).toBe('In the business registry: ALDER HOLDINGS LLC OR 7, active')
    expect(link.getAttribute('href')).toMatch(/^\/app\/companies\/[0-9a-f-]{36}$/)
    expect(elements('a', 'ALDER HOLDING CO')).toHaveLength(0)
  })

  test('of a parcel with several owners, it names the one whose land it lists', async () => {
    await open('/app/parcels/oak/TWO', { key: ADMIN_KEY })
    await find('a', 'All 2 parcels of BO ALDER')
  })
})
