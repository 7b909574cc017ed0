import postgres from 'postgres'
import { createListener } from './listener'
import { PROBE_EVERY_MS, probe } from './probe'
import { answerTimeoutS, KEEPALIVE_S, type Patience, sessionSettings } from './session-limits'
import { isUnanswered } from './transient-errors'
import { watchQueries } from './watched-queries'

/** The client that all queries go through: `sql` in a query is this, or a transaction of it. */
export type Sql = postgres.Sql
export type Transaction = postgres.TransactionSql
/** What a query needs: a client or a transaction. */
export type Db = Sql | Transaction
/** A part of a statement, for use in another one. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>

const RECONNECT_PAUSE_S = 0.2

export interface PoolOptions {
  max?: number
  applicationName?: string
  patience?: Patience
  planned?: 'once' | 'each'
  traced?: boolean
  timed?: boolean
  probed?: boolean
}

/**
 * A pool of connections. An attempt to connect takes at most 3 s, and the next query tries again. Notices of the server are not
 * printed.
 *
 * - `max`: connections per process
 * - `patience`: limits for statements, locks and idle transactions. The server enforces them, and the client if the server does not
 *   answer
 * - `planned: 'each'`: the server plans a statement for its parameters each time. A plan that was cached while a table was empty would
 *   later read the whole table
 * - `traced`: each statement is a span of the current trace
 * - `timed`: each statement counts in the times of its request
 * - `probed`: dead connections are noticed within some seconds. If the pool has no long work, idle ones are probed, so that they are
 *   replaced before they are needed
 */
export const connectDatabase = (url: string, options: PoolOptions = {}): Sql => {
  const { applicationName = 'parcel-data-service', patience = 'bulk', planned = 'once' } = options
  const settings = {
    connect_timeout: 3,
    keep_alive: KEEPALIVE_S,
    answer_timeout: answerTimeoutS(patience),
    // With the driver's default, growing pauses, queries would wait for minutes.
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
  const ofObserver = { ...settings, answer_timeout: OBSERVER_ANSWER_S }
  const observer = postgres(url, { ...ofObserver, max: 1, idle_timeout: 10, fetch_types: false })
  const probing = options.probed === true ? probeEvery(sql, observer, patience) : null
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

/** `observer` is a separate connection, because the whole pool may be dead. */
const probeEvery = (sql: Sql, observer: Sql, patience: Patience): { stop: () => void } => {
  const timer = setInterval(() => {
    // If a probe is not answered, all silent connections are closed. Long work waits until the server continues.
    if (!isLong(patience) && readPoolUse(sql).idle > 0) probe(sql).catch(() => {})
    dropHungConnections(sql, observer, patience).catch(() => {})
  }, PROBE_EVERY_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

const HUNG_AFTER_S = 4
/** Statements of long work can have megabytes. Until all of it has arrived, the session is idle, however slow the network is. */
const LONG_HUNG_AFTER_S = 20
const OBSERVER_ANSWER_S = 3

const isLong = (patience: Patience): boolean => patience === 'bulk' || patience === 'endless'

/**
 * Closes connections that wait for an answer although their session is idle or gone: the statement or its answer was lost, or another
 * server has replaced the one that had the session. The session of a slow statement is active, so its connection stays open. If the server
 * does not answer this query either, it is frozen or cut off, and all silent connections are closed, because `probe` finds no idle
 * connection while all of them wait. Long work waits until the server continues.
 */
const dropHungConnections = async (sql: Sql, observer: Sql, patience: Patience): Promise<void> => {
  const { pool } = sql as Sql & { pool: { silent: (seconds: number) => { pid: number; giveUp: () => void }[] } }
  const afterS = isLong(patience) ? LONG_HUNG_AFTER_S : HUNG_AFTER_S
  const before = pool.silent(afterS).map(({ pid }) => pid)
  if (before.length === 0) return
  // Between the messages of one statement, a session waits for its client, but is not idle.
  const isWaiting = isLong(patience) ? observer`wait_event = 'ClientRead'` : observer`state like 'idle%'`
  const isLost = await observer<{ pid: number; isWaiting: boolean }[]>`
    select pid, ${isWaiting} as "isWaiting" from pg_stat_activity
    where pid = pg_backend_pid() or pid = any(string_to_array(${before.join()}, ',')::int[])`.then(
    (sessions) => {
      // Behind a pooler, the driver does not know the ids of its sessions.
      const isDirect = sessions.some(({ pid }) => pid === sessions.state.pid)
      return (pid: number) => sessions.find((session) => session.pid === pid)?.isWaiting ?? isDirect
    },
    (error) => () => !isLong(patience) && isUnanswered(error),
  )
  for (const { pid, giveUp } of pool.silent(afterS)) if (isLost(pid)) giveUp()
}

/** The state of a connection pool. */
export interface PoolUse {
  max: number
  /** Running a query, or reserved for a transaction. */
  busy: number
  idle: number
  /** Queries that wait for a connection. */
  waiting: number
}

/** Our patch of the driver adds `pool`. */
export const readPoolUse = (sql: Sql): PoolUse => {
  const { pool, options } = sql as Sql & { pool: Omit<PoolUse, 'max'> }
  return { max: options.max, busy: pool.busy, idle: pool.idle, waiting: pool.waiting }
}
