import { codeOf, hasCode } from '../error-code'

/*
 * Database errors that are temporary. SQLSTATE codes and classes: Appendix A of the PostgreSQL manual. The other codes are from the
 * driver and the operating system (the name of a container that is down does not resolve).
 */

/** The server is down, stopping, starting or full, or does not answer. */
const CONNECTION_LOST = new Set([
  'ANSWER_TIMEOUT',
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
  // too_many_connections
  '53300',
  // admin_shutdown, crash_shutdown, cannot_connect_now, idle_session_timeout
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  // idle_in_transaction_session_timeout, transaction_timeout: they end the session
  '25P03',
  '25P04',
])

/** The server answers, but cannot run the statement now. */
const BUSY = new Set([
  // read_only_sql_transaction: the server was demoted, and its successor is not known yet
  '25006',
  // serialization_failure, statement_completion_unknown, deadlock_detected
  '40001',
  '40003',
  '40P01',
  // lock_not_available: lock_timeout
  '55P03',
  // query_canceled: statement_timeout, or an operator. Code that sets its own timeout or cancels its own query handles this itself.
  '57014',
])

const isSqlstate = (code: string, ofClass: string): boolean => code.length === 5 && code.startsWith(ofClass)

/** Whether the database is unavailable. No query can succeed until it is back. */
export const isConnectionLost = (error: unknown): boolean => {
  const code = codeOf(error)
  return code !== null && (CONNECTION_LOST.has(code) || isSqlstate(code, '08'))
}

/**
 * Whether the server refuses to open a session, or ends one: the password was changed, the user may not log in, or the database is gone. No
 * query can succeed until an operator corrects that, so commands do not wait for it.
 */
export const isSessionRefused = (error: unknown): boolean =>
  error instanceof Error && 'severity' in error && error.severity === 'FATAL'

/** Whether the server did not answer a statement or an attempt to connect in time. */
export const isUnanswered = (error: unknown): boolean => hasCode(error, 'ANSWER_TIMEOUT', 'CONNECT_TIMEOUT')

/** Whether a lock was not free within the session's `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean => hasCode(error, '55P03')

/** Whether two writers collided. The server rolled this one back, and it may retry immediately. */
export const isCollision = (error: unknown): boolean => hasCode(error, '40P01', '40001')

/** Whether the same statement may succeed when it is retried later. Class 53: insufficient resources. */
export const isTransient = (error: unknown): boolean => {
  const code = codeOf(error)
  return isConnectionLost(error) || (code !== null && (BUSY.has(code) || isSqlstate(code, '53')))
}

/** Why the server cannot run a statement, for those that an operator has to end. */
const CANNOT: Readonly<Record<string, string>> = {
  // disk_full, out_of_memory, read_only_sql_transaction
  '53100': 'the disk of the database is full',
  '53200': 'the database has no memory left',
  '25006': 'the database accepts no writes',
}

/**
 * Whether the database cannot answer a running service, which continues without it: it is down or busy, or refuses sessions until an operator
 * corrects that. Every other error of a statement is a bug.
 */
export const isOutage = (error: unknown): boolean => isTransient(error) || isSessionRefused(error)

/** The result of a query; null during an outage, when it is unknown. Other errors are thrown. */
export const nullInOutage = <Result>(query: Promise<Result>): Promise<Result | null> =>
  query.catch((error) => {
    if (!isOutage(error)) throw error
    return null
  })

/** What is wrong with the database, for an error of an outage. Shows no internals. */
export const describeTransient = (error: unknown): string => {
  const isUnavailable = isConnectionLost(error) || isSessionRefused(error)
  return CANNOT[codeOf(error) ?? ''] ?? (isUnavailable ? 'the database is unavailable' : 'the database is busy')
}
