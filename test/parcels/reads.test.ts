import { afterAll, expect, test } from 'bun:test'
import { LISTED_PARCELS } from '../../core/parcels/filter'
import { connectDatabase } from '../../core/postgres/database'
import { listFoundParcels, type ParcelList } from '../../drizzle/queries/parcels/list-parcels'
import { findParcelJson } from '../../drizzle/queries/parcels/parcels'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { readParcel } from '../../src/parcels/read-parcel'
import { insertCounty } from '../http/test-app'
import { createTestDatabase } from '../support/servers'

const { url } = await createTestDatabase()
// One session, so that it can count its own reads.
const sql = connectDatabase(url, { max: 1 })
afterAll(() => sql.end())
await insertCounty(sql)
const ODD_IDS = [`it's "one", \\two {3}`, '1/2', 'é 🏠', 'null']
await upsertParcels(sql, 'elm', [
  ...ODD_IDS.map((sourceParcelId) => ({ sourceParcelId, ownerName: `Owner of ${sourceParcelId}` })),
  ...Array.from({ length: 1_000 }, (_, index) => ({ sourceParcelId: String(index), lon: -123, lat: 44 })),
])
await sql`update parcels set retired_at = now() where source_parcel_id = '1/2'`
await sql`
  insert into parcel_links (predecessor, successor, kind, load_id)
  select was.id, is_.id, 'split', uuidv7() from parcels was, parcels is_
  where was.source_parcel_id = '1/2' and is_.source_parcel_id in ('1', '2')`
await sql`analyze parcels`

/** How often `parcels` was read as a whole. */
const countWholeReads = async (): Promise<number> => {
  await sql`select pg_stat_force_next_flush()`
  const [row] = await sql<{ count: number }[]>`
    select seq_scan::int as count from pg_stat_user_tables where relname = 'parcels'`
  if (row === undefined) throw new Error('no statistics of parcels')
  return row.count
}

test('parcels that are read together are the same as when read alone, also unknown and repeated ones', async () => {
  const ids = [...ODD_IDS, 'none', '1', '2', '1', ...Array.from({ length: 20 }, (_, index) => String(index))]
  const keys = [...ids.map((id) => ({ source: 'elm', id })), { source: 'elm/1', id: '2' }, { source: 'none', id: '1' }]
  const together = await Promise.all(keys.map((key) => readParcel(sql, key)))
  for (const [index, key] of keys.entries()) expect(together[index]).toBe((await findParcelJson(sql, key)) as string)
  expect(together.filter((body) => body === null)).toHaveLength(3)
})

test('reading parcels together does not read the whole table', async () => {
  const before = await countWholeReads()
  for (let round = 0; round < 8; round++) {
    await Promise.all(['1', '2', '3'].map((id) => readParcel(sql, { source: 'elm', id })))
  }
  expect(await countWholeReads()).toBe(before)
})

test('the rows of a box are looked up together: the index of their ids is not searched for each', async () => {
  const countSearches = async (): Promise<number> => {
    await sql`select pg_stat_force_next_flush()`
    const [row] = await sql<{ count: number }[]>`
      select idx_scan::int as count from pg_stat_user_indexes where indexrelname = 'parcels_pkey'`
    if (row === undefined) throw new Error('no statistics of the index')
    return row.count
  }
  const list: ParcelList = {
    ...{ fields: [], withGeometry: false, order: 'id', after: null },
    filter: { ...LISTED_PARCELS, bbox: [-124, 43, -122, 45] },
  }
  const before = await countSearches()
  expect((await listFoundParcels(sql, list, 500)).count).toBe(500)
  expect((await countSearches()) - before).toBeLessThan(50)
})
