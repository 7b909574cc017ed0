import { CHANNELS } from '../../core/channels'
import { createAlarm } from '../../core/concurrency/alarm'
import { connectDatabase } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { recordCheck } from '../../drizzle/queries/search/search-index-work'
import { askLeaderToYield, countOutbox, findLagSeconds } from '../../drizzle/queries/search/search-outbox'
import { findBuiltVersion, hasLiveIndexes } from '../index/index-build'
import { connectMeilisearch, indexNames, type MeilisearchAddress, SETTINGS_VERSION } from '../index/indexes'
import { createAppliedVersion } from './applied-version'
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
  /** The database with the rows to search. Sync opens its own connections. */
  databaseUrl: string
  meili: MeilisearchAddress
  /** Prefix of all index names. */
  indexPrefix?: string
  /** Opens the pools. Pass one that the metrics watch. */
  openPool?: typeof connectDatabase
  /** Called after each round that succeeded, or that found another process leading. */
  onTurn?: () => void
  /** Receives events for the log and the metrics. */
  onEvent?: (event: SyncEvent) => void
  /** When the leader compares index and database: `firstMs` after it began to lead, then `everyMs` after each check. */
  driftCheck?: { firstMs: number; everyMs: number }
}

export interface SyncStatus {
  /** Only one process leads; the others wait to take over. */
  leading: boolean
  /** Documents of the running rebuild, sent and in total. Null when there is none. */
  rebuild: { done: number; total: number } | null
  /** Changes that were sent and not yet confirmed. */
  inFlight: number
  /** Changes that Meilisearch has confirmed since the start. */
  confirmed: number
  /** The last error. Null after a round that left nothing in flight. */
  lastError: string | null
}

export interface SearchSync {
  /** Starts to follow the database in the background. Retries while a server is down. */
  start: () => void
  /** Stops after the current request. The next leader sends unconfirmed changes again. */
  stop: () => Promise<void>
  /** Waits until the index exists and has every change. Throws after `timeoutMs`. */
  drain: (timeoutMs?: number) => Promise<void>
  status: () => SyncStatus
  /** How many changes the index does not have yet. */
  depth: () => Promise<number>
  /** The age in seconds of the oldest change that the index does not have yet. 0 when it has all. */
  lagSeconds: () => Promise<number>
  /**
   * Builds new indexes beside the live ones, which keep answering and receiving changes, then swaps. Leads during the rebuild.
   *
   * @throws ServiceError `cancelled`
   */
  rebuild: (onProgress?: (done: number, total: number) => void) => Promise<number>
  /**
   * Compares index and database row by row, adds the differences to the outbox, and records the result as the last check.
   *
   * @throws ServiceError `search_unavailable` when there is no index yet
   */
  repair: () => Promise<DriftReport>
}

const SHORTEST_RETRY_MS = 200
const LONGEST_RETRY_MS = 5_000
const DRIFT_CHECK = { firstMs: 5 * 60_000, everyMs: 60 * 60_000 }

/**
 * Keeps the search index equal to the database. Triggers write changes to an outbox. The leader reads the current rows, sends them,
 * and deletes each change when Meilisearch has confirmed it. Rows are read and sent in the same order, so a later request never
 * carries an older row. If a process dies, its changes stay in the outbox. rounds.ts has the rounds of a leader.
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
      appliedVersion: createAppliedVersion(this.#context),
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
        throw new ServiceError('search_unavailable', `the search index did not catch up within ${timeoutMs} ms`)
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
    if (!this.#stopped) throw new Error('rebuild() cannot be called between start() and stop()')
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
      if (this.#parts.rebuild.isCancelled()) throw new ServiceError('cancelled', 'the rebuild was cancelled')
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
          'there is no search index yet: the sync role builds it when it starts',
        )
      }
      const report = await repair(this.#context)
      await recordCheck(connections.work(), report)
      return report
    } finally {
      if (this.#stopped) await connections.end()
    }
  }

  /** Runs rounds while this process leads. Retries a failed round after a growing pause. */
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

  /** Leads as soon as the leader yields. Asks repeatedly, because the leader may be waiting for Meilisearch. */
  async #takeOver(): Promise<void> {
    for (let attempt = 0; !(await this.#leadership.take()); attempt++) {
      if (attempt % 10 === 0) await askLeaderToYield(this.#context.connections.work())
      await Bun.sleep(100)
    }
  }

  /** Listens for changes, requested work, and processes that want to lead. */
  #listen(): void {
    const { alarm } = this.#parts
    const work = this.#context.connections.work()
    void work.listen(CHANNELS.searchOutbox, alarm.ring, alarm.ring)
    void work.listen(CHANNELS.workOrdered, () => {
      this.#rounds.lookSoon()
      alarm.ring()
    })
    void work.listen(CHANNELS.searchSyncYield, () => {
      this.#leadership.yield()
      alarm.ring()
    })
  }
}
