import type { Sql } from '../../../core/postgres/database'
import { LED_LEASE_MS, type WorkAttempt } from './claim-work'

/** The lease of one attempt. */
export interface WorkLease {
  /** Aborted when the work was cancelled, or another process has claimed it. */
  lost: AbortSignal
  /** Call it when the caller itself detects that the attempt is no longer the current one. */
  lose: () => void
  /** Stops extending the lease. */
  release: () => void
}

export class WorkLost extends Error {}

/**
 * Extends the lease of running work at intervals. An error does not matter: the work's own statements report what is wrong with the database, and if the
 * lease runs out, another process continues the work.
 */
export const holdWork = (
  sql: () => Sql,
  { id, attempt }: WorkAttempt,
  {
    leaseMs = LED_LEASE_MS,
    heartbeatMs = 1_000,
    onHeld = () => {},
  }: {
    leaseMs?: number
    heartbeatMs?: number
    /** Called when the database answered. */
    onHeld?: () => void
  } = {},
): WorkLease => {
  const lost = new AbortController()
  const lose = () => lost.abort(new WorkLost('this attempt is no longer the current one'))
  const extend = async () => {
    const { count } = await sql()`
      update work set lease_expires_at = now() + ${leaseMs} * interval '1 ms'
      where id = ${id} and attempts = ${attempt} and status = 'running'`
    if (count === 0) lose()
    onHeld()
  }
  const timer = setInterval(() => void extend().catch(() => {}), heartbeatMs)
  return { lost: lost.signal, lose, release: () => clearInterval(timer) }
}
