import { untilAborted } from '../../concurrency/until-aborted'
import { ServiceError } from '../../service-error'
import type { Sql, Transaction } from '../database'
import type { LeadConnection } from './lead-connection'
import { giveUpLead, type LeadName, lockLead, renewLead } from './leaders'
import { createProgressWatch } from './progress-watch'

/** The lead for one term. Once it has ended, it never holds again. */
export interface Lead {
  /** A bigint as text: it is only compared. A later lead has a higher term. */
  readonly term: string
  /** False as soon as the lease may have expired by this process's own clock. Does not query the database, which may be unreachable. */
  holds: () => boolean
  /** Aborted when the lead ends. After a freeze of the process, `holds` turns false first. */
  ended: AbortSignal
  /**
   * Runs `write` in a transaction that commits only under this lead. The server ends it after 7 s.
   *
   * @throws ServiceError `lead_lost`
   */
  begin: <Result>(sql: Sql, write: (tx: Transaction) => Promise<Result>) => Promise<Result>
  /**
   * Waits for `work`, unless the lead ends first.
   *
   * @throws ServiceError `lead_lost`
   */
  during: <Result>(work: Promise<Result>) => Promise<Result>
  /** Reports progress, as `lead` and `begin` also do. A leader that reports none for `patienceMs` loses the lead. */
  isAtWork: () => void
  /** @throws ServiceError `lead_lost` unless the lead holds */
  check: () => void
  giveUp: () => Promise<void>
}

export const LEASE_MS = 6_000
const RENEW_MS = 2_000
/** Pause before a failed renewal is retried. */
const RETRY_MS = 500
/** Time limit of a renewal. Two attempts fit before the lease ends. */
const RENEWED_WITHIN_MS = 1_500
/** The server ends a frozen process's transaction before its lease ends, so that the next leader does not wait for it. */
const IDLE_MS = LEASE_MS - RENEW_MS
/** The longest transaction under a lead. Most take some tens of ms. After a freeze, the next leader has to take over within 10 s. */
const TRANSACTION_MS = LEASE_MS + 1_000

/** Holds a lead that was requested at `askedAt`, and renews its lease. The lease began later than `askedAt`. */
export const holdLead = (name: LeadName, askedAt: number, { ask }: LeadConnection, patienceMs: number): Lead => {
  const ended = new AbortController()
  const progress = createProgressWatch(askedAt, patienceMs)
  let expiresAt = askedAt + LEASE_MS
  let timer: Timer | undefined

  const leadLost = () => new ServiceError('lead_lost', `another process may have the duty ${name.duty} by now`)
  const holds = () => !ended.signal.aborted && performance.now() < expiresAt
  const check = () => {
    if (!holds()) throw leadLost()
  }
  const end = () => {
    clearTimeout(timer)
    ended.abort(leadLost())
  }
  const giveUp = async () => {
    if (ended.signal.aborted) return
    end()
    // Without this, the other processes wait until the lease expires.
    await ask((db) => giveUpLead(db, name)).catch(() => {})
  }

  const renewIn = (ms: number) => {
    timer = setTimeout(renew, Math.max(0, Math.min(ms, expiresAt - performance.now())))
  }
  const renew = async () => {
    if (!holds()) return end()
    if (progress.hasHung()) return giveUp()
    const askedAt = performance.now()
    try {
      const withinMs = Math.min(RENEWED_WITHIN_MS, expiresAt - askedAt)
      const isRenewed = await ask((db) => renewLead(db, { ...name, leaseMs: LEASE_MS }), withinMs)
      if (!isRenewed || !holds()) return end()
      expiresAt = askedAt + LEASE_MS
      renewIn(RENEW_MS)
    } catch {
      progress.suspect(askedAt)
      if (!ended.signal.aborted) renewIn(RETRY_MS)
    }
  }
  renewIn(RENEW_MS)

  return {
    term: name.term,
    holds,
    ended: ended.signal,
    check,
    during: (work) => untilAborted(ended.signal, work),
    isAtWork: progress.isAtWork,
    async begin(sql, write) {
      check()
      progress.isAtWork()
      const written = sql.begin(async (tx) => {
        if (!(await lockLead(tx, { ...name, idleMs: IDLE_MS, transactionMs: TRANSACTION_MS }))) {
          end()
          throw leadLost()
        }
        return write(tx)
      })
      // On a dead connection, `written` would never settle.
      const result = await untilAborted(ended.signal, written)
      progress.isAtWork()
      return result as Awaited<ReturnType<typeof write>>
    },
    giveUp,
  }
}
