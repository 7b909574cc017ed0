import { expect, test } from 'bun:test'
import { LISTED_PARCELS } from '../../core/parcels/filter'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { listOwnerMembers } from '../../drizzle/queries/search/search-owner-members'
import { insertCounty } from '../http/test-app'
import { createTestDatabase } from '../support/servers'
import { countRowsRead } from './rows-read'

const { sql } = await createTestDatabase()
await insertCounty(sql, 'elm')
await upsertParcels(sql, 'elm', [
  { sourceParcelId: '1', ownerName: 'ADA  ELM' },
  { sourceParcelId: '2', ownerName: 'Ada Elm' },
  { sourceParcelId: '3', ownerName: 'BO ASH' },
  { sourceParcelId: '4', ownerName: 'LLC' },
  { sourceParcelId: '5' },
])

test('an owner’s parcels are those with the same name, apart from case and runs of spaces', async () => {
  const members = await listOwnerMembers(sql, ['ADA ELM', 'LLC'], LISTED_PARCELS, 10)
  expect(members.map(({ ownerName, memberCount }) => [ownerName, memberCount])).toEqual([
    ['ADA ELM', 2],
    ['LLC', 1],
  ])
})

test('an index finds the parcels of owners: none of the other 3,000 parcels is read, whatever the names are', async () => {
  await insertCounty(sql, 'large')
  await sql`
    insert into parcels (source, source_parcel_id, owner_name)
    select 'large', n, 'OWNER ' || n || ' OF MANY' from generate_series(1, 3000) n`
  await sql`analyze parcels`
  const names = ['Ada Elm', 'BO ASH', 'LLC', 'OWNER 17 OF MANY', 'NOBODY']
  expect(await countRowsRead(sql, listOwnerMembers(sql, names, LISTED_PARCELS, 10), 'parcels')).toBe(5)
})
