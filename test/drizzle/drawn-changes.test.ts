import { expect, test } from 'bun:test'
import type { MultiPolygon } from 'geojson'
import type { Bbox } from '../../core/geometry/bbox'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { createSource } from '../../drizzle/queries/sources/create-source'
import { findDrawnChanges } from '../../drizzle/queries/tiles/published-tiles'
import type { ParcelInput } from '../../drizzle/records'
import { DEFAULT_TILE_OPTIONS } from '../../tiles-build/build'
import { createTestDatabase } from '../support/servers'

const { sql } = await createTestDatabase()
for (const source of ['elm', 'oak']) {
  await createSource(sql, { source, state: 'OR', countyName: source, baseUrl: 'https://example.invalid' })
}

const bbox: Bbox = [-120, 43, -119.9, 43.1]
const outline = (notch: number): MultiPolygon => ({
  type: 'MultiPolygon',
  coordinates: [
    [
      [
        [-120, 43],
        [-119.9, 43],
        [-119.9, 43.1],
        [-119.95, 43.1 - notch],
        [-120, 43.1],
        [-120, 43],
      ],
    ],
  ],
})
const lot = (sourceParcelId: string, rest: Partial<ParcelInput> = {}): ParcelInput => ({
  ...{ sourceParcelId, geom: outline(0.01), bbox, ownerName: 'ADA ELM', situsAddress: '1 Elm St', acreage: 2 },
  ...rest,
})
/** How many drawn changes `change` counts. */
const countOf = async (change: () => Promise<unknown>): Promise<number> => {
  const before = await findDrawnChanges(sql)
  await change()
  return (await findDrawnChanges(sql)) - before
}
await upsertParcels(sql, 'elm', [lot('first'), lot('second')])

test('each inserted, changed or deleted parcel counts once, in any number of statements', async () => {
  expect(await countOf(() => upsertParcels(sql, 'elm', [lot('1'), lot('2'), lot('3')]))).toBe(3)
  expect(
    await countOf(() => upsertParcels(sql, 'elm', [lot('1'), lot('2', { ownerName: 'BO BIRCH' }), lot('4')])),
  ).toBe(2)
  expect(await countOf(() => sql`delete from parcels where source_parcel_id in ('1', '2', '3', '4')`)).toBe(4)
})

test('a geometry that changes within the same box and acreage counts', async () => {
  expect(await countOf(() => upsertParcels(sql, 'elm', [lot('first', { geom: outline(0.02) })]))).toBe(1)
})

/** A change of every tile property. */
const CHANGES: Record<string, () => Promise<unknown>> = {
  source: () => sql`update parcels set source = 'oak' where source_parcel_id = 'first'`,
  source_parcel_id: () => sql`update parcels set source_parcel_id = 'renamed' where source_parcel_id = 'second'`,
  situs_address: () => sql`update parcels set situs_address = '2 Elm St' where source_parcel_id = 'first'`,
  owner_name: () => sql`update parcels set owner_name = null where source_parcel_id = 'first'`,
}
test.each(DEFAULT_TILE_OPTIONS.properties)('a change of %s, which tiles contain, counts', async (property) =>
  expect(await countOf(CHANGES[property] as () => Promise<unknown>)).toBe(1),
)

test('changes that tiles do not show do not count, and neither do parcels without geometry', async () => {
  expect(
    await countOf(
      () => sql`update parcels set acreage = 3, assessed_value = 4, zoning_code = 'R1', updated_at = now()`,
    ),
  ).toBe(0)
  expect(await countOf(() => upsertParcels(sql, 'elm', [{ sourceParcelId: 'bare', ownerName: 'ADA ELM' }]))).toBe(0)
  expect(await countOf(() => upsertParcels(sql, 'elm', [{ sourceParcelId: 'bare', ownerName: 'BO BIRCH' }]))).toBe(0)
  expect(await countOf(() => upsertParcels(sql, 'elm', [lot('bare', { ownerName: 'BO BIRCH' })]))).toBe(1)
  expect(await countOf(() => sql`update parcels set geom = null, bbox = null where source_parcel_id = 'bare'`)).toBe(1)
  expect(await countOf(() => sql`delete from parcels where source_parcel_id = 'bare'`)).toBe(0)
})

test('the trigger uses a hash join, because a plan cached for no rows would compare each row with every other', async () => {
  const [row] = await sql`select proconfig from pg_proc where proname = 'parcels_drawn_updated'`
  expect(row?.proconfig).toContain('enable_nestloop=off')
})
