import { Gauge, type Registry } from 'prom-client'
import { readPoolUse, type Sql } from '../../core/postgres/database'

/** Tells the metrics of a pool of connections to the database, by the name that it has at the server. */
export type WatchPool = (pool: string, sql: Sql) => void

/** How the process's pools are used. Queries that wait while every connection is busy mean that a pool is too small. */
export const registerPoolMetrics = (registry: Registry): WatchPool => {
  const pools = new Map<string, Sql>()
  const registers = [registry]
  new Gauge({
    name: 'postgres_pool_connections',
    help: 'Connections to PostgreSQL, by pool and what they do',
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
    help: 'Connections to PostgreSQL that a pool may have',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, sql] of pools) this.set({ pool }, readPoolUse(sql).max)
    },
  })
  new Gauge({
    name: 'postgres_pool_waiting_queries',
    help: 'Queries for which no connection of the pool is free',
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
