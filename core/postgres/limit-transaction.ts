import type { Db } from './database'

/**
 * For the select list of a transaction's first statement, or of the one that takes its lock: the server ends the transaction after `idleMs`
 * without a statement, and after `transactionMs` in any case, so that others do not wait longer for a process that froze. Both limits are
 * needed: to the server, a client that freezes between the messages of one statement (Parse and Bind) is not idle, and no statement timeout
 * ends it. `transaction_timeout` is set to 0 first, because PostgreSQL does not change a timer that runs: the session's own limit would stay
 * (2026-11-28).
 */
export const limitTransaction = (db: Db, { idleMs, transactionMs }: { idleMs: number; transactionMs: number }) => db`
  set_config('idle_in_transaction_session_timeout', ${String(idleMs)}, true), set_config('transaction_timeout', '0', true),
  set_config('transaction_timeout', ${String(transactionMs)}, true)`
