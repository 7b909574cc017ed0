import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VENDORS } from '../../../adapters/registry'
import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { findSampleParcel, SAMPLE_SOURCE, sampleEntities, sampleParcels } from '../../../dev/sample-county/county'
import { sampleHistory } from '../../../dev/sample-county/history'
import { type Portal, startPortal } from '../../../dev/sample-portal/portal'
import { migrate } from '../../../drizzle/migrate'
import { upsertEntities } from '../../../drizzle/queries/parcels/upsert-entities'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { seed } from '../../../drizzle/seed/seed'
import type { EmbeddedMeilisearch } from '../../../src/embedded/meilisearch'
import { startMeilisearch } from '../../../src/embedded/meilisearch'
import { startPostgres } from '../../../src/embedded/postgres'
import { startRedis } from '../../redis-server'

export const SAMPLE = { parcels: 5_000, entities: 300 }
/** Each county has its own portal, which a worker requests at most twice a second. */
const COUNTIES = 16
const SCRAPES_AT_ONCE = 48

/** The county that the nth of the sample parcels belongs to. */
export const sourceOf = (index: number): string => `county-${index % COUNTIES}`

export interface Servers {
  /** The folder for everything that the run writes; deleted at the end unless it is kept. */
  dir: string
  sql: Sql
  databaseUrl: string
  portals: readonly Portal[]
  /** The number of requests to a portal per parcel. */
  asked: ReadonlyMap<string, number>
  meili: Pick<EmbeddedMeilisearch, 'url' | 'masterKey'>
  redisUrl: string
  /** The current process ids, without shared servers. */
  pids: () => { postgres?: number; meilisearch?: number; redis: number }
  /** Comes back on the same port, with its data. */
  stopMeilisearch: () => Promise<void>
  startMeilisearch: () => Promise<void>
  /** Comes back on the same port, empty. */
  stopRedis: () => Promise<void>
  startRedis: () => Promise<void>
  stop: (options: { keep: boolean }) => Promise<void>
}

/** A PostgreSQL with the schema and a Meilisearch. */
type Storage = Pick<Servers, 'databaseUrl' | 'meili' | 'stopMeilisearch' | 'startMeilisearch'> & {
  pids: () => { postgres?: number; meilisearch?: number }
  stop: () => Promise<void>
}

const startOwnStorage = async (dir: string): Promise<Storage> => {
  const postgres = await startPostgres(join(dir, 'postgres'))
  const openMeilisearch = async (port?: number) => {
    const server = await startMeilisearch(join(dir, 'meilisearch'), {
      ...(process.env.MEILI_BIN !== undefined && { binary: process.env.MEILI_BIN }),
      ...(port !== undefined && { port }),
    })
    if (server === null) throw new Error('there is no Meilisearch binary for this platform: set MEILI_BIN')
    return server
  }
  let meili: EmbeddedMeilisearch
  try {
    meili = await openMeilisearch()
    await migrate(postgres.url)
  } catch (error) {
    await postgres.stop()
    throw error
  }
  return {
    databaseUrl: postgres.url,
    get meili() {
      return meili
    },
    pids: () => ({ postgres: postgres.pid, meilisearch: meili.pid }),
    stopMeilisearch: () => meili.stop(),
    startMeilisearch: async () => {
      meili = await openMeilisearch(Number(new URL(meili.url).port))
    },
    stop: async () => {
      await meili.stop()
      await postgres.stop()
    },
  }
}

/** A migrated database on a PostgreSQL, and a Meilisearch, that others use too: a run may not stop or freeze them. */
export type SharedStorage = Pick<Servers, 'databaseUrl' | 'meili'>

const useShared = (shared: SharedStorage): Storage => {
  const refuse = () => Promise.reject(new Error('other tests use this Meilisearch too'))
  return { ...shared, pids: () => ({}), stopMeilisearch: refuse, startMeilisearch: refuse, stop: async () => {} }
}

/**
 * Starts real servers on free ports; `shared` replaces all but Redis. The sample parcels are spread over several counties, each with its
 * own portal.
 */
export const startServers = async (name = 'soak', shared?: SharedStorage): Promise<Servers> => {
  const dir = mkdtempSync(join(tmpdir(), `parcel-data-service-${name}-`))
  const stops: (() => unknown)[] = []
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne()
  }
  try {
    const storage = shared === undefined ? await startOwnStorage(dir) : useShared(shared)
    stops.push(storage.stop)
    let redis = await startRedis()
    stops.push(() => redis.kill())

    const sql = connectDatabase(storage.databaseUrl, { max: 4, applicationName: 'soak' })
    stops.push(() => sql.end({ timeout: 1 }))
    await seed(sql, VENDORS)
    const asked = new Map<string, number>()
    const portals = await openCounties(sql, asked)
    stops.push(...portals.map((portal) => portal.stop))

    return {
      dir,
      sql,
      databaseUrl: storage.databaseUrl,
      portals,
      asked,
      get meili() {
        return storage.meili
      },
      redisUrl: redis.url,
      pids: () => ({ ...storage.pids(), redis: redis.pid }),
      stopMeilisearch: storage.stopMeilisearch,
      startMeilisearch: storage.startMeilisearch,
      stopRedis: () => redis.kill(),
      startRedis: async () => {
        redis = await startRedis(redis.port)
      },
      stop: async ({ keep }) => {
        await stop()
        if (!keep) rmSync(dir, { recursive: true, force: true })
      },
    }
  } catch (error) {
    await stop()
    rmSync(dir, { recursive: true, force: true })
    throw error
  }
}

const openCounties = async (sql: Sql, asked: Map<string, number>): Promise<Portal[]> => {
  const findRecord = (number: string) => {
    asked.set(number, (asked.get(number) ?? 0) + 1)
    const parcel = findSampleParcel(number)
    if (parcel === null) return null
    const { updatedOn, ...history } = sampleHistory(parcel, new Date())
    const { sourceParcelId, bbox: _, ...fields } = parcel
    return { number: sourceParcelId, fields, history, updatedOn }
  }
  const portals = Array.from({ length: COUNTIES }, () => startPortal({ findRecord }))
  const sources = portals.map(({ baseUrl }, index) => ({
    ...SAMPLE_SOURCE,
    source: sourceOf(index),
    county_name: `Larkspur ${index}`,
    base_url: baseUrl,
  }))
  await sql`
    insert into vendor_concurrency (vendor, min_concurrency, max_concurrency, target_concurrency, slow_threshold_ms, fast_threshold_ms, mode)
    values (${SAMPLE_SOURCE.vendor}, 1, ${SCRAPES_AT_ONCE}, ${SCRAPES_AT_ONCE}, 8000, 2000, 'manual')`
  await sql`insert into sources ${sql(sources)}`
  await sql`
    insert into source_refresh_policies (source, cadence, next_due_at)
    select source, 'annual', now() + interval '1 year' from sources where vendor = ${SAMPLE_SOURCE.vendor}`
  await upsertEntities(sql, SAMPLE_SOURCE.state, [...sampleEntities(SAMPLE)])
  const dealt = Map.groupBy([...sampleParcels(SAMPLE)].entries(), ([index]) => sourceOf(index))
  for (const [source, parcels] of dealt) {
    await upsertParcels(
      sql,
      source,
      parcels.map(([, parcel]) => parcel),
    )
  }
  return portals
}
