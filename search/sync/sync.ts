import { createAlarm } from '../../core/alarm'
import { CHANNELS } from '../../core/channels'
import { connectDatabase } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { recordCheck } from '../../drizzle/queries/search/search-index-work'
import { askLeaderToYield, countOutbox, findLagSeconds } from '../../drizzle/queries/search/search-outbox'
import { findBuiltVersion, hasLiveIndexes } from '../index/index-build'
import { connectMeilisearch, indexNames, type MeilisearchAddress, SETTINGS_VERSION } from '../index/indexes'
import { createConnections } from './connections'
import type { SyncContext } from './context'
import { createDelivery } from './delivery'
import { createDriftCheck } from './drift-check'
import { type DriftReport, type SyncEvent, toError } from './events'
import { createLeadership, type Leadership } from './leadership'
import { createRebuild } from './rebuild'
import { repair } from './repair'
import { POLL_MS, type SyncParts, SyncRounds } from './rounds'

export type { DriftReport, SyncEvent } from './events'

export interface SearchSyncDeps {
  /** Of the database whose rows are searched: sync makes connections of its own. */
  databaseUrl: string
  meili: MeilisearchAddress
  /** Index names begin with it. */
  indexPrefix?: string
  /** Opens its pools: such that the metrics watch. */
  openPool?: typeof connectDatabase
  /** Called after each turn that did its work, or found that another process leads. */
  onTurn?: () => void
  /** Told what happens, for the log and the metrics. */
  onEvent?: (event: SyncEvent) => void
  /** When the leader compares index and database: so long after it began to lead, and then so long after each comparison. */
  driftCheck?: { firstMs: number; everyMs: number }
}

export interface SyncStatus {
  /** Only one process leads; the others wait to take over. */
  leading: boolean
  /** Documents of a rebuild that were sent, of how many; null when there is none. */
  rebuild: { done: number; total: number } | null
  /** Changes that were sent and not yet confirmed. */
  inFlight: number
  /** Changes that Meilisearch has confirmed since the start. */
  confirmed: number
  /** What went wrong last; null when all is well again. */
  lastError: string | null
}

export interface SearchSync {
  /** Begins to follow the database, in the background. Servers that are away are waited for. */
  start: () => void
  /** Ends after the request that is under way. What is not confirmed is sent again by the next leader. */
  stop: () => Promise<void>
  /** Waits until there is an index and it has every change. Throws after `timeoutMs`. */
  drain: (timeoutMs?: number) => Promise<void>
  status: () => SyncStatus
  /** How many changes the index has yet to learn of. */
  depth: () => Promise<number>
  /** The age of the oldest change that the index has yet to learn of, in seconds; 0 when it knows all. */
  lagSeconds: () => Promise<number>
  /** Builds the indexes anew beside the live ones, which go on answering and changing, and swaps. Leads while it lasts. */
  rebuild: (onProgress?: (done: number, total: number) => void) => Promise<number>
  /**
   * Compares index and database, row by row, puts what differs up for sending, and records what it found as the last check.
   *
   * @throws ServiceError `search_unavailable` when there is no index yet
   */
  repair: () => Promise<DriftReport>
}

const SHORTEST_RETRY_MS = 200
const LONGEST_RETRY_MS = 5_000
const DRIFT_CHECK = { firstMs: 5 * 60_000, everyMs: 60 * 60_000 }

/**
 * Keeps the search index like the database. Triggers write what changed to an outbox; the leader reads the current rows,
 * sends them, and forgets the change when Meilisearch has confirmed it. Rows are read and sent in one order, so that a later
 * send never carries an older row; a process that dies at any moment leaves its changes in the outbox. What a leader does in a round
 * is in rounds.ts; its parts, each with a state of its own, are beside it.
 */
export const createSearchSync = (deps: SearchSyncDeps): SearchSync => new OutboxSync(deps)

class OutboxSync implements SearchSync {
  readonly #deps: SearchSyncDeps
  readonly #context: SyncContext
  readonly #parts: SyncParts
  readonly #rounds: SyncRounds
  readonly #leadership: Leadership
  #stopped = true
  #running: Promise<void> | null = null
  #lastError: string | null = null

  constructor(deps: SearchSyncDeps) {
    this.#deps = deps
    const connections = createConnections(deps.databaseUrl, deps.openPool ?? connectDatabase)
    const client = connectMeilisearch(deps.meili, 30_000)
    this.#context = {
      ...{ connections, client, indexes: indexNames(deps.indexPrefix ?? ''), say: deps.onEvent ?? (() => {}) },
      write: (work) => this.#leadership.current().begin(connections.work(), work),
      enqueue: async (request) => {
        const lead = this.#leadership.current()
        lead.check()
        lead.isAtWork()
        return (await request(client)).taskUid
      },
    }
    this.#parts = {
      delivery: createDelivery(this.#context),
      rebuild: createRebuild(this.#context),
      driftCheck: createDriftCheck(this.#context, deps.driftCheck ?? DRIFT_CHECK),
      alarm: createAlarm(),
    }
    this.#rounds = new SyncRounds(this.#context, this.#parts)
    this.#leadership = createLeadership(this.#context, this.#rounds.duties)
  }

  start(): void {
    if (!this.#stopped) return
    this.#stopped = false
    this.#listen()
    this.#running = this.#run(() => this.#stopped)
  }

  async stop(): Promise<void> {
    if (this.#stopped) return
    this.#stopped = true
    this.#parts.alarm.ring()
    await this.#running
    await this.#leadership.giveUp()
    await this.#context.connections.end()
  }

  async drain(timeoutMs = 30_000): Promise<void> {
    const { connections, client, indexes } = this.#context
    const { delivery, rebuild } = this.#parts
    const deadline = Date.now() + timeoutMs
    const work = connections.work()
    const isBuilt = async () => (await findBuiltVersion(client, indexes).catch(() => null)) === SETTINGS_VERSION
    while ((await countOutbox(work)) > 0 || !delivery.isIdle() || rebuild.isUnderWay() || !(await isBuilt())) {
      if (Date.now() > deadline) {
        throw new ServiceError('search_unavailable', `the search index has not caught up within ${timeoutMs} ms`)
      }
      await Bun.sleep(20)
    }
  }

  status(): SyncStatus {
    const { delivery, rebuild } = this.#parts
    return {
      leading: this.#leadership.isLeading(),
      rebuild: rebuild.progress(),
      inFlight: delivery.inFlight(),
      confirmed: delivery.confirmed(),
      lastError: this.#lastError,
    }
  }

  depth(): Promise<number> {
    return countOutbox(this.#context.connections.work())
  }

  lagSeconds(): Promise<number> {
    return findLagSeconds(this.#context.connections.work())
  }

  async rebuild(onProgress?: (done: number, total: number) => void): Promise<number> {
    if (!this.#stopped) throw new Error('rebuild() leads by itself: it cannot be called between start() and stop()')
    this.#stopped = false
    this.#rounds.isCommanded = true
    try {
      await this.#takeOver()
      let documents = 0
      await this.#run(() => {
        const progress = this.#parts.rebuild.progress()
        if (progress !== null) {
          documents = progress.done
          onProgress?.(progress.done, progress.total)
        }
        return !this.#rounds.isCommanded
      })
      return documents
    } finally {
      this.#stopped = true
      this.#rounds.isCommanded = false
      await this.#leadership.giveUp()
      await this.#context.connections.end()
    }
  }

  async repair(): Promise<DriftReport> {
    const { connections, client, indexes } = this.#context
    try {
      if (!(await hasLiveIndexes(client, indexes))) {
        throw new ServiceError(
          'search_unavailable',
          'there is no search index yet: it is built when the sync role starts',
        )
      }
      const report = await repair(this.#context)
      await recordCheck(connections.work(), report)
      return report
    } finally {
      if (this.#stopped) await connections.end()
    }
  }

  /** Round after round while this process leads. What fails is done again, after a pause that grows. */
  async #run(isDone: () => boolean): Promise<void> {
    const { alarm, delivery } = this.#parts
    let retryInMs = SHORTEST_RETRY_MS
    while (!isDone()) {
      try {
        if (await this.#leadership.take()) await this.#rounds.run()
        else await alarm.wait(POLL_MS)
        if (delivery.isIdle()) this.#lastError = null
        retryInMs = SHORTEST_RETRY_MS
        this.#deps.onTurn?.()
      } catch (thrown) {
        const error = toError(thrown)
        this.#lastError = error.message
        this.#context.say({ kind: 'failed', error, retryInMs })
        this.#rounds.giveUp()
        await alarm.wait(retryInMs)
        retryInMs = Math.min(LONGEST_RETRY_MS, retryInMs * 2)
      }
    }
  }

  /** Leads as soon as the leader yields. It is asked again and again, because it may be waiting for Meilisearch. */
  async #takeOver(): Promise<void> {
    for (let attempt = 0; !(await this.#leadership.take()); attempt++) {
      if (attempt % 10 === 0) await askLeaderToYield(this.#context.connections.work())
      await Bun.sleep(100)
    }
  }

  /** Hears of changes, of work that is requested, and of who wants to lead. */
  #listen(): void {
    const { alarm } = this.#parts
    const work = this.#context.connections.work()
    void work.listen(CHANNELS.searchOutbox, alarm.ring, alarm.ring)
    void work.listen(CHANNELS.searchIndexWork, () => {
      this.#rounds.lookSoon()
      alarm.ring()
    })
    void work.listen(CHANNELS.searchSyncYield, () => {
      this.#leadership.yield()
      alarm.ring()
    })
  }
}
