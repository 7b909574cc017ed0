import { randomUUID } from 'node:crypto'
import { ServiceError } from '../service-error'
import { untilAborted } from '../until-aborted'
import { waitAtMost } from '../wait-at-most'
import { connectDatabase, type Sql, type Transaction } from './database'
import { giveUpLead, lockLead, renewLead, takeLead } from './leaders'

/** A duty that one process of many has at a time. */
export interface Leader {
  /** The lead, if this process has it or nobody has: then it takes it. Null: another process leads. Throws when the database is away. */
  lead: () => Promise<Lead | null>
  /** Gives the duty up: the next process that asks gets it. This process never leads again. */
  stop: () => Promise<void>
}

/** One lead, of one term: once it has ended it never holds again. */
export interface Lead {
  /** Text: it is compared, never counted with. A later lead has a higher one. */
  readonly term: string
  /** False as soon as the lease may have run out, by this process's own clock and without asking: it may be cut off, or was frozen. */
  holds: () => boolean
  /** Aborted when the lead ends. After a freeze, `holds` knows sooner. */
  ended: AbortSignal
  /**
   * Runs `write` in a transaction that takes effect under this lead or not at all. It may last 7 s; then the server ends it.
   *
   * @throws ServiceError `lead_lost`
   */
  begin: <Result>(sql: Sql, write: (tx: Transaction) => Promise<Result>) => Promise<Result>
  /**
   * What `work` comes to, unless the lead ends first.
   *
   * @throws ServiceError `lead_lost`
   */
  during: <Result>(work: Promise<Result>) => Promise<Result>
  /** Work goes on. So does asking for the lead and `begin`: a leader that does none of them for long loses the lead. */
  isAtWork: () => void
  /** @throws ServiceError `lead_lost` unless the lead holds */
  check: () => void
  giveUp: () => Promise<void>
}

const LEASE_MS = 6_000
const RENEW_MS = 2_000
/** A renewal that fails is tried again this soon. */
const RETRY_MS = 500
/** How long the database may take to answer a renewal: two find room before the lease ends. */
const RENEWED_WITHIN_MS = 1_500
/** How long it may take to answer any other question, with a new connection if need be. */
const ANSWER_MS = 3_000
/** A frozen process's transaction is ended before its lease is: who takes over does not wait for it. */
const IDLE_MS = LEASE_MS - RENEW_MS
/** The longest transaction under a lead. One usually takes some tens of ms; the next leader has to be there within 10 s of a freeze. */
const TRANSACTION_MS = LEASE_MS + 1_000
/** A leader that does nothing for this long has hung, though its lease is renewed. */
const PATIENCE_MS = 30_000
/** When a connection turns out to lead nowhere, those that the work waits for may, too: a leader has to show that it works on. */
const SUSPICION_MS = 4_000

/**
 * Leads by a lease: a row of the database with an owner, a term and an expiry. The lease is renewed in the background, through a
 * connection of its own; a leader that dies, freezes or is cut off loses it by the clock of the database, and the next one raises the
 * term. What a leader writes goes through `begin`, which refuses any term but the current one.
 */
export const createLeader = (databaseUrl: string, duty: string, { patienceMs = PATIENCE_MS } = {}): Leader => {
  const owner = randomUUID()
  let connection: Sql | null = null
  let current: Lead | null = null
  let taking: Promise<Lead | null> | null = null
  let isStopped = false

  /** Asks the database. A connection that does not answer may lead nowhere: the next question goes through another one. */
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

  /** A lead that was taken with a question asked at `askedAt`: the lease began after that. */
  const hold = (term: string, askedAt: number): Lead => {
    const name = { duty, owner, term }
    const ended = new AbortController()
    let expiresAt = askedAt + LEASE_MS
    let workedAt = askedAt
    /** When a renewal was sent that was not answered, and nothing was heard of the work since. */
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
      // Work that may be silent for longer than usual, as a build is, is not suspected so soon.
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
        // A connection that leads nowhere leaves it waiting for ever.
        const result = await lead.during(written)
        lead.isAtWork()
        return result as Awaited<ReturnType<typeof write>>
      },
      async giveUp() {
        if (ended.signal.aborted) return
        end()
        // Without this the other processes wait until the lease expires.
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
