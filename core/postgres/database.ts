import postgres from 'postgres'
import { createListener } from './listener'
import { PROBE_EVERY_MS, probe } from './probe'
import { answerTimeoutS, KEEPALIVE_S, type Patience, sessionSettings } from './session-limits'
import { watchQueries } from './watched-queries'

/** The client that all queries go through: `sql` in a query is this, or a transaction of it. */
export type Sql = postgres.Sql
export type Transaction = postgres.TransactionSql
/** What a query needs: a client or a transaction. */
export type Db = Sql | Transaction

const RECONNECT_PAUSE_S = 0.2

/**
 * A pool of connections. `max` is per process. A server that is away is noticed in 3 s and asked again by the next query;
 * notices of the server are not printed. `patience`: how long statements, locks and idle transactions may last, at the server and, for a
 * server that does not answer, here. `traced`: statements are spans of the trace that they run in; `timed`: they count
 * among the times of the request that they are part of. `planned: 'each'`: a statement is planned each time it runs, for what it is
 * given: plans that were kept from when a table was empty read all of it once it is full. `probed`: an idle connection is asked for a
 * sign of life every few seconds, so that dead ones are replaced before somebody needs them.
 */
export const connectDatabase = (
  url: string,
  options: {
    max?: number
    applicationName?: string
    patience?: Patience
    planned?: 'once' | 'each'
    traced?: boolean
    timed?: boolean
    probed?: boolean
  } = {},
): Sql => {
  const { applicationName = 'parcel-data-service', patience = 'bulk', planned = 'once' } = options
  const settings = {
    connect_timeout: 3,
    keep_alive: KEEPALIVE_S,
    answer_timeout: answerTimeoutS(patience),
    // Each attempt fails one waiting query: with the growing pauses of the default they would wait for minutes.
    backoff: () => RECONNECT_PAUSE_S,
    onnotice: () => {},
    connection: {
      application_name: applicationName,
      ...sessionSettings(patience),
      ...(planned === 'each' && { plan_cache_mode: 'force_custom_plan' }),
    },
  }
  const sql = postgres(url, { ...settings, max: options.max ?? 10 })
  const listener = createListener((hooks) =>
    postgres(url, { ...settings, ...hooks, max: 1, max_lifetime: null, fetch_types: false }),
  )
  const observer = postgres(url, { ...settings, max: 1, idle_timeout: 10, fetch_types: false })
  const probing = options.probed === true ? probeEvery(sql, observer, PROBE_EVERY_MS) : null
  const { end } = sql
  Object.assign(sql, {
    listen: listener.listen,
    end: async (how?: { timeout?: number }) => {
      probing?.stop()
      await Promise.all([listener.end(), observer.end({ timeout: 0 }), end(how)])
    },
  })
  const { traced = false, timed = false } = options
  return traced || timed ? watchQueries(sql, { traced }) : sql
}

/** `observer` is a connection of its own: all of the pool may be dead. */
const probeEvery = (sql: Sql, observer: Sql, everyMs: number): { stop: () => void } => {
  const timer = setInterval(() => {
    if (readPoolUse(sql).idle > 0) probe(sql).catch(() => {})
    giveUpDeaf(sql, observer).catch(() => {})
  }, everyMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

const SILENT_S = 4

/**
 * Gives up connections that wait for an answer while their sessions have nothing to do: the statement did not arrive, or its answer did
 * not. A slow statement's session is at work.
 */
const giveUpDeaf = async (sql: Sql, observer: Sql): Promise<void> => {
  const { pool } = sql as Sql & { pool: { silent: (seconds: number) => { pid: number; giveUp: () => void }[] } }
  const before = pool.silent(SILENT_S).map(({ pid }) => pid)
  if (before.length === 0) return
  const idle = await observer<{ pid: number }[]>`
    select pid from pg_stat_activity where pid = any(string_to_array(${before.join()}, ',')::int[]) and state like 'idle%'`
  for (const { pid, giveUp } of pool.silent(SILENT_S)) if (idle.some((session) => session.pid === pid)) giveUp()
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
