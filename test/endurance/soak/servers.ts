import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VENDORS } from '../../../adapters/registry'
import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { ALL_STATES, describeStates, hasAllStates, type StateSet } from '../../../core/state-set'
import { findSampleParcel, SAMPLE_SOURCE, sampleEntities, sampleParcels } from '../../../dev/sample-county/county'
import { sampleHistory } from '../../../dev/sample-county/history'
import { type Portal, startPortal } from '../../../dev/sample-portal/portal'
import { migrate } from '../../../drizzle/migrate'
import { upsertEntities } from '../../../drizzle/queries/entities/upsert-entities'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { seed } from '../../../drizzle/seed/seed'
import { type EmbeddedMeilisearch, KEY_FILE, startMeilisearch } from '../../../src/operations/embedded/meilisearch'
import { type EmbeddedPostgres, startPostgres } from '../../../src/operations/embedded/postgres'
import { replicaSettings, startReplica } from '../../core/postgres/start-replica'
import { rememberDescendants } from '../../runner/descendants'
import { startRedis } from '../../support/redis-server'

export const SAMPLE = { parcels: 5_000, entities: 300 }
/** Each county has its own portal, which a worker requests at most twice a second. */
const COUNTIES = 16
const SCRAPES_AT_ONCE = 48
/** For a dozen processes with several pools each. A replica needs at least as many as its primary. */
const POSTGRES = { max_connections: '400' }

/** The counties are in these states, in turn. */
const STATES = ['OR', 'WA', 'ID']
/** The states of the instances of Meilisearch, where there are several. */
const STATE_SETS: readonly StateSet[] = [
  { codes: ['OR'], isExcept: false },
  { codes: ['WA'], isExcept: false },
  { codes: ['OR', 'WA'], isExcept: true },
]

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
  /** The only Meilisearch, or the first. */
  meili: Pick<EmbeddedMeilisearch, 'url' | 'masterKey'>
  meilis: readonly MeilisearchServer[]
  /** A streaming replica of the database. Null: there is none. */
  replica: ReplicaServer | null
  redisUrl: string
  /** The current process ids, without shared servers. */
  pids: () => { postgres?: number; meilisearch?: number; redis: number }
  /** Comes back on the same port, empty. */
  stopRedis: () => Promise<void>
  startRedis: () => Promise<void>
  stop: (options: { keep: boolean }) => Promise<void>
}

/** A server that comes back on the same port, with its data. */
interface StoppableServer {
  name: string
  stop: () => Promise<void>
  start: () => Promise<void>
}

interface MeilisearchServer extends StoppableServer {
  url: string
  masterKey: string
  states: StateSet
  pid: () => number
}

interface ReplicaServer extends StoppableServer {
  url: string
  /** Suspends all its processes (SIGSTOP), until `thaw`. */
  freeze: () => void
  thaw: () => void
}

/** A PostgreSQL with the schema, its replica if there is one, and Meilisearch. */
type Storage = Pick<Servers, 'databaseUrl' | 'meili' | 'meilis' | 'replica'> & {
  pids: () => { postgres?: number; meilisearch?: number }
  stop: () => Promise<void>
}

/** `isSpread`: with a replica of the database, and an instance of Meilisearch for each of `STATE_SETS`. */
const startOwnStorage = async (dir: string, isSpread: boolean): Promise<Storage> => {
  const stops: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne()
  }
  try {
    const primaryDir = join(dir, 'postgres')
    const postgres = await startPostgres(primaryDir, POSTGRES)
    stops.push(postgres.stop)
    await migrate(postgres.url)
    const replica = isSpread ? await openReplica(postgres, primaryDir, join(dir, 'replica')) : null
    if (replica !== null) stops.push(replica.stop)
    const meilis: MeilisearchServer[] = []
    for (const states of isSpread ? STATE_SETS : [ALL_STATES]) {
      const meiliDir = join(dir, `meilisearch-${meilis.length + 1}`)
      // All instances have the same key.
      if (meilis.length > 0) cpSync(join(dir, 'meilisearch-1', KEY_FILE), join(meiliDir, KEY_FILE))
      const meili = await openMeilisearch(meiliDir, states)
      meilis.push(meili)
      stops.push(meili.stop)
    }
    const [meili] = meilis as [MeilisearchServer]
    return {
      databaseUrl: postgres.url,
      meili,
      meilis,
      replica,
      pids: () => ({ postgres: postgres.pid, meilisearch: meili.pid() }),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const openMeilisearch = async (dir: string, states: StateSet): Promise<MeilisearchServer> => {
  const open = async (port?: number) => {
    const server = await startMeilisearch(dir, {
      ...(process.env.MEILI_BIN !== undefined && { binary: process.env.MEILI_BIN }),
      ...(port !== undefined && { port }),
    })
    if (server === null) throw new Error('there is no Meilisearch binary for this platform: set MEILI_BIN')
    return server
  }
  let server = await open()
  const { url, masterKey } = server
  return {
    ...{ url, masterKey, states },
    name: hasAllStates(states) ? 'Meilisearch' : `Meilisearch (${describeStates(states)})`,
    pid: () => server.pid,
    stop: () => server.stop(),
    start: async () => {
      server = await open(Number(new URL(url).port))
    },
  }
}

const openReplica = async (primary: EmbeddedPostgres, primaryDir: string, dir: string): Promise<ReplicaServer> => {
  const copied = await startReplica(primary, primaryDir, dir, POSTGRES)
  let server = copied
  const signalAll = (name: 'SIGSTOP' | 'SIGCONT') => {
    process.kill(server.pid, name)
    rememberDescendants(server.pid).signal(name)
  }
  return {
    name: 'replica',
    url: copied.url,
    stop: () => server.stop(),
    start: async () => {
      server = await startPostgres(dir, { ...POSTGRES, ...replicaSettings(primary), port: String(copied.port) })
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
  }
}

/** A migrated database on a PostgreSQL, and a Meilisearch, that other tests use too: a run may not stop or freeze them. */
export type SharedStorage = Pick<Servers, 'databaseUrl' | 'meili'>

const useShared = (shared: SharedStorage): Storage => ({
  ...shared,
  ...{ meilis: [], replica: null, pids: () => ({}), stop: async () => {} },
})

/**
 * Starts real servers on free ports; `shared` replaces all but Redis. The sample parcels are spread over several counties in three states,
 * each with its own portal. `isSpread`: with a replica of the database and several instances of Meilisearch.
 */
export const startServers = async (
  name: string,
  { shared, isSpread = false }: { shared?: SharedStorage | undefined; isSpread?: boolean } = {},
): Promise<Servers> => {
  const dir = mkdtempSync(join(tmpdir(), `parcel-data-service-${name}-`))
  const stops: (() => unknown)[] = []
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne()
  }
  try {
    const storage = shared === undefined ? await startOwnStorage(dir, isSpread) : useShared(shared)
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
      meili: storage.meili,
      meilis: storage.meilis,
      replica: storage.replica,
      redisUrl: redis.url,
      pids: () => ({ ...storage.pids(), redis: redis.pid }),
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
    state: STATES[index % STATES.length] as string,
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
