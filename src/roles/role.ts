import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { connectDatabase } from '../../core/postgres/database'
import type { Capability, Config, IdentityProvider } from '../config'
import type { WatchPool } from '../observe/pool-metrics'
import type { Readiness } from '../observe/readiness'
import type { Components } from './components'

export const ROLES = ['api', 'sync', 'worker', 'scheduler', 'tiles'] as const
/** What a process does: one role, several, or all in one. */
export type Role = (typeof ROLES)[number]

export interface RoleContext {
  config: Config
  components: Components
  bootstrapKeys: ReadonlyMap<string, Capability>
  /** Where people sign in. Null: nowhere. */
  identityProvider: IdentityProvider | null
  /** Of this process: a role adds its own metrics. */
  metrics: Registry
  watchPool: WatchPool
  /** Loops without which the process does not do its work. */
  watchLoop: Readiness['watchLoop']
  /** Portals that this very process runs. */
  ownOrigins: ReadonlySet<string>
  log: Logger
}

export const isTraced = ({ otlpEndpoint }: Config): boolean => otlpEndpoint !== null

/** As `connectDatabase`; the metrics tell how the pool is used, and its statements are in traces where those are sent. */
export const createPools =
  ({ config, watchPool }: RoleContext): typeof connectDatabase =>
  (url, options = {}) => {
    const sql = connectDatabase(url, { probed: true, ...options, traced: isTraced(config) })
    watchPool(options.applicationName ?? '', sql)
    return sql
  }
