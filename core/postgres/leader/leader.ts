import { randomUUID } from 'node:crypto'
import { holdLead, LEASE_MS, type Lead } from './lead'
import { createLeadConnection } from './lead-connection'
import { takeLead } from './leaders'
import { PATIENCE_MS } from './progress-watch'

/** Competes for a duty that only one process can have at a time. */
export interface Leader {
  /** Returns the lead, taking it if nobody has it. Null: another process leads. Throws when the database is unavailable. */
  lead: () => Promise<Lead | null>
  /** Gives up the duty, so that another process can take it. This process never leads again. */
  stop: () => Promise<void>
}

/**
 * Leads by a lease: a row in the database with an owner, a term and an expiry. A separate connection renews it in the background. If
 * a leader dies, freezes or is cut off, the lease expires by the clock of the database, and the next leader raises the term. A
 * leader writes through `begin`, which refuses any term but the current one.
 */
export const createLeader = (databaseUrl: string, duty: string, { patienceMs = PATIENCE_MS } = {}): Leader => {
  const owner = randomUUID()
  const connection = createLeadConnection(databaseUrl, duty)
  let current: Lead | null = null
  let taking: Promise<Lead | null> | null = null
  let isStopped = false

  const take = async (): Promise<Lead | null> => {
    await connection.connect()
    const askedAt = performance.now()
    const term = await connection.ask((db) => takeLead(db, { duty, owner, leaseMs: LEASE_MS }))
    if (term === null) return null
    const lead = holdLead({ duty, owner, term }, askedAt, connection, patienceMs)
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
      await connection.end()
    },
  }
}
