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

const boxed = (id: string, west: number, east: number) => ({
  ...{ sourceParcelId: id, ownerName: 'ISLAND TRUST' },
  bbox: [west, 51, east, 52] as [number, number, number, number],
  geom: { type: 'MultiPolygon' as const, coordinates: [[rectangle(west, east)]] },
})
const rectangle = (west: number, east: number) => [
  ...[
    [west, 51],
    [east, 51],
    [east, 52],
    [west, 52],
  ],
  [west, 51],
]

test('the box of an owner with parcels on both sides of the antimeridian crosses it', async () => {
  const boxOf = async () => (await listOwnerMembers(sql, ['ISLAND TRUST'], LISTED_PARCELS, 10))[0]?.bbox
  await upsertParcels(sql, 'elm', [boxed('east', 179.5, 179.75)])
  expect(await boxOf()).toEqual([179.5, 51, 179.75, 52])
  await upsertParcels(sql, 'elm', [boxed('west', -179.75, -179.5)])
  expect(await boxOf()).toEqual([179.5, 51, -179.5, 52])
  await upsertParcels(sql, 'elm', [boxed('far', -122.5, -122.25)])
  expect(await boxOf()).toEqual([179.5, 51, -122.25, 52])
  await upsertParcels(sql, 'elm', [boxed('both', -179.9, 179.9)])
  expect(await boxOf()).toEqual([-179.9, 51, 179.9, 52])
})

test('the center of a parcel on both sides of the antimeridian is there, and not at longitude 0', async () => {
  const [owner] = await listOwnerMembers(sql, ['ISLAND TRUST'], LISTED_PARCELS, 10)
  const centers = owner?.parcels.map(({ sourceParcelId, lon, lat }) => [sourceParcelId, lon, lat])
  expect(centers).toEqual([
    ['both', -180, 51.5],
    ['east', 179.625, 51.5],
    ['far', -122.375, 51.5],
    ['west', -179.625, 51.5],
  ])
})
