import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { describeStates } from '../../../core/state-set'
import { listInstances, nameInstance } from '../../../search/index/instances'
import { createTileStore } from '../../../tiles-build/store/create-tile-store'
import type { Config } from '../../config'
import type { Components } from '../../roles/components'
import { examineBuckets } from './buckets'
import { examineBun, examineConfig } from './config'
import { type Diagnosis, examine, hostOf, ok } from './diagnosis'
import { examineDisks } from './disk'
import { examineMemory } from './memory'
import { examineClocks, examineLocks, examineMigrations, examinePostgres, examineRoles } from './postgres'
import { examineQueue, examineRedis } from './queue'
import { examineReplica } from './replicas'
import { examineIndex, examineMeilisearch } from './search'
import { examineProvider } from './sign-in'
import { examineTiles } from './tiles'

const PATIENCE_MS = 20_000

/** Advice for a server that does not answer. An embedded one has no variable. */
const checkServer = (variable: string, isEmbedded: boolean): string =>
  isEmbedded ? 'restart the service, which starts it' : `check that the server runs and that ${variable} is right`

/** Checks that need no server. They run first, because a full disk is a common cause of problems with servers. */
export const examineMachine = (config: Config): Diagnosis[] => [
  ...examineConfig(config),
  ...examineBun(),
  ...examineMemory(config),
  ...examineDisks(config),
]

/** Checks everything that the service depends on, and changes nothing. Checks that need the database are skipped while it is down. */
export const examineService = async (
  config: Config,
  { databaseUrl, meili }: Pick<Components, 'databaseUrl' | 'meili'>,
): Promise<Diagnosis[]> => {
  const sql = connectDatabase(databaseUrl, { max: 2, applicationName: 'doctor' })
  // Do not wait forever for a lock that another session holds.
  const patience = setTimeout(() => void sql.end({ timeout: 0 }), PATIENCE_MS)
  try {
    const machine = examineMachine(config)
    const database = await examineDatabase(sql, databaseUrl, config)
    const isSchemaThere = isWell(database)
    return [
      ...machine,
      ...database,
      ...(isSchemaThere ? await examineReplicas(sql, config) : []),
      ...(await examineSearch(sql, meili, { isEmbedded: config.meili === null, isSchemaThere })),
      ...(await examineBuckets(config)),
      ...(await examineOthers(config)),
      ...(isSchemaThere ? await examineRows(sql, config) : []),
    ]
  } finally {
    clearTimeout(patience)
    await sql.end({ timeout: 1 })
  }
}

const isWell = (diagnoses: readonly Diagnosis[]): boolean => diagnoses.every(({ state }) => state !== 'fault')

/** PostgreSQL and, if it works, its schema. */
const examineDatabase = async (sql: Sql, url: string, config: Config): Promise<Diagnosis[]> => {
  const advice = checkServer('DATABASE_URL', config.databaseUrl === null)
  const server = await examine('PostgreSQL', advice, () => examinePostgres(sql, url))
  if (!isWell(server)) return server
  const clocks = await examine('clocks', advice, () => examineClocks(sql))
  const locks = await examine('locks', advice, () => examineLocks(sql))
  return [
    ...server,
    ...locks,
    ...clocks,
    ...(await examine('migrations', 'bun run db:migrate', () => examineMigrations(sql))),
  ]
}

const examineReplicas = async (sql: Sql, { databaseReadUrls }: Config): Promise<Diagnosis[]> => {
  const diagnoses: Diagnosis[] = []
  for (const url of databaseReadUrls) {
    const advice = `check that ${hostOf(url)} of DATABASE_READ_URLS runs and is reachable`
    diagnoses.push(...(await examine('replica', advice, () => examineReplica(sql, url))))
  }
  return diagnoses
}

/** Each Meilisearch and, if it works, its index. `meili` is null on platforms without one. */
const examineSearch = async (
  sql: Sql,
  meili: Components['meili'],
  { isEmbedded, isSchemaThere }: { isEmbedded: boolean; isSchemaThere: boolean },
): Promise<Diagnosis[]> => {
  if (meili === null) return [ok('Meilisearch', 'not available for this platform: PostgreSQL answers searches')]
  const diagnoses: Diagnosis[] = []
  const instances = listInstances(meili)
  const advice = checkServer(instances.length > 1 ? 'MEILI_URLS' : 'MEILI_URL', isEmbedded)
  for (const instance of instances) {
    const of = instances.length > 1 ? ` ${nameInstance(instance)} (${describeStates(instance.states)})` : ''
    const search = await examine(`Meilisearch${of}`, advice, () => examineMeilisearch(instance))
    diagnoses.push(...search.map((one) => ({ ...one, about: `Meilisearch${of}` })))
    if (!isSchemaThere || !isWell(search)) continue
    const queue = instances.length > 1 ? nameInstance(instance) : null
    const index = await examine('search index', 'bun run search:reindex', () => examineIndex(sql, instance, queue))
    diagnoses.push(...index.map((one) => ({ ...one, about: `search index${of}` })))
  }
  return diagnoses
}

/** Redis and the provider of sign-in, if they are configured. */
const examineOthers = async ({ redisUrl, identityProvider }: Config): Promise<Diagnosis[]> => {
  const queue =
    redisUrl === null ? [] : await examine('Redis', checkServer('REDIS_URL', false), () => examineRedis(redisUrl))
  const advice = 'check that the provider is reachable from here and that OIDC_ISSUER is right'
  const signIn =
    identityProvider === null ? [] : await examine('sign-in', advice, () => examineProvider(identityProvider))
  return [...queue, ...signIn]
}

/** What the rows of the database say about jobs, processes and tiles. */
const examineRows = async (sql: Sql, { tilesUrl }: Config): Promise<Diagnosis[]> => [
  ...(await examine('jobs', 'check the log of the workers', () => examineQueue(sql))),
  ...(await examine('roles', 'check which processes run', () => examineRoles(sql))),
  ...(await examine('tiles', 'check that TILES_URL is reachable; otherwise bun run tiles:build', () =>
    examineTiles(sql, createTileStore(tilesUrl)),
  )),
]
