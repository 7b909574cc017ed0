import { expect, test } from 'bun:test'
import { upsertEntities } from '../../../drizzle/queries/entities/upsert-entities'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { createTestApp, insertCounty } from '../test-app'

const { sql, call } = await createTestApp()
await insertCounty(sql)
await upsertParcels(sql, 'elm', [
  { sourceParcelId: '1', ownerName: 'ALDER HOLDINGS, L.L.C.' },
  { sourceParcelId: '2', ownerName: 'ALDER HOLDING CO' },
])
await upsertEntities(sql, 'OR', [{ registryNumber: '7', name: 'ALDER HOLDINGS LLC', status: 'Active' }])
const [{ id } = { id: '' }] = await sql<{ id: string }[]>`select id from entities`

test('200: what the registry says, and how many parcels have its name as their owner', async () => {
  expect(await call(`/v1/entities/${id}`)).toMatchObject({
    status: 200,
    body: {
      id,
      jurisdiction: 'OR',
      registry_number: '7',
      name: 'ALDER HOLDINGS LLC',
      entity_type: null,
      status: 'Active',
      registered_agent_name: null,
      linked_parcel_count: 1,
      updated_at: expect.stringMatching(/Z$/),
    },
  })
})

test('its parcels are those of the owner with its name, in any usual spelling, and no others', async () => {
  const { body } = await call(`/v1/parcels?owner=${encodeURIComponent('ALDER HOLDINGS LLC')}`)
  expect((body as { parcels: { source_parcel_id: string }[] }).parcels.map((one) => one.source_parcel_id)).toEqual([
    '1',
  ])
})

test('200: the entities with the name of an owner, in any usual spelling, of all states', async () => {
  await upsertEntities(sql, 'WA', [{ registryNumber: '9', name: 'Alder Holdings, L.L.C.' }])
  const named = async (name: string) => {
    const { status, body } = await call(`/v1/entities?name=${encodeURIComponent(name)}`)
    expect(status).toBe(200)
    return (body.entities as { jurisdiction: string; registry_number: string }[]).map(
      (one) => `${one.jurisdiction} ${one.registry_number}`,
    )
  }
  expect(await named('alder holdings llc')).toEqual(['OR 7', 'WA 9'])
  for (const other of ['ALDER HOLDING', 'nobody', '--']) expect(await named(other)).toEqual([])
  expect(await call('/v1/entities')).toMatchObject({ status: 400, body: { error: expect.stringContaining('name') } })
})

test('200: the entities with a name, whether it is typed in NFC or NFD', async () => {
  await upsertEntities(sql, 'WA', [
    { registryNumber: '10', name: 'Peña Orchards Inc'.normalize('NFC') },
    { registryNumber: '11', name: 'Peña Orchards Inc'.normalize('NFD') },
  ])
  for (const form of ['NFC', 'NFD'])
    expect(await call(`/v1/entities?name=${encodeURIComponent('peña orchards inc'.normalize(form))}`)).toMatchObject({
      body: { entities: [{ registry_number: '10' }, { registry_number: '11' }] },
    })
})

test('404: an unknown entity, and an id that is not a UUID', async () => {
  for (const unknown of ['00000000-0000-7000-8000-000000000009', 'x'])
    expect(await call(`/v1/entities/${unknown}`)).toMatchObject({ status: 404, body: { error: 'not found' } })
})
