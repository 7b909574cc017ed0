import type { Alarm } from '../../core/alarm'
import { abandonWork, listRequestedWork } from '../../drizzle/queries/search/search-index-work'
import { findEndedTasks } from '../index/index-build'
import type { SyncContext } from './context'
import type { createDelivery } from './delivery'
import type { createDriftCheck } from './drift-check'
import type { LeadDuties } from './leadership'
import type { createRebuild } from './rebuild'

/** The indexes are looked at this often, so that a Meilisearch which came back empty is noticed. */
const LOOK_MS = 2_000
/** Without a notification the outbox is read this often. */
export const POLL_MS = 1_000
/** Tasks are asked about this often. */
const TASK_POLL_MS = 30

export interface SyncParts {
  delivery: ReturnType<typeof createDelivery>
  rebuild: ReturnType<typeof createRebuild>
  driftCheck: ReturnType<typeof createDriftCheck>
  alarm: Alarm
}

/** What the leader does, round after round. */
export class SyncRounds {
  readonly #context: SyncContext
  readonly #parts: SyncParts
  #nextLookAt = 0
  /** `rebuild()` was called and has not swapped yet: the rebuild is this process's own, whoever leads in between. */
  isCommanded = false

  constructor(context: SyncContext, parts: SyncParts) {
    this.#context = context
    this.#parts = parts
  }

  /** The next round looks at the indexes and at what was requested. */
  lookSoon(): void {
    this.#nextLookAt = 0
  }

  readonly duties: LeadDuties = {
    begin: async () => {
      // What the leader before has left.
      await this.#context.write((tx) => abandonWork(tx, ['check', 'rebuild']))
      if (this.isCommanded) this.#parts.rebuild.want()
      this.#parts.driftCheck.schedule()
      this.lookSoon()
    },
    lost: async () => {
      await this.#parts.delivery.sendAgain()
      await this.#parts.rebuild.sendAgain()
    },
    end: async () => {
      await this.#parts.driftCheck.stop()
      this.#parts.delivery.leave()
      this.#parts.rebuild.leave()
    },
  }

  /** One round: see what has ended; send what changed, and a page of a rebuild; wait if there was nothing to do. */
  async run(): Promise<void> {
    const { delivery, rebuild, driftCheck, alarm } = this.#parts
    await this.#beginWork()
    // Confirmed before the next is sent: what is sent is looked at again only when the lead has been seen to be still ours.
    const ended = await findEndedTasks(this.#context.client, [...delivery.tasks(), ...rebuild.tasks()])
    await delivery.confirm(ended)
    await rebuild.confirm(ended)
    if (rebuild.isFilled() && delivery.isIdle()) {
      await rebuild.swap()
      this.isCommanded = false
    }
    // A rebuild ends only when nothing is under way: changes wait for the moment of the swap.
    const hasMoreChanges = !rebuild.isFilled() && (await delivery.sendNext(rebuild.route()))
    const hasMorePages = await rebuild.sendNext()
    if (!rebuild.isUnderWay()) driftCheck.startIfDue()
    if (hasMoreChanges || hasMorePages) return
    await alarm.wait(delivery.isIdle() && !rebuild.isUnderWay() ? POLL_MS : TASK_POLL_MS)
    // Changes that come one by one are sent together: a task costs Meilisearch more than a document.
    if (!delivery.isIdle()) await Bun.sleep(TASK_POLL_MS)
  }

  /** After a round that failed: everything that was on its way is sent again. */
  giveUp(): void {
    this.#parts.delivery.forget()
    this.#parts.rebuild.drop()
    this.lookSoon()
  }

  /** Begins what was requested, and a rebuild where the live indexes are not as they should be. */
  async #beginWork(): Promise<void> {
    const { rebuild, driftCheck } = this.#parts
    if (rebuild.isUnderWay() || Date.now() < this.#nextLookAt) return
    this.#nextLookAt = Date.now() + LOOK_MS
    const requested = await listRequestedWork(this.#context.connections.work())
    if (requested.includes('rebuild')) rebuild.want()
    if (requested.includes('check')) driftCheck.hurry()
    if (!(await rebuild.isDue())) return rebuild.dropLeftovers()
    await driftCheck.stop()
    await rebuild.begin()
  }
}
