import type { Meilisearch } from 'meilisearch'
import { connectDatabase, type Sql } from '../drizzle/database'
import {
  countSearchRows,
  listEntitiesAfter,
  listEntitiesToIndex,
  listParcelsAfter,
  listParcelsToIndex,
} from '../drizzle/queries/search-documents'
import {
  askLeaderToYield,
  countOutbox,
  deleteFromOutbox,
  deleteFromOutboxUpTo,
  findBackend,
  listOutbox,
  markOutbox,
  OUTBOX_CHANNEL,
  type OutboxRow,
  stopLeading,
  tryToLead,
  YIELD_CHANNEL,
} from '../drizzle/queries/search-outbox'
import { ServiceError } from '../src/service-error'
import { createEntityDocument, createParcelDocument } from './documents'
import { type Drift, findDrift, repairDrift } from './drift'
import { createShadowIndexes, findBuiltVersion, findEndedTasks, hasLiveIndexes, swapIndexes } from './index-build'
import { connectMeilisearch, indexNames, type MeilisearchAddress, SETTINGS_VERSION } from './indexes'

export interface SearchSyncDeps {
  /** Of the database whose rows are searched: sync makes connections of its own, because leadership is a connection's. */
  databaseUrl: string
  meili: MeilisearchAddress
  /** Index names begin with it. */
  indexPrefix?: string
  /** Told what happens, for the log. */
  onEvent?: (event: SyncEvent) => void
}

export type SyncEvent =
  | { kind: 'leading' | 'following' | 'rebuild_started' }
  | { kind: 'rebuilt'; documents: number; durationMs: number }
  | { kind: 'failed'; error: Error; retryInMs: number }

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
  /** Waits until the index has learned of every change. Throws after `timeoutMs`. */
  drain: (timeoutMs?: number) => Promise<void>
  status: () => SyncStatus
  /** How many changes the index has yet to learn of. */
  depth: () => Promise<number>
  /** Builds the indexes anew beside the live ones, which go on answering and changing, and swaps. Leads while it lasts. */
  rebuild: (onProgress?: (done: number, total: number) => void) => Promise<number>
  /** Compares index and database, row by row, and puts what differs up for sending. */
  repair: () => Promise<Drift>
}

/** Documents a request carries, and requests that may wait in Meilisearch, which indexes waiting ones together. */
const BATCH_SIZE = 5_000
const MOST_BATCHES = 12
const MOST_FILL_BATCHES = 24
/** Without a notification the outbox is read this often. */
const POLL_MS = 1_000
/** Tasks are asked about this often. */
const TASK_POLL_MS = 30
const SHORTEST_RETRY_MS = 200
const LONGEST_RETRY_MS = 5_000
/** The indexes are looked at this often, so that a Meilisearch which came back empty is noticed. */
const BUILD_CHECK_MS = 2_000
const YIELD_MS = 2_000

/** Changes that were sent: when the tasks have ended, the outbox rows can go. */
interface SentBatch {
  seqs: string[]
  tasks: Set<number>
}

/** A rebuild under way: the next page begins after `after`. */
interface Fill {
  stage: 'parcels' | 'entities' | 'sent'
  after: string | null
  done: number
  total: number
  tasks: Set<number>
  startedAt: number
  /** Changes up to this number of the outbox were made before the first page was read: the rebuild brings them. */
  mark: string
}

/**
 * Keeps the search index like the database. Triggers write what changed to an outbox; the leader reads the current rows,
 * sends them, and forgets the change when Meilisearch has confirmed it. Rows are read and sent in one order, so that a later
 * send never carries an older row; a process that dies at any moment leaves its changes in the outbox.
 */
export const createSearchSync = ({ databaseUrl, meili, indexPrefix = '', onEvent }: SearchSyncDeps): SearchSync => {
  const indexes = indexNames(indexPrefix)
  const client = connectMeilisearch(meili, 30_000)
  const say = onEvent ?? (() => {})
  /** One connection, so that the lock and the reads stand and fall together. */
  let leaderSql: Sql | null = null
  let workSql: Sql | null = null
  const connect = () => {
    leaderSql ??= connectDatabase(databaseUrl, { max: 1, applicationName: 'search-sync-leader' })
    workSql ??= connectDatabase(databaseUrl, { max: 2, applicationName: 'search-sync' })
    return { leader: leaderSql, work: workSql }
  }

  let stopped = true
  let running: Promise<void> | null = null
  let listening = false
  let yieldUntil = 0
  let leading = false
  let backend: number | null = null
  let confirmed = 0
  let lastError: string | null = null
  let fill: Fill | null = null
  let hasLive = true
  let builtCheckedAt = 0
  let rebuildWanted = false
  let sent: SentBatch[] = []
  const inFlight = new Set<string>()
  const alarm = createAlarm()

  const listen = async () => {
    const { work } = connect()
    while (!stopped && !listening) {
      try {
        await work.listen(OUTBOX_CHANNEL, alarm.ring, alarm.ring)
        await work.listen(YIELD_CHANNEL, () => {
          yieldUntil = Date.now() + YIELD_MS
          alarm.ring()
        })
        listening = true
      } catch {
        await Bun.sleep(SHORTEST_RETRY_MS)
      }
    }
  }

  /** Leads when nobody else does. A connection that was replaced has lost the lock: its backend is another. */
  const lead = async (): Promise<boolean> => {
    const { leader } = connect()
    const now = await findBackend(leader)
    if (leading && now === backend) return true
    leading = false
    if (Date.now() < yieldUntil || !(await tryToLead(leader))) return false
    backend = now
    leading = true
    builtCheckedAt = 0
    forgetSent()
    say({ kind: 'leading' })
    return true
  }

  const giveUpLead = async () => {
    if (!leading) return
    leading = false
    forgetSent()
    fill = null
    say({ kind: 'following' })
    await stopLeading(connect().leader).catch(() => {})
  }

  const forgetSent = () => {
    sent = []
    inFlight.clear()
  }

  const startFill = async () => {
    say({ kind: 'rebuild_started' })
    hasLive = await hasLiveIndexes(client, indexes)
    const { parcels, entities } = await countSearchRows(connect().work)
    await createShadowIndexes(client, indexes)
    fill = {
      stage: 'parcels',
      after: null,
      done: 0,
      total: parcels + entities,
      tasks: new Set(),
      startedAt: Date.now(),
      mark: await markOutbox(connect().work),
    }
  }

  const checkBuild = async () => {
    if (fill !== null || Date.now() - builtCheckedAt < BUILD_CHECK_MS) return
    if (!rebuildWanted && (await findBuiltVersion(client, indexes)) === SETTINGS_VERSION) {
      hasLive = true
      builtCheckedAt = Date.now()
      return
    }
    await startFill()
  }

  /** Reads the current rows of some changes and sends them to every index that has to know. */
  const sendChanges = async (rows: readonly OutboxRow[]) => {
    const { work } = connect()
    const idsOf = (kind: OutboxRow['kind']) => rows.filter((row) => row.kind === kind).map(({ id }) => id)
    const parcelIds = idsOf('parcel')
    const entityIds = idsOf('entity')
    const [parcels, entities] = await Promise.all([
      parcelIds.length === 0 ? [] : listParcelsToIndex(work, parcelIds),
      entityIds.length === 0 ? [] : listEntitiesToIndex(work, entityIds),
    ])
    const tasks = new Set<number>()
    const send = async (uids: string[], documents: { id: string }[], ids: string[]) => {
      const found = new Set(documents.map(({ id }) => id))
      const gone = ids.filter((id) => !found.has(id))
      const lines = documents.map((document) => JSON.stringify(document)).join('\n')
      for (const uid of uids) {
        if (found.size > 0) tasks.add(await addDocuments(client, uid, lines))
        if (gone.length > 0) tasks.add((await client.index(uid).deleteDocuments(gone)).taskUid)
      }
    }
    await send(targets(indexes.parcels, indexes.shadowParcels), parcels.map(createParcelDocument), parcelIds)
    await send(targets(indexes.entities, indexes.shadowEntities), entities.map(createEntityDocument), entityIds)
    const seqs = rows.map(({ seq }) => seq)
    for (const seq of seqs) inFlight.add(seq)
    sent.push({ seqs, tasks })
  }

  const targets = (live: string, shadow: string): string[] =>
    fill === null ? [live] : hasLive ? [live, shadow] : [shadow]

  /** Sends one page of a rebuild. False when there is nothing to do at the moment. */
  const advanceFill = async (): Promise<boolean> => {
    if (fill === null || fill.stage === 'sent' || fill.tasks.size >= MOST_FILL_BATCHES) return false
    const { work } = connect()
    const isParcels = fill.stage === 'parcels'
    const documents = isParcels
      ? (await listParcelsAfter(work, fill.after, BATCH_SIZE)).map(createParcelDocument)
      : (await listEntitiesAfter(work, fill.after, BATCH_SIZE)).map(createEntityDocument)
    const last = documents.at(-1)
    if (last === undefined) {
      fill.stage = isParcels ? 'entities' : 'sent'
      fill.after = null
      return true
    }
    const lines = documents.map((document) => JSON.stringify(document)).join('\n')
    fill.tasks.add(await addDocuments(client, isParcels ? indexes.shadowParcels : indexes.shadowEntities, lines))
    fill.after = last.id
    fill.done += documents.length
    return true
  }

  const finishFill = async () => {
    if (fill === null || fill.stage !== 'sent' || fill.tasks.size > 0 || sent.length > 0) return
    await swapIndexes(client, indexes)
    await deleteFromOutboxUpTo(connect().work, fill.mark)
    say({ kind: 'rebuilt', documents: fill.done, durationMs: Date.now() - fill.startedAt })
    fill = null
    hasLive = true
    rebuildWanted = false
    builtCheckedAt = Date.now()
  }

  /** Forgets the changes whose tasks have ended. */
  const confirmSent = async () => {
    const uids = [...sent.flatMap(({ tasks }) => [...tasks]), ...(fill?.tasks ?? [])]
    if (uids.length === 0) return
    const ended = await findEndedTasks(client, uids)
    if (ended.size === 0) return
    for (const uid of ended) fill?.tasks.delete(uid)
    for (const batch of sent) for (const uid of ended) batch.tasks.delete(uid)
    const done = sent.filter(({ tasks }) => tasks.size === 0)
    const seqs = done.flatMap((batch) => batch.seqs)
    if (seqs.length === 0) return
    await deleteFromOutbox(connect().work, seqs)
    sent = sent.filter((batch) => !done.includes(batch))
    for (const seq of seqs) inFlight.delete(seq)
    confirmed += seqs.length
  }

  /** One round: send what changed, else a page of a rebuild; see what has ended; wait if there was nothing to do. */
  const step = async () => {
    await checkBuild()
    let busy = false
    // A rebuild ends only when nothing is under way: changes wait for the moment of the swap.
    const isSwapping = fill !== null && fill.stage === 'sent' && fill.tasks.size === 0
    if (sent.length < MOST_BATCHES && !isSwapping) {
      // Where nothing is live yet, what the rebuild brings need not be sent beside it.
      const after = fill !== null && !hasLive ? fill.mark : '0'
      const rows = await listOutbox(connect().leader, { after, inFlight: [...inFlight], limit: BATCH_SIZE })
      if (rows.length > 0) await sendChanges(rows)
      busy = rows.length === BATCH_SIZE
    }
    busy = (await advanceFill()) || busy
    await confirmSent()
    await finishFill()
    if (busy) return
    await alarm.wait(sent.length > 0 || fill !== null ? TASK_POLL_MS : POLL_MS)
    // Changes that come one by one are sent together: a task costs Meilisearch more than a document.
    if (sent.length > 0) await Bun.sleep(TASK_POLL_MS)
  }

  const run = async (isDone: () => boolean) => {
    let retryInMs = SHORTEST_RETRY_MS
    while (!isDone()) {
      try {
        if (Date.now() < yieldUntil) await giveUpLead()
        if (await lead()) await step()
        else await alarm.wait(POLL_MS)
        if (lastError !== null && sent.length === 0) lastError = null
        retryInMs = SHORTEST_RETRY_MS
      } catch (error) {
        const failure = error instanceof Error ? error : new Error(String(error))
        lastError = failure.message
        say({ kind: 'failed', error: failure, retryInMs })
        forgetSent()
        fill = null
        builtCheckedAt = 0
        await alarm.wait(retryInMs)
        retryInMs = Math.min(LONGEST_RETRY_MS, retryInMs * 2)
      }
    }
  }

  const disconnect = async () => {
    const clients = [leaderSql, workSql]
    leaderSql = null
    workSql = null
    listening = false
    await Promise.all(clients.map((one) => one?.end({ timeout: 1 })))
  }

  return {
    start() {
      if (!stopped) return
      stopped = false
      void listen()
      running = run(() => stopped)
    },
    async stop() {
      if (stopped) return
      stopped = true
      alarm.ring()
      await running
      await giveUpLead()
      await disconnect()
    },
    async drain(timeoutMs = 30_000) {
      const deadline = Date.now() + timeoutMs
      const { work } = connect()
      while ((await countOutbox(work)) > 0 || inFlight.size > 0 || fill !== null) {
        if (Date.now() > deadline) {
          throw new ServiceError('search_unavailable', `the search index has not caught up within ${timeoutMs} ms`)
        }
        await Bun.sleep(20)
      }
    },
    status: () => ({
      leading,
      rebuild: fill === null ? null : { done: fill.done, total: fill.total },
      inFlight: inFlight.size,
      confirmed,
      lastError,
    }),
    depth: async () => countOutbox(connect().work),
    async rebuild(onProgress) {
      if (!stopped) throw new Error('rebuild() leads by itself: it cannot be called between start() and stop()')
      stopped = false
      try {
        await askLeaderToYield(connect().work)
        while (!(await lead())) await Bun.sleep(100)
        rebuildWanted = true
        let done = 0
        await run(() => {
          if (fill !== null) {
            done = fill.done
            onProgress?.(done, fill.total)
          }
          return !rebuildWanted
        })
        return done
      } finally {
        stopped = true
        await giveUpLead()
        await disconnect()
      }
    },
    async repair() {
      const { work } = connect()
      const drift = await findDrift(work, client, indexes)
      await repairDrift(work, drift)
      if (stopped) await disconnect()
      return drift
    },
  }
}

const addDocuments = async (client: Meilisearch, uid: string, lines: string): Promise<number> =>
  (await client.index(uid).addDocumentsFromString(lines, 'application/x-ndjson')).taskUid

/** Something to wait for that rings at once when it rang while nobody waited. */
const createAlarm = () => {
  let rang = false
  let awake: (() => void) | null = null
  return {
    ring: () => {
      rang = true
      awake?.()
    },
    wait: async (timeoutMs: number): Promise<void> => {
      if (!rang) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs)
          awake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      awake = null
      rang = false
    },
  }
}
