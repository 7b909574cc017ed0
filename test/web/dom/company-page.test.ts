import { describe, expect, test } from 'bun:test'
import { upsertEntities } from '../../../drizzle/queries/entities/upsert-entities'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { createSearch } from '../../../search/search'
import { ADMIN_KEY, createTestApp, insertCounty } from '../../http/test-app'
import { PATIENT } from '../../search/patient'
import { useAppInDom } from './open-app'

describe('the page of a company', async () => {
  const { app, sql, useSearch } = await createTestApp()
  const { open, find, elements, texts } = useAppInDom(app.handle)
  await insertCounty(sql)
  const rows = Array.from({ length: 101 }, (_, n) => ({
    sourceParcelId: `${n}`.padStart(3, '0'),
    ownerName: 'ALDER HOLDINGS LLC',
    situsAddress: `${n} ELM ST`,
    assessedValue: 1_000 + n,
  }))
  await upsertParcels(sql, 'elm', [...rows, { sourceParcelId: 'other', ownerName: 'ALDER HOLDING CO' }])
  await upsertEntities(sql, 'OR', [
    {
      registryNumber: '7',
      name: 'ALDER HOLDINGS LLC',
      entityType: 'Limited liability company',
      status: 'Active',
      registeredAgentName: 'ADA ELM',
    },
    { registryNumber: '8', name: 'LANDLESS LLC' },
  ])
  useSearch(createSearch({ sql, meili: null, limits: PATIENT }))
  const idOf = async (number: string) => {
    const [row] = await sql<{ id: string }[]>`select id from entities where registry_number = ${number}`
    return row?.id ?? ''
  }

  test('it shows what the registry says and all its parcels, and nobody else’s', async () => {
    await open(`/app/companies/${await idOf('7')}`, { key: ADMIN_KEY })
    await find('h1', 'ALDER HOLDINGS LLC')
    await find('.facts', 'ADA ELM')
    await find('tbody tr', '0 ELM ST')
    expect(elements('tbody tr')).toHaveLength(100)
    await find('span', '100 of 101 shown')
    ;(await find('button', 'Show more')).click()
    await find('tbody tr', '100 ELM ST')
    expect(elements('tbody tr')).toHaveLength(101)
    expect(texts('tbody tr').join('\n')).not.toContain('HOLDING CO')
  })

  test('its parcels are sorted by the service, so that the first row is the highest of all, not of those that are loaded', async () => {
    await open(`/app/companies/${await idOf('7')}`, { key: ADMIN_KEY })
    await find('tbody tr', '0 ELM ST')
    expect(texts('tbody tr').join('\n')).not.toContain('100 ELM ST')
    ;(await find('thead button', 'Assessed value')).click()
    await find('tbody tr:first-child', '100 ELM ST')
    expect(new URL(location.href).searchParams.get('sort')).toBe('-assessed_value')
  })

  test('a company that does not exist is not found, in words', async () => {
    await open('/app/companies/00000000-0000-7000-8000-000000000000', { key: ADMIN_KEY })
    await find('.notice', 'Not found: the company. Check the URL for a typo.')
  })

  test('a company without land has no parcels, and a separate link searches for similar names', async () => {
    await open(`/app/companies/${await idOf('8')}`, { key: ADMIN_KEY })
    await find('.empty', 'No parcel has an owner with this name.')
    const search = await find('a', 'similar name')
    expect(search.getAttribute('href')).toBe('/app/search?q=LANDLESS%20LLC&types=parcels')
  })

  test('companies of one name differ in the first words of their hits, which a phone does not cut off', async () => {
    await open('/app/search?q=alder+holdings&types=entities', { key: ADMIN_KEY })
    expect((await find('[role=treeitem] .hit-place', '7')).textContent).toBe(
      'OR 7 · Active · Limited liability company',
    )
  })
})
