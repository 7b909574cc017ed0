import { expect, test } from 'bun:test'
import { listOwnerMembers } from '../../drizzle/queries/search-owner-members'
import { upsertParcels } from '../../drizzle/queries/upsert-parcels'
import { insertCounty } from '../http/test-app'
import { createTestDatabase } from '../servers'

const { sql } = await createTestDatabase()
await insertCounty(sql, 'elm')
await upsertParcels(sql, 'elm', [
  { sourceParcelId: '1', ownerName: 'ADA  ELM' },
  { sourceParcelId: '2', ownerName: 'Ada Elm' },
  { sourceParcelId: '3', ownerName: 'BO ASH' },
  { sourceParcelId: '4', ownerName: 'LLC' },
  { sourceParcelId: '5' },
])
const EVERYWHERE = { state: null, source: null, zoning: null }

test('parcels of an owner are those whose names differ in case and runs of space at most', async () => {
  const members = await listOwnerMembers(sql, ['ADA ELM', 'LLC'], EVERYWHERE, 10)
  expect(members.map(({ ownerName, memberCount }) => [ownerName, memberCount])).toEqual([
    ['ADA ELM', 2],
    ['LLC', 1],
  ])
})
