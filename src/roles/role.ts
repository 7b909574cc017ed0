import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { connectDatabase } from '../../core/postgres/database'
import type { Config, IdentityProvider } from '../config'
import type { WatchPool } from '../operations/observe/pool-metrics'
import type { Readiness } from '../operations/observe/readiness'
import type { Capability } from '../people/capabilities'
import type { Components } from './components'

export const ROLES = ['api', 'sync', 'worker', 'scheduler', 'tiles'] as const
/** What a process does: one role, several, or all. */
export type Role = (typeof ROLES)[number]

export interface RoleContext {
  config: Config
  components: Components
  bootstrapKeys: ReadonlyMap<string, Capability>
  /** The provider for sign-in. Null: none. */
  identityProvider: IdentityProvider | null
  /** The process's metrics, to which each role adds its own. */
  metrics: Registry
  watchPool: WatchPool
  /** Adds a loop that the process needs for its work. */
  watchLoop: Readiness['watchLoop']
  /** Origins of portals that this process runs itself. */
  ownOrigins: ReadonlySet<string>
  log: Logger
}

export const isTraced = ({ otlpEndpoint }: Config): boolean => otlpEndpoint !== null

/** As `connectDatabase`, and adds the pool to the metrics and its statements to traces. */
export const createPools =
  ({ config, watchPool }: RoleContext): typeof connectDatabase =>
  (url, options = {}) => {
    const sql = connectDatabase(url, { probed: true, ...options, traced: isTraced(config) })
    watchPool(options.applicationName ?? '', sql)
    return sql
  }
