import { connectDatabase } from '../../../core/postgres/database'
import { describeStates } from '../../../core/state-set'
import { listInstances, nameInstance } from '../../../search/index/instances'
import { createTileStore } from '../../../tiles-build/store/create-tile-store'
import type { Config } from '../../config'
import type { Components } from '../../roles/components'
import { examineBun, examineConfig } from './config'
import { type Diagnosis, examine, hostOf, ok } from './diagnosis'
import { examineDisks } from './disk'
import { examineMigrations, examinePostgres, examineRoles } from './postgres'
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
  ...examineDisks(config),
]

/** Checks everything that the service depends on, and changes nothing. Checks that need the database are skipped while it is down. */
export const examineService = async (
  config: Config,
  { databaseUrl, meili }: Pick<Components, 'databaseUrl' | 'meili'>,
): Promise<Diagnosis[]> => {
  const { redisUrl, tilesUrl, identityProvider } = config
  const sql = connectDatabase(databaseUrl, { max: 2, applicationName: 'doctor' })
  // Do not wait forever for a lock that another session holds.
  const patience = setTimeout(() => void sql.end({ timeout: 0 }), PATIENCE_MS)
  try {
    const diagnoses = examineMachine(config)
    const database = await examine('PostgreSQL', checkServer('DATABASE_URL', config.databaseUrl === null), () =>
      examinePostgres(sql, databaseUrl),
    )
    const migrations = isWell(database)
      ? await examine('migrations', 'bun run db:migrate', () => examineMigrations(sql))
      : []
    diagnoses.push(...database, ...migrations)
    const isSchemaThere = isWell(database) && isWell(migrations)

    if (isSchemaThere) {
      for (const url of config.databaseReadUrls) {
        const advice = `check that ${hostOf(url)} of DATABASE_READ_URLS runs and is reachable`
        diagnoses.push(...(await examine('replica', advice, () => examineReplica(sql, url))))
      }
    }
    if (meili === null)
      diagnoses.push(ok('Meilisearch', 'not available for this platform: PostgreSQL answers searches'))
    else {
      const instances = listInstances(meili)
      const variable = instances.length > 1 ? 'MEILI_URLS' : 'MEILI_URL'
      for (const instance of instances) {
        const of = instances.length > 1 ? ` ${nameInstance(instance)} (${describeStates(instance.states)})` : ''
        const advice = checkServer(variable, config.meili === null)
        const search = await examine(`Meilisearch${of}`, advice, () => examineMeilisearch(instance))
        diagnoses.push(...search.map((one) => ({ ...one, about: `Meilisearch${of}` })))
        if (!isSchemaThere || !isWell(search)) continue
        const queue = instances.length > 1 ? nameInstance(instance) : null
        const index = await examine('search index', 'bun run search:reindex', () => examineIndex(sql, instance, queue))
        diagnoses.push(...index.map((one) => ({ ...one, about: `search index${of}` })))
      }
    }
    if (redisUrl !== null) {
      diagnoses.push(...(await examine('Redis', checkServer('REDIS_URL', false), () => examineRedis(redisUrl))))
    }
    if (identityProvider !== null) {
      diagnoses.push(
        ...(await examine(
          'sign-in',
          'check that the provider is reachable from here and that OIDC_ISSUER is right',
          () => examineProvider(identityProvider),
        )),
      )
    }
    if (isSchemaThere) {
      diagnoses.push(...(await examine('jobs', 'check the log of the workers', () => examineQueue(sql))))
      diagnoses.push(...(await examine('roles', 'check which processes run', () => examineRoles(sql))))
    }
    if (isSchemaThere) {
      diagnoses.push(
        ...(await examine('tiles', 'check that TILES_URL is reachable; otherwise bun run tiles:build', () =>
          examineTiles(sql, createTileStore(tilesUrl)),
        )),
      )
    }
    return diagnoses
  } finally {
    clearTimeout(patience)
    await sql.end({ timeout: 1 })
  }
}

const isWell = (diagnoses: readonly Diagnosis[]): boolean => diagnoses.every(({ state }) => state !== 'fault')
