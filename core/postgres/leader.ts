import { randomUUID } from 'node:crypto'
import { untilAborted } from '../concurrency/until-aborted'
import { waitAtMost } from '../concurrency/wait-at-most'
import { ServiceError } from '../service-error'
import { connectDatabase, type Sql, type Transaction } from './database'
import { giveUpLead, lockLead, renewLead, takeLead } from './leaders'

/** Competes for a duty that only one process can have at a time. */
export interface Leader {
  /** Returns the lead, taking it if nobody has it. Null: another process leads. Throws when the database is unavailable. */
  lead: () => Promise<Lead | null>
  /** Gives up the duty, so that another process can take it. This process never leads again. */
  stop: () => Promise<void>
}

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

const LEASE_MS = 6_000
const RENEW_MS = 2_000
/** Pause before a failed renewal is retried. */
const RETRY_MS = 500
/** Time limit of a renewal. Two attempts fit before the lease ends. */
const RENEWED_WITHIN_MS = 1_500
/** Time limit of any other query, including a new connection if needed. */
const ANSWER_MS = 3_000
/** The server ends a frozen process's transaction before its lease ends, so that the next leader does not wait for it. */
const IDLE_MS = LEASE_MS - RENEW_MS
/** The longest transaction under a lead. Most take some tens of ms. After a freeze, the next leader has to take over within 10 s. */
const TRANSACTION_MS = LEASE_MS + 1_000
/** A leader without progress for this long has hung, even if its lease is renewed. */
const PATIENCE_MS = 30_000
/** If one connection is dead, those that the work uses may be dead too. Then a leader must show progress within this time. */
const SUSPICION_MS = 4_000

/**
 * Leads by a lease: a row in the database with an owner, a term and an expiry. A separate connection renews it in the background. If
 * a leader dies, freezes or is cut off, the lease expires by the clock of the database, and the next leader raises the term. A
 * leader writes through `begin`, which refuses any term but the current one.
 */
export const createLeader = (databaseUrl: string, duty: string, { patienceMs = PATIENCE_MS } = {}): Leader => {
  const owner = randomUUID()
  let connection: Sql | null = null
  let current: Lead | null = null
  let taking: Promise<Lead | null> | null = null
  let isStopped = false

  /** Queries the database. A connection that does not answer may be dead, so the next query gets a new one. */
  const ask = async <Answer>(question: (db: Sql) => Promise<Answer>, withinMs = ANSWER_MS): Promise<Answer> => {
    connection ??= connectDatabase(databaseUrl, { max: 1, applicationName: `${duty}-leader`, patience: 'background' })
    const asked = connection
    try {
      const answer = await waitAtMost(withinMs, question(asked))
      if (answer === 'late') throw new ServiceError('server_unavailable', NO_ANSWER)
      return answer
    } catch (error) {
      if (connection === asked) connection = null
      asked.end({ timeout: 0 }).catch(() => {})
      throw error
    }
  }

  /** A lead that was requested at `askedAt`. Its lease began later. */
  const hold = (term: string, askedAt: number): Lead => {
    const name = { duty, owner, term }
    const ended = new AbortController()
    let expiresAt = askedAt + LEASE_MS
    let workedAt = askedAt
    /** When a failed renewal was sent, if the work has shown no progress since. */
    let suspectSince: number | null = null
    let timer: Timer | undefined

    const holds = () => !ended.signal.aborted && performance.now() < expiresAt
    const end = () => {
      clearTimeout(timer)
      if (current === lead) current = null
      ended.abort(leadLost(duty))
    }
    const check = () => {
      if (!holds()) throw leadLost(duty)
    }
    const hasHung = (): boolean => {
      const now = performance.now()
      if (suspectSince !== null && workedAt > suspectSince) suspectSince = null
      // Work with a longer `patienceMs`, such as a build, can go without progress for longer.
      if (suspectSince !== null && patienceMs <= PATIENCE_MS && now - suspectSince > SUSPICION_MS) return true
      return now - workedAt > patienceMs
    }
    const renewIn = (ms: number) => {
      timer = setTimeout(renew, Math.max(0, Math.min(ms, expiresAt - performance.now())))
    }
    const renew = async () => {
      if (!holds()) return end()
      if (hasHung()) return lead.giveUp()
      const askedAt = performance.now()
      try {
        const withinMs = Math.min(RENEWED_WITHIN_MS, expiresAt - askedAt)
        const isRenewed = await ask((db) => renewLead(db, { ...name, leaseMs: LEASE_MS }), withinMs)
        if (!isRenewed || !holds()) return end()
        expiresAt = askedAt + LEASE_MS
        renewIn(RENEW_MS)
      } catch {
        suspectSince ??= askedAt
        if (!ended.signal.aborted) renewIn(RETRY_MS)
      }
    }

    const lead: Lead = {
      term,
      holds,
      ended: ended.signal,
      check,
      during: (work) => untilAborted(ended.signal, work),
      isAtWork() {
        workedAt = performance.now()
      },
      async begin(sql, write) {
        check()
        lead.isAtWork()
        const written = sql.begin(async (tx) => {
          if (!(await lockLead(tx, { ...name, idleMs: IDLE_MS, transactionMs: TRANSACTION_MS }))) {
            end()
            throw leadLost(duty)
          }
          return write(tx)
        })
        // On a dead connection, `written` would never settle.
        const result = await lead.during(written)
        lead.isAtWork()
        return result as Awaited<ReturnType<typeof write>>
      },
      async giveUp() {
        if (ended.signal.aborted) return
        end()
        // Without this, the other processes wait until the lease expires.
        await ask((db) => giveUpLead(db, name)).catch(() => {})
      },
    }
    renewIn(RENEW_MS)
    return lead
  }

  const take = async (): Promise<Lead | null> => {
    const askedAt = performance.now()
    const term = await ask((db) => takeLead(db, { duty, owner, leaseMs: LEASE_MS }))
    if (term === null) return null
    const lead = hold(term, askedAt)
    if (!isStopped && lead.holds()) {
      current = lead
      return lead
    }
    await lead.giveUp()
    return null
  }

  return {
    async lead() {
      if (isStopped) return null
      if (current?.holds()) {
        current.isAtWork()
        return current
      }
      taking ??= take().finally(() => {
        taking = null
      })
      return taking
    },
    async stop() {
      isStopped = true
      await taking?.catch(() => {})
      await current?.giveUp()
      await connection?.end({ timeout: 1 })
    },
  }
}

const NO_ANSWER = 'the database does not answer'

const leadLost = (duty: string) => new ServiceError('lead_lost', `another process may have the duty ${duty} by now`)
