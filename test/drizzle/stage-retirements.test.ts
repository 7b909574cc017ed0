import { afterAll, expect, test } from 'bun:test'
import { connectDatabase } from '../../core/postgres/database'
import { stageRetirements } from '../../drizzle/queries/loads/judge-load'
import { createTestDatabase } from '../support/servers'
import { countRowsProcessed } from './rows-read'

const { url } = await createTestDatabase()
const sql = connectDatabase(url, { max: 1 })
afterAll(() => sql.end())

/** Adds a source with `parcels` parcels, and a complete load that does not list the first of them. Returns the load. */
const insertLoad = async (source: string, parcels: number) => {
  const load = { id: Bun.randomUUIDv7(), source }
  await sql`insert into sources (source, state, county_name, vendor, base_url)
    values (${source}, 'OR', 'Elm', 'arcgis-rest', 'https://elm.example')`
  await sql`insert into parcels (source, source_parcel_id) select ${source}, 'P' || n from generate_series(1, ${parcels}::int) n`
  await sql`insert into loads (id, source, kind, is_complete) values (${load.id}, ${source}, 'ingest', true)`
  await sql`insert into load_batches (load_id, number, ids)
    select ${load.id}, n / 1000, array_agg('P' || n) from generate_series(2, ${parcels}::int) n group by n / 1000`
  return load
}

test('finding the parcels that a load does not list takes linear time, even if the planner wants nested loops', async () => {
  // With outdated statistics, the planner chooses a nested loop for any join.
  await sql`set enable_hashjoin = off`
  await sql`set enable_mergejoin = off`
  const small = await insertLoad('small', 500)
  const large = await insertLoad('large', 4_000)
  const processed = [
    await countRowsProcessed(sql, stageRetirements(sql, small)),
    await countRowsProcessed(sql, stageRetirements(sql, large)),
  ] as const
  // Rows of both lists pass a few steps of the plan each. A nested loop over them would process 4,000 × 4,000 rows.
  expect(processed[0]).toBeLessThan(20 * 500)
  expect(processed[1]).toBeLessThan(20 * 4_000)
  const staged =
    await sql`select source, b.ids from load_batches b join loads l on l.id = load_id where retires order by source`
  expect(staged.map((batch) => ({ ...batch }))).toEqual([
    { source: 'large', ids: ['P1'] },
    { source: 'small', ids: ['P1'] },
  ])
})
