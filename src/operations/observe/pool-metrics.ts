import { Gauge, type Registry } from 'prom-client'
import { readPoolUse, type Sql } from '../../../core/postgres/database'

/** Registers the metrics of a database connection pool under its name at the server. */
export type WatchPool = (pool: string, sql: Sql) => void

/** Usage of the process's pools. If queries wait while every connection is busy, the pool is too small. */
export const registerPoolMetrics = (registry: Registry): WatchPool => {
  const pools = new Map<string, Sql>()
  const registers = [registry]
  new Gauge({
    name: 'postgres_pool_connections',
    help: 'Connections to PostgreSQL, by pool and state',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, sql] of pools) {
        const { busy, idle } = readPoolUse(sql)
        this.set({ pool, state: 'busy' }, busy)
        this.set({ pool, state: 'idle' }, idle)
      }
    },
  })
  new Gauge({
    name: 'postgres_pool_connections_max',
    help: 'Maximum number of connections of a pool to PostgreSQL',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, sql] of pools) this.set({ pool }, readPoolUse(sql).max)
    },
  })
  new Gauge({
    name: 'postgres_pool_waiting_queries',
    help: 'Queries that wait for a free connection of the pool',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, sql] of pools) this.set({ pool }, readPoolUse(sql).waiting)
    },
  })
  return (pool, sql) => {
    pools.set(pool, sql)
  }
}
