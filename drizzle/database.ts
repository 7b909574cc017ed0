import postgres from 'postgres'
import { watchQueries } from './watched-queries'

/** The client that all queries go through: `sql` in a query is this, or a transaction of it. */
export type Sql = postgres.Sql
export type Transaction = postgres.TransactionSql
/** What a query needs: a client or a transaction. */
export type Db = Sql | Transaction

const RECONNECT_PAUSE_S = 0.2

/**
 * A pool of connections. `max` is per process. A server that is away is noticed in 3 s and asked again by the next query;
 * notices of the server are not printed. `traced`: statements are spans of the trace that they run in; `timed`: they count
 * among the times of the request that they are part of. `planned: 'each'`: a statement is planned each time it runs, for what it is
 * given: plans that were kept from when a table was empty read all of it once it is full.
 */
export const connectDatabase = (
  url: string,
  options: {
    max?: number
    applicationName?: string
    planned?: 'once' | 'each'
    traced?: boolean
    timed?: boolean
  } = {},
): Sql => {
  const sql = postgres(url, {
    max: options.max ?? 10,
    connect_timeout: 3,
    // Each attempt fails one waiting query: with the growing pauses of the default they would wait for minutes.
    backoff: () => RECONNECT_PAUSE_S,
    onnotice: () => {},
    connection: {
      application_name: options.applicationName ?? 'parcel-data-service',
      ...(options.planned === 'each' && { plan_cache_mode: 'force_custom_plan' }),
    },
  })
  const { traced = false, timed = false } = options
  return traced || timed ? watchQueries(sql, { traced }) : sql
}

/** A pool of connections at this moment. */
export interface PoolUse {
  max: number
  /** At work, or kept for a transaction. */
  busy: number
  idle: number
  /** Queries that no connection can take. */
  waiting: number
}

/** `pool` comes by our patch of the driver. */
export const readPoolUse = (sql: Sql): PoolUse => {
  const { pool, options } = sql as Sql & { pool: Omit<PoolUse, 'max'> }
  return { max: options.max, busy: pool.busy, idle: pool.idle, waiting: pool.waiting }
}

/**
 * What is said when the server is away, going away, coming up or full: by the driver, by the system (a container that is down has no
 * address, and its name none either), and by the server (Appendix A of the PostgreSQL manual).
 */
const CONNECTION_LOST = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  '53300',
  '57P01',
  '57P02',
  '57P03',
])

export const isConnectionLost = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && CONNECTION_LOST.has(error.code)
