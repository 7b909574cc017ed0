import { LEADER_LOCK, stopLeading } from '../../drizzle/queries/search-outbox'
import { findSession, tryToLead } from '../../drizzle/queries/try-to-lead'
import type { SyncContext } from './context'

export interface Leadership {
  isLeading: () => boolean
  /** Leads on, or begins to when nobody else does. False: another leads, or was asked to let lead. */
  take: () => Promise<boolean>
  /** Lets whoever waits take over. */
  giveUp: () => Promise<void>
  /** Somebody asks to lead: `take` gives up, and holds back for a while. */
  yield: () => void
}

/** What is done when a lead begins and when it ends. What throws is done again. */
export interface LeadDuties {
  begin: () => Promise<void>
  /** `isLost`: another may have led since. Else nobody can before this has ended. */
  end: (how: { isLost: boolean }) => Promise<void>
}

const YIELD_MS = 2_000

/** One process of many leads: the one whose connection holds a lock of the database. */
export const createLeadership = ({ connections, say }: SyncContext, duties: LeadDuties): Leadership => {
  /** The one of our sessions that took the lock; null: none. */
  let session: string | null = null
  /** The duties of the beginning are done. */
  let isLeading = false
  let yieldUntil = 0

  const endLead = async (how: { isLost: boolean }) => {
    if (!isLeading) return
    await duties.end(how)
    isLeading = false
    say({ kind: 'following' })
  }

  const giveUp = async () => {
    if (session === null) return
    await endLead({ isLost: false })
    session = null
    // A connection that is lost has let go already.
    await stopLeading(connections.leader()).catch(() => {})
  }

  return {
    isLeading: () => isLeading,
    async take() {
      if (Date.now() < yieldUntil) {
        await giveUp()
        return false
      }
      const leader = connections.leader()
      // A connection that was replaced has lost the lock: its session is another.
      if (session !== null && session !== (await findSession(leader))) {
        await endLead({ isLost: true })
        session = null
      }
      session ??= await tryToLead(leader, LEADER_LOCK)
      if (session === null) return false
      if (!isLeading) {
        await duties.begin()
        isLeading = true
        say({ kind: 'leading' })
      }
      return true
    },
    giveUp,
    yield() {
      yieldUntil = Date.now() + YIELD_MS
    },
  }
}
