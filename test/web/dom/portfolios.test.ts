import { describe, expect, test } from 'bun:test'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { createSearch } from '../../../search/search'
import { createTestApp, insertCounty } from '../../http/test-app'
import { PATIENT } from '../../search/patient'
import { waitFor } from '../../support/servers'
import { useAppInDom } from './open-app'

describe('portfolios and saved searches', async () => {
  const { app, sql, call, signIn, useSearch } = await createTestApp()
  const { open, find, gone, texts, type, elements, requests } = useAppInDom(app.handle)
  await insertCounty(sql)
  await upsertParcels(sql, 'elm', [
    { sourceParcelId: '1', ownerName: 'ADA ELM', situsAddress: '1 ELM ST' },
    { sourceParcelId: '2', situsAddress: '2 ELM ST' },
  ])
  useSearch(createSearch({ sql, meili: null, limits: PATIENT }))
  const { cookie } = await signIn()
  const submit = async () => (await find('dialog button[type=submit]')).click()

  test('a parcel is saved with a note and tags, and the portfolio is found under Saved', async () => {
    await open('/app/parcels/elm/1', { cookie })
    ;(await find('.actions button', 'Save')).click()
    type(await find('dialog .field input'), 'Solar sites')
    type(await find('dialog textarea'), 'sunny')
    type(elements('dialog .field input')[1] as Element, 'called, flat, called')
    await submit()
    await find('dialog .notice', 'Saved in Solar sites')
    await open('/app/portfolios', { cookie })
    ;(await find('a', 'Solar sites')).click()
    await find('tbody tr', '1 ELM ST')
    expect(texts('.tags .badge')).toEqual(['called', 'flat'])
    await find('tbody tr', 'sunny')
  })

  test('the focus of a dialog starts in its first field, also if that is loaded after the dialog opens', async () => {
    await open('/app/parcels/elm/1', { cookie })
    ;(await find('.actions button', 'Save')).click()
    const first = await find('dialog select')
    await waitFor(() => document.activeElement === first)
  })

  test('a parcel whose tags are refused leaves one new portfolio, also after the next attempt', async () => {
    await open('/app/parcels/elm/1', { cookie })
    ;(await find('.actions button', 'Save')).click()
    await find('dialog option', 'Solar sites')
    type(await find('dialog select'), '')
    type(await find('dialog input[required]'), 'Refused once')
    type(elements('dialog .field input')[1] as Element, 'x'.repeat(101))
    await submit()
    await find('dialog .notice.bad', 'tags[0] must be')
    type(elements('dialog .field input').at(-1) as Element, 'short')
    await submit()
    await find('dialog .notice', 'Saved in Refused once')
    expect(await sql`delete from portfolios where name = 'Refused once' returning id`).toHaveLength(1)
  })

  test('a double click adds one portfolio', async () => {
    await open('/app/portfolios', { cookie })
    type(await find('input'), 'Clicked twice')
    const add = await find<HTMLButtonElement>('button[type=submit]', 'Add')
    add.click()
    // No timer can fire between the clicks.
    for (let turn = 0; turn < 100; turn++) await Promise.resolve()
    add.click()
    await find('main h1', 'Clicked twice')
    expect(requests.filter((request) => request === 'POST /v1/portfolios')).toHaveLength(1)
    await sql`delete from portfolios where name = 'Clicked twice'`
  })

  test('a note is changed, tags select parcels, and a parcel is removed', async () => {
    const [{ id } = { id: '' }] = await sql<{ id: string }[]>`select id from portfolios`
    await sql`insert into portfolio_parcels (portfolio_id, source, source_parcel_id) values (${id}, 'elm', '2')`
    await open(`/app/portfolios/${id}`, { cookie })
    await waitFor(() => elements('tbody tr').length === 2)
    type(await find('.filters select'), 'flat')
    await waitFor(() => elements('tbody tr').length === 1)
    expect(location.search).toBe('?tag=flat')
    ;(await find('button[aria-label="Edit the note and tags of 1"]')).click()
    type(await find('dialog textarea'), 'sold')
    await submit()
    await gone('dialog')
    await find('tbody tr', 'sold')
    ;(await find('button[aria-label="Edit the note and tags of 1"]')).click()
    ;(await find('dialog button', 'Remove')).click()
    await gone('dialog')
    await waitFor(async () => (await sql`select from portfolio_parcels`).length === 1)
  })

  test('all parcels of a portfolio are watched, each once', async () => {
    const [{ id } = { id: '' }] = await sql<{ id: string }[]>`select id from portfolios`
    for (const added of ['1 watch added', 'All of its parcels have a watch already.']) {
      await open(`/app/portfolios/${id}`, { cookie })
      ;(await find('button:not([disabled])', 'Watch all')).click()
      await find('.notice', added)
    }
    expect((await sql`select source_parcel_id from watches`).map((row) => row.source_parcel_id)).toEqual(['2'])
  })

  test('watches of other people, and inactive ones, do not keep an admin from watching all parcels', async () => {
    const admin = await signIn({ email: 'ada@larkspur.example', role: 'admin' })
    const send = async (path: string, method: string, body?: object) =>
      (await call(path, { method, body, key: null, headers: admin.headers })).body
    const { id } = await send('/v1/portfolios', 'POST', { name: 'Elms' })
    await send(`/v1/portfolios/${id}/parcels`, 'POST', { source: 'elm', source_parcel_id: '2' })
    const watch = await send('/v1/watches', 'POST', { kind: 'parcel', source: 'elm', source_parcel_id: '2' })
    await send(`/v1/watches/${watch.id}`, 'PATCH', { active: false })
    await open(`/app/portfolios/${id}`, admin)
    ;(await find('button:not([disabled])', 'Watch all')).click()
    await find('.notice', '1 watch added')
    // The other one is of the test before.
    expect((await send('/v1/watches', 'GET')).count).toBe(3)
    expect((await send('/v1/watches?mine=true', 'GET')).count).toBe(2)
  })

  test('a search is saved by its address, and opened again', async () => {
    await open('/app/search?q=elm+st&types=parcels', { cookie })
    await find('[role=treeitem]')
    ;(await find('button', 'Save this search')).click()
    type(await find('dialog .field input'), 'Elm Street')
    await submit()
    await find('dialog .notice', 'Saved.')
    await open('/app/portfolios', { cookie })
    expect((await find('a', 'Elm Street')).getAttribute('href')).toBe('/app/search?q=elm+st&types=parcels')
    ;(await find('button[aria-label="Delete the search Elm Street"]')).click()
    await find('.empty', 'No searches yet.')
  })
})
