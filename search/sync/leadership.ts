import type { Lead } from '../../core/postgres/leader/lead'
import { ServiceError } from '../../core/service-error'
import type { SyncContext } from './context'

export interface Leadership {
  isLeading: () => boolean
  /** @throws ServiceError `lead_lost` when this process does not lead */
  current: () => Lead
  /** Keeps the lead, or takes it when nobody has it. False: another process leads, or asked this one to yield. */
  take: () => Promise<boolean>
  /** Gives up the lead, so that a waiting process can take it. */
  giveUp: () => Promise<void>
  /** Another process wants to lead: `take` gives up the lead and does not take it again for a while. */
  yield: () => void
}

/** What to do when a lead begins and when it ends. A duty that throws is retried. */
export interface LeadDuties {
  /** False: processes with other settings lead, and have to stop first. */
  mayLead: () => Promise<boolean>
  begin: () => Promise<void>
  /**
   * The lead was lost. Another process may lead by now, and our open requests may reach Meilisearch after its requests. Called
   * immediately, while requests are open, and again when they have ended.
   */
  lost: () => Promise<void>
  /** Nobody else can lead before this has finished, unless the lead was lost. */
  end: () => Promise<void>
}

const YIELD_MS = 2_000

/** Only one of all sync processes leads at a time (core/postgres/leader/leader.ts). */
export const createLeadership = (
  { connections, say }: Pick<SyncContext, 'connections' | 'say'>,
  duties: LeadDuties,
): Leadership => {
  /** The current lead. Kept until `duties.end` is done. */
  let lead: Lead | null = null
  /** True once `duties.begin` is done. */
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
      // If this fails, `endLead` does it again when the requests have ended.
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
      if (performance.now() < yieldUntil) {
        await giveUp()
        return false
      }
      if (lead !== null && !lead.holds()) await endLead(lead)
      if (lead === null && !(await duties.mayLead())) return false
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
      yieldUntil = performance.now() + YIELD_MS
    },
  }
}
