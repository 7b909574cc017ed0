import { createAlarm } from '../../core/alarm'
import { CHANNELS } from '../../core/channels'
import { connectDatabase, type Sql } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { abandonWork, listRequestedWork, recordCheck } from '../../drizzle/queries/search/search-index-work'
import { askLeaderToYield, countOutbox, findLagSeconds } from '../../drizzle/queries/search/search-outbox'
import { findBuiltVersion, findEndedTasks, hasLiveIndexes } from '../index/index-build'
import { connectMeilisearch, indexNames, type MeilisearchAddress, SETTINGS_VERSION } from '../index/indexes'
import { createConnections } from './connections'
import type { SyncContext } from './context'
import { createDelivery } from './delivery'
import { createDriftCheck } from './drift-check'
import { type DriftReport, type SyncEvent, toError } from './events'
import { createLeadership } from './leadership'
import { createRebuild } from './rebuild'
import { repair } from './repair'

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

/** Without a notification the outbox is read this often. */
const POLL_MS = 1_000
/** Tasks are asked about this often. */
const TASK_POLL_MS = 30
const SHORTEST_RETRY_MS = 200
const LONGEST_RETRY_MS = 5_000
/** The indexes are looked at this often, so that a Meilisearch which came back empty is noticed. */
const LOOK_MS = 2_000
const DRIFT_CHECK = { firstMs: 5 * 60_000, everyMs: 60 * 60_000 }

/**
 * Keeps the search index like the database. Triggers write what changed to an outbox; the leader reads the current rows,
 * sends them, and forgets the change when Meilisearch has confirmed it. Rows are read and sent in one order, so that a later
 * send never carries an older row; a process that dies at any moment leaves its changes in the outbox. This is the loop; its
 * parts, each with a state of its own, are in `sync/`.
 */
export const createSearchSync = ({
  databaseUrl,
  meili,
  indexPrefix = '',
  openPool = connectDatabase,
  onEvent = () => {},
  onTurn = () => {},
  driftCheck: driftCheckTimes = DRIFT_CHECK,
}: SearchSyncDeps): SearchSync => {
  const connections = createConnections(databaseUrl, openPool)
  const client = connectMeilisearch(meili, 30_000)
  const indexes = indexNames(indexPrefix)
  const context: SyncContext = {
    ...{ connections, client, indexes, say: onEvent },
    write: (work) => leadership.current().begin(connections.work(), work),
    async enqueue(request) {
      const lead = leadership.current()
      lead.check()
      lead.isAtWork()
      return (await request(client)).taskUid
    },
  }
  const alarm = createAlarm()

  let stopped = true
  let running: Promise<void> | null = null
  let nextLookAt = 0
  /** `rebuild()` was called and has not swapped yet: the rebuild is this process's own, whoever leads in between. */
  let isCommanded = false
  let lastError: string | null = null

  const delivery = createDelivery(context)
  const rebuild = createRebuild(context)
  const driftCheck = createDriftCheck(context, driftCheckTimes)
  const leadership = createLeadership(context, {
    async begin() {
      // What the leader before has left.
      await context.write((tx) => abandonWork(tx, ['check', 'rebuild']))
      if (isCommanded) rebuild.want()
      driftCheck.schedule()
      nextLookAt = 0
    },
    async lost() {
      await delivery.sendAgain()
      await rebuild.sendAgain()
    },
    async end() {
      await driftCheck.stop()
      delivery.leave()
      rebuild.leave()
    },
  })

  /** Begins what somebody asked for, and a rebuild where the live indexes are not as they should be. */
  const beginWork = async () => {
    if (rebuild.isUnderWay() || Date.now() < nextLookAt) return
    nextLookAt = Date.now() + LOOK_MS
    const requested = await listRequestedWork(connections.work())
    if (requested.includes('rebuild')) rebuild.want()
    if (requested.includes('check')) driftCheck.hurry()
    if (!(await rebuild.isDue())) return rebuild.dropLeftovers()
    await driftCheck.stop()
    await rebuild.begin()
  }

  /** One round: see what has ended; send what changed, and a page of a rebuild; wait if there was nothing to do. */
  const step = async () => {
    await beginWork()
    // Confirmed before the next is sent: what is sent is looked at again only when the lead has been seen to be still ours.
    const ended = await findEndedTasks(client, [...delivery.tasks(), ...rebuild.tasks()])
    await delivery.confirm(ended)
    await rebuild.confirm(ended)
    if (rebuild.isFilled() && delivery.isIdle()) {
      await rebuild.swap()
      isCommanded = false
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

  const run = async (isDone: () => boolean) => {
    let retryInMs = SHORTEST_RETRY_MS
    while (!isDone()) {
      try {
        if (await leadership.take()) await step()
        else await alarm.wait(POLL_MS)
        if (delivery.isIdle()) lastError = null
        retryInMs = SHORTEST_RETRY_MS
        onTurn()
      } catch (thrown) {
        const error = toError(thrown)
        lastError = error.message
        onEvent({ kind: 'failed', error, retryInMs })
        delivery.forget()
        rebuild.drop()
        nextLookAt = 0
        await alarm.wait(retryInMs)
        retryInMs = Math.min(LONGEST_RETRY_MS, retryInMs * 2)
      }
    }
  }

  /** Hears of changes, of work that is asked for, and of who wants to lead. */
  const listen = (work: Sql) => {
    void work.listen(CHANNELS.searchOutbox, alarm.ring, alarm.ring)
    void work.listen(CHANNELS.searchIndexWork, () => {
      nextLookAt = 0
      alarm.ring()
    })
    void work.listen(CHANNELS.searchSyncYield, () => {
      leadership.yield()
      alarm.ring()
    })
  }

  return {
    start() {
      if (!stopped) return
      stopped = false
      listen(connections.work())
      running = run(() => stopped)
    },
    async stop() {
      if (stopped) return
      stopped = true
      alarm.ring()
      await running
      await leadership.giveUp()
      await connections.end()
    },
    async drain(timeoutMs = 30_000) {
      const deadline = Date.now() + timeoutMs
      const work = connections.work()
      const isBuilt = async () => (await findBuiltVersion(client, indexes).catch(() => null)) === SETTINGS_VERSION
      while ((await countOutbox(work)) > 0 || !delivery.isIdle() || rebuild.isUnderWay() || !(await isBuilt())) {
        if (Date.now() > deadline) {
          throw new ServiceError('search_unavailable', `the search index has not caught up within ${timeoutMs} ms`)
        }
        await Bun.sleep(20)
      }
    },
    status: () => ({
      leading: leadership.isLeading(),
      rebuild: rebuild.progress(),
      inFlight: delivery.inFlight(),
      confirmed: delivery.confirmed(),
      lastError,
    }),
    depth: async () => countOutbox(connections.work()),
    lagSeconds: async () => findLagSeconds(connections.work()),
    async rebuild(onProgress) {
      if (!stopped) throw new Error('rebuild() leads by itself: it cannot be called between start() and stop()')
      stopped = false
      isCommanded = true
      try {
        // Asked again and again: the leader may be waiting for Meilisearch when it is asked.
        for (let attempt = 0; !(await leadership.take()); attempt++) {
          if (attempt % 10 === 0) await askLeaderToYield(connections.work())
          await Bun.sleep(100)
        }
        let documents = 0
        await run(() => {
          const progress = rebuild.progress()
          if (progress !== null) {
            documents = progress.done
            onProgress?.(progress.done, progress.total)
          }
          return !isCommanded
        })
        return documents
      } finally {
        stopped = true
        isCommanded = false
        await leadership.giveUp()
        await connections.end()
      }
    },
    async repair() {
      try {
        if (!(await hasLiveIndexes(client, indexes))) {
          throw new ServiceError(
            'search_unavailable',
            'there is no search index yet: it is built when the sync role starts',
          )
        }
        const report = await repair(context)
        await recordCheck(connections.work(), report)
        return report
      } finally {
        if (stopped) await connections.end()
      }
    },
  }
}
