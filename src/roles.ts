import type { Logger } from 'pino'
import { connectDatabase } from '../drizzle/database'
import { createSearch } from '../search/search'
import { createSearchSync, type SearchSync } from '../search/sync'
import type { Components } from './components'
import type { Capability, Config } from './config'
import { createApp } from './http/app'
import { createAuthenticator } from './http/auth'
import { ServiceError } from './service-error'

export const ROLES = ['api', 'sync'] as const
/** What a process does: one role, several, or all in one. */
export type Role = (typeof ROLES)[number]

export interface RoleContext {
  config: Config
  components: Components
  bootstrapKeys: ReadonlyMap<string, Capability>
  log: Logger
}

/** How long requests that run may take to end once the service stops. */
const DRAIN_MS = 30_000

/** @throws ServiceError `bad_config` when the port is taken */
export const startApi = async ({ config, components, bootstrapKeys, log }: RoleContext) => {
  const sql = connectDatabase(components.databaseUrl, { max: 10, applicationName: 'api' })
  let searchIsDegraded = false
  const search = createSearch({
    sql,
    meili: components.meili,
    onHealthChange: (healthy, reason) => {
      searchIsDegraded = !healthy
      log.warn({ healthy, reason }, healthy ? 'Meilisearch answers again' : 'searches are answered by Postgres')
    },
  })
  const authenticator = createAuthenticator(sql, bootstrapKeys)
  const app = await createApp({
    sql,
    search,
    searchIsDegraded: () => searchIsDegraded,
    authenticator,
    log,
    baseUrl: config.baseUrl,
  })
  const close = async () => {
    await authenticator.stop()
    await sql.end({ timeout: 5 })
  }
  try {
    app.listen({ port: config.port, hostname: config.host })
  } catch (error) {
    await close()
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new ServiceError('bad_config', `port ${config.port} of ${config.host} is taken: set PORT to another one`, {
        cause: error,
      })
    }
    throw error
  }
  return {
    stop: async () => {
      const timer = setTimeout(() => app.server?.stop(true), DRAIN_MS)
      await app.stop()
      clearTimeout(timer)
      await close()
    },
  }
}

/** Keeps the search index in step with the database. Null where there is no Meilisearch: there is no index to keep. */
export const startSync = ({ components, log }: RoleContext): SearchSync | null => {
  if (components.meili === null) return null
  const sync = createSearchSync({
    databaseUrl: components.databaseUrl,
    meili: components.meili,
    onEvent: (event) => log.info(event, 'search sync'),
  })
  sync.start()
  return sync
}
