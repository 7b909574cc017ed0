/** The kind of use of a connection. It decides how long a statement, a lock or an idle transaction may last. */
export type Patience = 'interactive' | 'background' | 'bulk' | 'endless'

interface Limits {
  statementMs: number
  lockMs: number
  idleInTransactionMs: number
  /** Only this limit ends the session of a client that freezes between the messages of one statement. */
  transactionMs: number
}

/**
 * How long a transaction of a role may wait for its next statement. When a process freezes, another takes over its duties within 10 s,
 * and the locks of the frozen one have to be free well before. With 15 s, the new leader's dispatch waited for them (2026-11-22).
 */
const SHORT_IDLE_MS = 5_000

const LIMITS: Record<Patience, Limits> = {
  /** Requests: a caller waits for the response. */
  interactive: { statementMs: 20_000, lockMs: 2_000, idleInTransactionMs: SHORT_IDLE_MS, transactionMs: 30_000 },
  /** Loops of the roles, which retry. */
  background: { statementMs: 30_000, lockMs: 5_000, idleInTransactionMs: SHORT_IDLE_MS, transactionMs: 60_000 },
  /** Loads, builds, rebuilds and commands. A build reads one snapshot for as long as it takes. 0 is no limit. */
  bulk: { statementMs: 30 * 60_000, lockMs: 60_000, idleInTransactionMs: 5 * 60_000, transactionMs: 0 },
  /** Migrations, and the compaction of the change log. */
  endless: { statementMs: 0, lockMs: 0, idleInTransactionMs: 0, transactionMs: 0 },
}

/** How soon the server should answer after its own limit has ended a statement. */
const GRACE_S = 5

/** A peer that acknowledges nothing is dropped after about 25 s: 10 s of silence, then three probes. */
const TCP = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '25000',
}
export const KEEPALIVE_S = 10

/**
 * Session settings that make the server end the transactions of clients that froze or were cut off. They are startup parameters: a
 * pooler in between must pass them on (docs/operate.md).
 */
export const sessionSettings = (patience: Patience): Record<string, string> => {
  const { statementMs, lockMs, idleInTransactionMs, transactionMs } = LIMITS[patience]
  return {
    ...TCP,
    statement_timeout: String(statementMs),
    lock_timeout: String(lockMs),
    idle_in_transaction_session_timeout: String(idleInTransactionMs),
    transaction_timeout: String(transactionMs),
  }
}

/** How long the server may take to answer before the connection counts as dead; null: no limit. */
export const answerTimeoutS = (patience: Patience): number | null => {
  const { statementMs } = LIMITS[patience]
  return statementMs === 0 ? null : statementMs / 1_000 + GRACE_S
}
