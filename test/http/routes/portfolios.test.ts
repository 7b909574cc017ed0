import { describe, expect, test } from 'bun:test'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { createTestApp, insertCounty } from '../test-app'

describe('portfolios', async () => {
  const { sql, call, signIn } = await createTestApp()
  await insertCounty(sql)
  await upsertParcels(sql, 'elm', [
    { sourceParcelId: 'A 1', ownerName: 'ADA ELM', situsAddress: '1 ELM ST', assessedValue: 1_000 },
    { sourceParcelId: 'A 2' },
  ])
  const { headers } = await signIn({ email: 'ada@elm.example' })
  const { headers: others } = await signIn({ email: 'ben@elm.example' })
  const as =
    (who: Record<string, string>) =>
    (path: string, options: object = {}) =>
      call(path, { key: null, headers: who, ...options })
  const ada = as(headers)
  const ben = as(others)
  interface Portfolio {
    id: string
    name: string
    parcel_count: number
    parcels: { source_parcel_id: string; note: string; tags: string[]; owner_name: string | null }[]
  }
  const add = async (name: string) =>
    (await ada('/v1/portfolios', { method: 'POST', body: { name } })).body as unknown as Portfolio

  test('a portfolio keeps parcels with notes and tags, and shows what their records say now', async () => {
    const { id, parcels } = await add(' Solar sites ')
    expect(parcels).toEqual([])
    const put = (body: object) => ada(`/v1/portfolios/${id}/parcels`, { method: 'POST', body })
    await put({ source: 'elm', source_parcel_id: 'A 2' })
    await put({ source: 'elm', source_parcel_id: 'A 1', note: 'sunny', tags: ['called', ' called ', 'flat'] })
    const { body } = await ada(`/v1/portfolios/${id}`)
    const portfolio = body as unknown as Portfolio
    expect([portfolio.name, portfolio.parcel_count]).toEqual(['Solar sites', 2])
    expect(portfolio.parcels[0]).toMatchObject({
      ...{ source: 'elm', source_parcel_id: 'A 1', note: 'sunny', tags: ['called', 'flat'], owner_name: 'ADA ELM' },
      ...{ state: 'OR', county_name: 'Elm', situs_address: '1 ELM ST', assessed_value: 1_000, center: null },
    })
    // Again: the note and the tags are replaced.
    const again = (await put({ source: 'elm', source_parcel_id: 'A 1', note: 'sold' })).body as unknown as Portfolio
    expect(again.parcels.find((one) => one.source_parcel_id === 'A 1')).toMatchObject({ note: 'sold', tags: [] })
    const removed = await ada(`/v1/portfolios/${id}/parcels/elm/A%201`, { method: 'DELETE', body: {} })
    expect((removed.body as unknown as Portfolio).parcel_count).toBe(1)
    expect((await ada(`/v1/portfolios/${id}/parcels/elm/A%201`, { method: 'DELETE', body: {} })).status).toBe(404)
  })

  test('a portfolio can be renamed and deleted', async () => {
    const { id } = await add('First')
    const renamed = await ada(`/v1/portfolios/${id}`, { method: 'PATCH', body: { name: 'Second' } })
    expect((renamed.body as unknown as Portfolio).name).toBe('Second')
    expect((await ada(`/v1/portfolios/${id}`, { method: 'DELETE', body: {} })).status).toBe(200)
    expect((await ada(`/v1/portfolios/${id}`)).status).toBe(404)
  })

  test('other accounts cannot read or change a portfolio', async () => {
    const { id } = await add('Mine')
    const parcel = { source: 'elm', source_parcel_id: 'A 1' }
    expect((await ben('/v1/portfolios')).body).toMatchObject({ count: 0, portfolios: [] })
    expect((await ben(`/v1/portfolios/${id}`)).status).toBe(404)
    expect((await ben(`/v1/portfolios/${id}`, { method: 'PATCH', body: { name: 'x' } })).status).toBe(404)
    expect((await ben(`/v1/portfolios/${id}`, { method: 'DELETE', body: {} })).status).toBe(404)
    expect((await ben(`/v1/portfolios/${id}/parcels`, { method: 'POST', body: parcel })).status).toBe(404)
    expect((await ada(`/v1/portfolios/${id}`)).body).toMatchObject({ name: 'Mine', parcel_count: 0 })
  })

  test('a name without a letter, a parcel that does not exist and an invalid id are refused', async () => {
    const { id } = await add('Some')
    expect((await ada('/v1/portfolios', { method: 'POST', body: { name: '  ' } })).status).toBe(400)
    const unknown = { source: 'elm', source_parcel_id: 'none' }
    expect((await ada(`/v1/portfolios/${id}/parcels`, { method: 'POST', body: unknown })).status).toBe(404)
    expect((await ada('/v1/portfolios/none')).status).toBe(404)
    expect((await ada('/v1/portfolios?after=none')).status).toBe(400)
  })

  test('a search is saved for everybody in the account, and deleted', async () => {
    const body = { name: 'Alder', query: 'q=alder&state=OR' }
    const { status, body: saved } = await ada('/v1/saved-searches', { method: 'POST', body })
    expect([status, saved]).toMatchObject([201, body])
    expect((await ada('/v1/saved-searches')).body).toMatchObject({ count: 1, searches: [body], next: null })
    expect((await ben('/v1/saved-searches')).body).toMatchObject({ count: 0 })
    const { id } = saved as unknown as { id: string }
    expect((await ben(`/v1/saved-searches/${id}`, { method: 'DELETE', body: {} })).status).toBe(404)
    expect((await ada(`/v1/saved-searches/${id}`, { method: 'DELETE', body: {} })).status).toBe(200)
    expect((await ada('/v1/saved-searches')).body).toMatchObject({ count: 0 })
  })
})
