import type { Lead } from '../../core/postgres/leader'
import { ServiceError } from '../../core/service-error'
import type { SyncContext } from './context'

export interface Leadership {
  isLeading: () => boolean
  /** @throws ServiceError `lead_lost` where there is none */
  current: () => Lead
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
  /**
   * The lead was lost: another may lead by now, and what is on its way to Meilisearch may arrive after what the other sends. Called
   * at once, while requests are under way, and again when they have ended.
   */
  lost: () => Promise<void>
  /** Unless the lead was lost, nobody can lead before this has ended. */
  end: () => Promise<void>
}

const YIELD_MS = 2_000

/** One process of many leads (core/postgres/leader.ts). */
export const createLeadership = (
  { connections, say }: Pick<SyncContext, 'connections' | 'say'>,
  duties: LeadDuties,
): Leadership => {
  /** The lead that the duties were begun under, or are to be. Kept until those of the end are done. */
  let lead: Lead | null = null
  /** The duties of the beginning are done. */
  let isLeading = false
  let yieldUntil = 0

  const endLead = async (ending: Lead) => {
    if (isLeading) {
      if (!ending.holds()) await duties.lost()
      await duties.end()
      isLeading = false
      say({ kind: 'following' })
    }
    lead = null
  }

  let watched: Lead | null = null
  const watch = (taken: Lead) => {
    if (watched === taken) return
    watched = taken
    taken.ended.addEventListener('abort', () => {
      // Where it cannot be done now, it is when the requests have ended.
      if (lead === taken && isLeading) void duties.lost().catch(() => {})
    })
  }

  const giveUp = async () => {
    if (lead === null) return
    const ending = lead
    await endLead(ending)
    await ending.giveUp()
  }

  return {
    isLeading: () => isLeading,
    current() {
      if (lead === null) throw new ServiceError('lead_lost', 'this process does not lead')
      return lead
    },
    async take() {
      if (Date.now() < yieldUntil) {
        await giveUp()
        return false
      }
      if (lead !== null && !lead.holds()) await endLead(lead)
      lead ??= await connections.leader().lead()
      if (lead === null) return false
      watch(lead)
      lead.isAtWork()
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
