import { connectDatabase, type Sql } from '../../core/postgres/database'
import { nullInOutage } from '../../core/postgres/transient-errors'
import { ServiceError } from '../../core/service-error'
import {
  countOutbox,
  findLagSeconds,
  measureQueue,
  type QueueMeasure,
} from '../../drizzle/queries/search/search-outbox'
import { listInstances, type Meilisearches, nameInstance } from '../index/instances'
import type { DriftReport, SyncEvent } from './events'
import { InstanceSync, type InstanceSyncStatus } from './instance-sync'

export type { DriftReport, SyncEvent } from './events'

export interface SearchSyncDeps {
  /** The database with the rows to search. Sync opens its own connections. */
  databaseUrl: string
  meili: Meilisearches
  /** Prefix of all index names. */
  indexPrefix?: string
  /** Opens the pools. Pass one that the metrics watch. */
  openPool?: typeof connectDatabase
  /** Called after each round that succeeded or found another process leading. */
  onTurn?: () => void
  /** Receives events for the log and the metrics, with the name of the instance. */
  onEvent?: (event: SyncEvent, instance: string) => void
  /** When the leader compares index and database: `firstMs` after it began to lead, then `everyMs` after each check. */
  driftCheck?: { firstMs: number; everyMs: number }
}

/**
 * The status of all instances together, and of each. `leading`: this process leads for all. `rebuild`: the running one; instances take
 * turns.
 */
export interface SyncStatus extends Omit<InstanceSyncStatus, 'instance' | 'states'> {
  instances: readonly InstanceSyncStatus[]
}

export interface SearchSync {
  /** Starts to follow the database in the background. Retries while a server is down. */
  start: () => void
  /** Stops after the current request. The next leader sends unconfirmed changes again. */
  stop: () => Promise<void>
  /** Waits until the index exists and has every change. Throws after `timeoutMs`. */
  drain: (timeoutMs?: number) => Promise<void>
  /** Whether the live indexes of an instance are those of another version. They answer searches until they are rebuilt. */
  hasFormerIndex: () => Promise<boolean>
  status: () => SyncStatus
  /** How many changes the index does not have yet. */
  depth: () => Promise<number>
  /** The age in seconds of the oldest change that the index does not have yet. 0 when it has all. */
  lagSeconds: () => Promise<number>
  /** With several instances: the changes that wait for each. `queue` is null while the database does not answer. */
  measureInstances: () => Promise<{ status: InstanceSyncStatus; queue: QueueMeasure | null }[]>
  /**
   * Builds new indexes beside the live ones, which keep answering and receiving changes, then swaps. Leads during the rebuild.
   * Instances are rebuilt one after the other; `only`: just the one with this name. Returns the number of documents.
   *
   * @throws ServiceError `cancelled`, `not_found` when there is no such instance; the last error if nothing works for a minute
   */
  rebuild: (onProgress?: (done: number, total: number, instance: string) => void, only?: string) => Promise<number>
  /**
   * Compares index and database row by row, adds the differences to the outbox, and records the result as the last check.
   *
   * @throws ServiceError `search_unavailable` when there is no index yet, `not_found` when there is no such instance
   */
  repair: (only?: string) => Promise<DriftReport>
}

/**
 * Keeps the search index equal to the database. Triggers write changes to an outbox. The leader reads the current rows, sends them, and
 * deletes each change when Meilisearch has confirmed it. Rows are read and sent in the same order, so a later request never contains an
 * older row. If a process dies, its changes stay in the outbox. rounds.ts has the rounds of a leader.
 *
 * With several instances of Meilisearch, changes move from the outbox to a queue for each instance. Each has its own leader and
 * progress, so an instance that is down does not delay the others.
 */
export const createSearchSync = ({
  databaseUrl,
  meili,
  indexPrefix = '',
  openPool = connectDatabase,
  onTurn = () => {},
  onEvent = () => {},
  driftCheck,
}: SearchSyncDeps): SearchSync => {
  const instances = listInstances(meili)
  const queues = instances.map((instance) => ({ name: nameInstance(instance), states: instance.states }))
  const syncs = instances.map(
    (instance) =>
      new InstanceSync({
        databaseUrl,
        instance,
        indexPrefix,
        openPool,
        onTurn,
        onEvent: (event) => onEvent(event, nameInstance(instance)),
        queues: queues.length > 1 ? queues : [],
        ...(driftCheck === undefined ? {} : { driftCheck }),
      }),
  )
  const choose = (only: string | undefined): InstanceSync[] => {
    const chosen = only === undefined ? syncs : syncs.filter(({ name }) => name === only)
    if (chosen.length > 0) return chosen
    throw new ServiceError(
      'not_found',
      `there is no instance ${only}: there are ${queues.map(({ name }) => name).join(', ')}`,
    )
  }
  const database = (): Sql => {
    const [first] = syncs
    if (first === undefined) throw new Error('there is no instance of Meilisearch')
    return first.database()
  }
  const depth = () => countOutbox(database())

  return {
    start() {
      for (const sync of syncs) sync.start()
    },
    async stop() {
      await Promise.all(syncs.map((sync) => sync.stop()))
    },
    async drain(timeoutMs = 30_000) {
      const deadline = performance.now() + timeoutMs
      const isDone = async () =>
        (await depth()) === 0 && (await Promise.all(syncs.map((sync) => sync.isCurrent()))).every(Boolean)
      while (!(await isDone())) {
        if (performance.now() > deadline) {
          throw new ServiceError('search_unavailable', `the search index did not catch up within ${timeoutMs} ms`)
        }
        await Bun.sleep(20)
      }
    },
    async hasFormerIndex() {
      return (await Promise.all(syncs.map((sync) => sync.hasFormerIndex()))).some(Boolean)
    },
    status() {
      const statuses = syncs.map((sync) => sync.status())
      return {
        leading: statuses.every(({ leading }) => leading),
        rebuild: statuses.find(({ rebuild }) => rebuild !== null)?.rebuild ?? null,
        inFlight: sum(statuses.map(({ inFlight }) => inFlight)),
        confirmed: sum(statuses.map(({ confirmed }) => confirmed)),
        lastError: statuses.find(({ lastError }) => lastError !== null)?.lastError ?? null,
        instances: statuses,
      }
    },
    depth,
    lagSeconds: () => findLagSeconds(database()),
    measureInstances: () =>
      Promise.all(
        (syncs.length > 1 ? syncs : []).map(async (sync) => ({
          status: sync.status(),
          queue: await nullInOutage(measureQueue(database(), sync.name)),
        })),
      ),
    async rebuild(onProgress, only) {
      let documents = 0
      for (const sync of choose(only)) {
        documents += await sync.rebuild((done, total) => onProgress?.(done, total, sync.name))
      }
      return documents
    },
    async repair(only) {
      const reports: DriftReport[] = []
      for (const sync of choose(only)) reports.push(await sync.repair())
      return addReports(reports)
    },
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

const addReports = (reports: readonly DriftReport[]): DriftReport => ({
  parcels: sum(reports.map(({ parcels }) => parcels)),
  entities: sum(reports.map(({ entities }) => entities)),
  missing: sum(reports.map(({ missing }) => missing)),
  extra: sum(reports.map(({ extra }) => extra)),
  different: sum(reports.map(({ different }) => different)),
  examples: reports.flatMap(({ examples }) => examples),
  durationMs: sum(reports.map(({ durationMs }) => durationMs)),
})
