import { expect, test } from 'bun:test'
import type { MultiPolygon, Position } from 'geojson'
import type { Bbox } from '../../core/geometry/bbox'
import { LISTED_PARCELS } from '../../core/parcels/filter'
import type { Db } from '../../core/postgres/database'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { listFeatures } from '../../drizzle/queries/parcels/list-features'
import { listFoundParcels } from '../../drizzle/queries/parcels/list-parcels'
import { countParcels } from '../../src/parcels/count-parcels'
import { findParcelsInArea } from '../../src/parcels/parcels-in-area'
import { createTestDatabase } from '../support/servers'

/*
 * PostgreSQL's planner expects every box to hold 0.5% of the parcels (`areasel` in src/backend/utils/adt/geo_selfuncs.c). With tens of
 * millions of parcels it then prefers to walk through their ids until a page is full, which reads most of a large table.
 */

const { sql } = await createTestDatabase()
await seedSampleCounty(sql, { parcels: 2_000, entities: 0, onProgress: () => {} })
await sql`vacuum analyze parcels`
const [corner] = await sql<{ west: number; south: number }[]>`
  select (bbox[1])[0] as west, (bbox[1])[1] as south from parcels where bbox is not null order by id desc limit 1`
const { west, south } = corner ?? { west: 0, south: 0 }
const box: Bbox = [west, south, west + 0.02, south + 0.02]

/** How many ids `read` walks through if the planner believes that there are 150 million parcels. */
const countWalkedIds = async (read: (db: Db) => Promise<unknown>): Promise<number> => {
  let walked = Number.NaN
  const undo = new Error('undo')
  await sql
    .begin(async (transaction) => {
      await transaction`update pg_class set reltuples = 1.5e8 where oid = 'parcels'::regclass`
      await read(transaction)
      const [row] = await transaction<{ count: number }[]>`
        select pg_stat_get_xact_tuples_returned('parcels_pkey'::regclass)::int as count`
      walked = row?.count ?? Number.NaN
      throw undo
    })
    .catch((error) => {
      if (error !== undo) throw error
    })
  return walked
}

const LIMIT = 10
const filter = { ...LISTED_PARCELS, bbox: box }

test('a box is found by the index of boxes, however many parcels there are', async () => {
  const list = { filter, fields: [], withGeometry: false, order: 'id', after: null } as const
  expect(await countWalkedIds((db) => listFoundParcels(db, list, LIMIT))).toBeLessThanOrEqual(LIMIT)
})

test('so are the features of a box', async () => {
  const features = { source: null, boxes: [box], condition: null, asOf: null }
  expect(await countWalkedIds((db) => listFeatures(db, features, { after: null, limit: LIMIT }))).toBeLessThanOrEqual(
    2 * LIMIT,
  )
})

/** A thin triangle along the diagonal of a box. */
const strip = (west: number, south: number, east: number, north: number): Position[] => [
  [west, south],
  [west + 0.0001, south],
  [east, north],
  [west, south],
]

test('a page of an area ends after 50,000 parcels beside it, and the next one goes on', async () => {
  // A dense block in the only box of the area, but not in the area.
  await sql.begin(async (transaction) => {
    // Without triggers, because the log of changes takes ten times as long as the parcels.
    await transaction`set local session_replication_role = replica`
    await transaction`
      insert into parcels (source, source_parcel_id, lon, lat, bbox)
      select 'sample-county', id, lon, lat, box_at(lon, lat)
      from (select 'block-' || n, -100.001, 40.009 from generate_series(1, 65000) n union all select 'last', -100.01, 40) place (id, lon, lat)`
  })
  const area: MultiPolygon = { type: 'MultiPolygon', coordinates: [[strip(-100.01, 40, -100, 40.01)]] }
  const wanted = {
    area,
    relation: 'intersects',
    filter: LISTED_PARCELS,
    order: 'id',
    fields: [],
    geometry: 'none',
    limit: 5,
  } as const
  const first = await findParcelsInArea(sql, { ...wanted, after: null })
  expect([first.parcels, typeof first.next]).toEqual([[], 'string'])
  const second = await findParcelsInArea(sql, { ...wanted, after: { id: first.next ?? '' } })
  expect(second.parcels.map(({ body }) => JSON.parse(body).source_parcel_id)).toEqual(['last'])
  expect(second.next).toBeNull()
})

test('a caller that leaves is not searched for any longer', async () => {
  const area: MultiPolygon = { type: 'MultiPolygon', coordinates: [[strip(-100.01, 40, -100, 40.01)]] }
  const counting = countParcels(
    sql,
    { filter: LISTED_PARCELS, place: { area, relation: 'intersects' }, how: 'exact' },
    AbortSignal.abort(),
  )
  await expect(counting).rejects.toMatchObject({ code: 'caller_gone' })
})
