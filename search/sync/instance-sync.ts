import { CHANNELS } from '../../core/channels'
import { createAlarm } from '../../core/concurrency/alarm'
import type { connectDatabase, Sql } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import type { StateSet } from '../../core/state-set'
import { recordCheck, subjectOf } from '../../drizzle/queries/search/search-index-work'
import { askLeaderToYield, SYNC_DUTY } from '../../drizzle/queries/search/search-outbox'
import type { InstanceQueue } from '../../drizzle/queries/search/search-queues'
import { findBuild, hasLiveIndexes, isUsable } from '../index/index-build'
import { connectMeilisearch, indexNames } from '../index/indexes'
import { type Instance, nameInstance } from '../index/instances'
import { createAppliedVersion } from './applied-version'
import { createConnections } from './connections'
import type { SyncContext } from './context'
import { createDelivery } from './delivery'
import { createDriftCheck } from './drift-check'
import { type DriftReport, type SyncEvent, toError } from './events'
import { createLeadership, type Leadership } from './leadership'
import { createRebuild } from './rebuild/rebuild'
import { repair } from './repair'
import { POLL_MS, type SyncParts, SyncRounds } from './rounds'

export interface InstanceSyncDeps {
  databaseUrl: string
  instance: Instance
  /** The queues of all instances. Empty: there is only this one. */
  queues: readonly InstanceQueue[]
  indexPrefix: string
  openPool: typeof connectDatabase
  onTurn: () => void
  onEvent: (event: SyncEvent) => void
  driftCheck?: { firstMs: number; everyMs: number }
}

export interface InstanceSyncStatus {
  /** Host and port of the instance. */
  instance: string
  states: StateSet
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

const SHORTEST_RETRY_MS = 200
const LONGEST_RETRY_MS = 5_000
/** How long `rebuild()` retries while nothing works, for example because Meilisearch is down. */
const REBUILD_PATIENCE_MS = 60_000
const DRIFT_CHECK = { firstMs: 5 * 60_000, everyMs: 60 * 60_000 }

/** Keeps the index of one instance of Meilisearch equal to the database. Each instance has its own leader. */
export class InstanceSync {
  readonly name: string
  readonly states: StateSet
  readonly #deps: InstanceSyncDeps
  readonly #duty: string
  readonly #context: SyncContext
  readonly #parts: SyncParts
  readonly #rounds: SyncRounds
  readonly #leadership: Leadership
  #stopped = true
  #running: Promise<void> | null = null
  #lastError: string | null = null

  constructor(deps: InstanceSyncDeps) {
    const { instance, queues } = deps
    this.#deps = deps
    this.name = nameInstance(instance)
    this.states = instance.states
    const queue = queues.length === 0 ? null : this.name
    // Processes that distribute the states differently have other duty names, and never lead at the same time.
    const plan = queue === null ? '' : ` by ${Bun.hash(JSON.stringify(queues)).toString(36)}`
    this.#duty = queue === null ? SYNC_DUTY : `${SYNC_DUTY} ${queue}${plan}`
    const connections = createConnections(deps.databaseUrl, this.#duty, deps.openPool)
    const client = connectMeilisearch(instance, 30_000)
    this.#context = {
      connections,
      client,
      indexes: indexNames(deps.indexPrefix),
      say: deps.onEvent,
      states: instance.states,
      queue,
      queues,
      plan,
      subject: subjectOf(queue),
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

  /** A pool that opens on first use. */
  database(): Sql {
    return this.#context.connections.work()
  }

  /** Whether the index is built and no change is on its way to it. */
  async isCurrent(): Promise<boolean> {
    const { client, indexes, states } = this.#context
    const { delivery, rebuild } = this.#parts
    if (!delivery.isIdle() || rebuild.isUnderWay()) return false
    return isUsable(await findBuild(client, indexes).catch(() => null), states)
  }

  /** Whether the live indexes are those of another version of the service. They answer searches until they are rebuilt. */
  async hasFormerIndex(): Promise<boolean> {
    const { client, indexes, states } = this.#context
    const build = await findBuild(client, indexes).catch(() => null)
    return build !== null && !isUsable(build, states)
  }

  status(): InstanceSyncStatus {
    const { delivery, rebuild } = this.#parts
    return {
      instance: this.name,
      states: this.states,
      leading: this.#leadership.isLeading(),
      rebuild: rebuild.progress(),
      inFlight: delivery.inFlight(),
      confirmed: delivery.confirmed(),
      lastError: this.#lastError,
    }
  }

  /** @throws ServiceError `cancelled`, or the last error if rounds failed for a minute */
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
      }, REBUILD_PATIENCE_MS)
      if (this.#parts.rebuild.isCancelled()) throw new ServiceError('cancelled', 'the rebuild was cancelled')
      return documents
    } finally {
      this.#stopped = true
      this.#rounds.isCommanded = false
      await this.#leadership.giveUp()
      await this.#context.connections.end()
    }
  }

  /** @throws ServiceError `search_unavailable` when there is no index yet */
  async repair(): Promise<DriftReport> {
    const { connections, client, indexes, subject } = this.#context
    try {
      if (!(await hasLiveIndexes(client, indexes))) {
        throw new ServiceError(
          'search_unavailable',
          'there is no search index yet: the sync role builds it when it starts',
        )
      }
      const report = await repair(this.#context)
      await recordCheck(connections.work(), subject, report)
      return report
    } finally {
      if (this.#stopped) await connections.end()
    }
  }

  /** Runs rounds while this process leads. Retries a failed round after a growing pause, for `patienceMs` at most. */
  async #run(isDone: () => boolean, patienceMs = Number.POSITIVE_INFINITY): Promise<void> {
    const { alarm, delivery } = this.#parts
    let retryInMs = SHORTEST_RETRY_MS
    let failingSince: number | null = null
    while (!isDone()) {
      try {
        if (await this.#leadership.take()) await this.#rounds.run()
        else {
          // After this process was frozen, the role `sync` leads again. It would never stop leading, so ask it to yield.
          if (this.#rounds.isCommanded) await askLeaderToYield(this.#context.connections.work(), this.#duty)
          await alarm.wait(POLL_MS)
        }
        failingSince = null
        if (delivery.isIdle()) this.#lastError = null
        retryInMs = SHORTEST_RETRY_MS
        this.#deps.onTurn()
      } catch (thrown) {
        const error = toError(thrown)
        this.#lastError = error.message
        failingSince ??= performance.now()
        if (performance.now() - failingSince > patienceMs) throw error
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
      if (!(await this.#rounds.duties.mayLead())) {
        throw new ServiceError('conflict', 'the role sync runs with another MEILI_URL or other MEILI_URLS')
      }
      if (attempt % 10 === 0) await askLeaderToYield(this.#context.connections.work(), this.#duty)
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
    void work.listen(CHANNELS.searchSyncYield, (duty) => {
      if (duty !== this.#duty) return
      this.#leadership.yield()
      alarm.ring()
    })
  }
}
