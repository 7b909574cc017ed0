import type { Sql } from '../../core/postgres/database'
import { upsertEntities } from '../../drizzle/queries/entities/upsert-entities'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import type { UpsertCounts } from '../../drizzle/records'
import { SAMPLE_JURISDICTION, SAMPLE_SOURCE, sampleEntities, sampleParcels } from './county'

const SET_SIZE = 2_000
/** Sets of rows in flight. 100,000 parcels on 2 cores took 13.5 s with one, 8.2 s with two, 7.4 s with three (2026-11-21). */
const CONNECTIONS = 2

/** Whether the county has at least this many parcels, listed or retired. Parcels are stored last, so then it has the companies, too. */
export const hasSampleCounty = async (sql: Sql, parcels: number): Promise<boolean> => {
  const [row] = await sql<{ has: boolean }[]>`
    select count(*) = ${parcels} as has from (select from parcels where source = ${SAMPLE_SOURCE.source} limit ${parcels}) p`
  return row?.has ?? false
}

/**
 * Loads the invented county into the database: its source, companies, parcels. Rows that already exist unchanged are not
 * written. `onProgress` receives the number of parcels stored so far.
 */
export const seedSampleCounty = async (
  sql: Sql,
  { parcels, entities, onProgress }: { parcels: number; entities: number; onProgress?: (done: number) => void },
): Promise<{ parcels: UpsertCounts; entities: UpsertCounts }> => {
  await sql.begin(async (tx) => {
    // Its portal is the `fixture` vendor's, on this machine, so it can take many requests.
    await tx`
      insert into vendor_concurrency (vendor, min_concurrency, max_concurrency, target_concurrency, slow_threshold_ms, fast_threshold_ms)
      values (${SAMPLE_SOURCE.vendor}, 1, 16, 4, 8000, 2000) on conflict do nothing`
    await tx`insert into sources ${tx(SAMPLE_SOURCE)} on conflict do nothing`
    await tx`
      insert into source_refresh_policies (source, cadence, next_due_at)
      values (${SAMPLE_SOURCE.source}, 'annual', now() + interval '1 year') on conflict do nothing`
  })
  return {
    entities: await storeSets(sampleEntities({ entities }), (rows) => upsertEntities(sql, SAMPLE_JURISDICTION, rows)),
    parcels: await storeSets(
      sampleParcels({ parcels }),
      (rows) => upsertParcels(sql, SAMPLE_SOURCE.source, rows, { cause: 'ingest', id: null }),
      onProgress,
    ),
  }
}

/** Each connection takes the next set from the shared generator when it has stored its last one. */
const storeSets = async <Row>(
  rows: Iterator<Row>,
  store: (set: Row[]) => Promise<UpsertCounts>,
  onProgress: (done: number) => void = () => {},
): Promise<UpsertCounts> => {
  const total: UpsertCounts = { inserted: 0, updated: 0, unchanged: 0 }
  const work = async () => {
    for (let set = takeSet(rows); set.length > 0; set = takeSet(rows)) {
      const { inserted, updated, unchanged } = await store(set)
      total.inserted += inserted
      total.updated += updated
      total.unchanged += unchanged
      onProgress(total.inserted + total.updated + total.unchanged)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  return total
}

const takeSet = <Row>(rows: Iterator<Row>): Row[] => {
  const set: Row[] = []
  while (set.length < SET_SIZE) {
    const { done, value } = rows.next()
    if (done) break
    set.push(value)
  }
  return set
}
