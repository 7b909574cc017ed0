import type { Alarm } from '../../core/concurrency/alarm'
import { abandonWork, endStrayWork, listRequestedWork, subjectOf } from '../../drizzle/queries/search/search-index-work'
import { isLedElsewhere } from '../../drizzle/queries/search/search-outbox'
import { returnChanges, routeChanges } from '../../drizzle/queries/search/search-queues'
import { findEndedTasks } from '../index/index-build'
import type { AppliedVersion } from './applied-version'
import type { SyncContext } from './context'
import type { createDelivery } from './delivery'
import type { createDriftCheck } from './drift-check'
import type { LeadDuties } from './leadership'
import type { createRebuild } from './rebuild/rebuild'

/** How often the leader checks the indexes, to notice a Meilisearch that restarted empty. */
const LOOK_MS = 2_000
/** How often the outbox is read without a notification. */
export const POLL_MS = 1_000
/** How often the state of Meilisearch tasks is read. */
const TASK_POLL_MS = 30
/** Most changes that one statement moves to the queues of their instances. */
const ROUTED_AT_ONCE = 5_000

export interface SyncParts {
  delivery: ReturnType<typeof createDelivery>
  rebuild: ReturnType<typeof createRebuild>
  driftCheck: ReturnType<typeof createDriftCheck>
  appliedVersion: AppliedVersion
  alarm: Alarm
}

/** The rounds of a leader. */
export class SyncRounds {
  readonly #context: SyncContext
  readonly #parts: SyncParts
  #nextLookAt = 0
  /** `rebuild()` was called and has not swapped yet. This process still does the rebuild if another one leads in between. */
  isCommanded = false

  constructor(context: SyncContext, parts: SyncParts) {
    this.#context = context
    this.#parts = parts
  }

  /** The next round checks the indexes and the requested work. */
  lookSoon(): void {
    this.#nextLookAt = 0
  }

  readonly duties: LeadDuties = {
    mayLead: async () => !(await isLedElsewhere(this.#context.connections.work(), this.#context.plan)),
    begin: async () => {
      const { connections, queues } = this.#context
      const names = queues.map(({ name }) => name)
      while ((await returnChanges(connections.work(), names, ROUTED_AT_ONCE)) === ROUTED_AT_ONCE);
      const subjects = queues.length === 0 ? [this.#context.subject] : names.map(subjectOf)
      await this.#context.write((tx) => endStrayWork(tx, subjects))
      // Left by the previous leader.
      await this.#context.write((tx) => abandonWork(tx, ['check', 'rebuild'], this.#context.subject))
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

  /** One round: confirm ended tasks; send changes, and a page of a rebuild; wait if there was nothing to do. */
  async run(): Promise<void> {
    const { delivery, rebuild, driftCheck, appliedVersion, alarm } = this.#parts
    const { connections, queues } = this.#context
    await this.#beginWork()
    // Confirm before sending more. A batch is confirmed only in a later round, after that round has verified the lead.
    const ended = await findEndedTasks(this.#context.client, [...delivery.tasks(), ...rebuild.tasks()])
    await delivery.confirm(ended)
    await rebuild.confirm(ended)
    if (rebuild.isCancelled()) this.isCommanded = false
    if (rebuild.isFilled() && delivery.isIdle()) {
      await rebuild.swap()
      this.isCommanded = false
    }
    if (queues.length > 0) await routeChanges(connections.work(), queues, ROUTED_AT_ONCE)
    // The swap needs an idle delivery, so changes wait until it is done.
    const hasMoreChanges = !rebuild.isFilled() && rebuild.canSend() && (await delivery.sendNext(rebuild.route()))
    const hasMorePages = await rebuild.sendNext()
    if (!rebuild.isUnderWay() && rebuild.canSend()) {
      driftCheck.startIfDue()
      await appliedVersion.follow()
    }
    if (hasMoreChanges || hasMorePages) return
    await alarm.wait(delivery.isIdle() && !rebuild.isUnderWay() ? POLL_MS : TASK_POLL_MS)
    // Collect single changes into one batch: a task costs Meilisearch more than a document.
    if (!delivery.isIdle()) await Bun.sleep(TASK_POLL_MS)
  }

  /** After a failed round: everything in flight is sent again. */
  giveUp(): void {
    this.#parts.delivery.forget()
    this.#parts.rebuild.drop()
    this.lookSoon()
  }

  /** Starts requested work, and a rebuild when the live indexes need one. */
  async #beginWork(): Promise<void> {
    const { rebuild, driftCheck } = this.#parts
    if (rebuild.isUnderWay() || performance.now() < this.#nextLookAt) return
    this.#nextLookAt = performance.now() + LOOK_MS
    const requested = await listRequestedWork(this.#context.connections.work(), this.#context.subject)
    if (requested.includes('rebuild')) rebuild.want()
    if (requested.includes('check')) driftCheck.hurry()
    if (!(await rebuild.isDue())) return rebuild.dropLeftovers()
    await driftCheck.stop()
    await rebuild.begin()
  }
}
