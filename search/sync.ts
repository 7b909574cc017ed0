import { type Meilisearch, MeilisearchApiError } from 'meilisearch'
import { connectDatabase, type Sql } from '../drizzle/database'
import {
  countSearchRows,
  listEntitiesAfter,
  listEntitiesToIndex,
  listParcelsAfter,
  listParcelsToIndex,
} from '../drizzle/queries/search-documents'
import {
  abandonWork,
  type DriftCounts,
  endCheck,
  endRebuild,
  failCheck,
  listRequestedWork,
  recordCheck,
  SEARCH_WORK_CHANNEL,
  setRebuildProgress,
  startWork,
} from '../drizzle/queries/search-index-work'
import {
  addToOutbox,
  askLeaderToYield,
  countOutbox,
  type DocumentKind,
  deleteFromOutbox,
  deleteFromOutboxUpTo,
  findLagSeconds,
  findLastChange,
  findSession,
  hasChanges,
  listOutbox,
  markOutbox,
  OUTBOX_CHANNEL,
  type OutboxRow,
  stopLeading,
  tryToLead,
  YIELD_CHANNEL,
} from '../drizzle/queries/search-outbox'
import { createAlarm } from '../src/alarm'
import { ServiceError } from '../src/service-error'
import { createEntityDocument, createParcelDocument } from './documents'
import { type Difference, findDrift } from './drift'
import {
  createShadowIndexes,
  dropShadowIndexes,
  findBuiltVersion,
  findEndedTasks,
  hasLiveIndexes,
  swapIndexes,
} from './index-build'
import { connectMeilisearch, indexNames, type MeilisearchAddress, SETTINGS_VERSION } from './indexes'

export interface SearchSyncDeps {
  /** Of the database whose rows are searched: sync makes connections of its own, because leadership is a connection's. */
  databaseUrl: string
  meili: MeilisearchAddress
  /** Index names begin with it. */
  indexPrefix?: string
  /** Told what happens, for the log and the metrics. */
  onEvent?: (event: SyncEvent) => void
  /** When the leader compares index and database: so long after it began to lead, and then so long after each comparison. */
  driftCheck?: { firstMs: number; everyMs: number }
}

export type SyncEvent =
  | { kind: 'leading' | 'following' | 'rebuild_started' }
  | { kind: 'rebuilt'; documents: number; durationMs: number }
  /** Every change stays in the outbox, and is sent again. */
  | { kind: 'failed'; error: Error; retryInMs: number }
  /** Meilisearch takes anything but this document: it is left out until it changes or the next comparison. */
  | { kind: 'refused'; document: DocumentKind; id: string; reason: string }
  | ({ kind: 'drift_checked' } & DriftReport)
  | { kind: 'drift_check_failed'; error: Error }

/** What a comparison of index and database found, and put up for sending. */
export interface DriftReport extends DriftCounts {
  parcels: number
  entities: number
  /** The first of them. */
  examples: Difference[]
  durationMs: number
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
  /** Waits until the index has learned of every change. Throws after `timeoutMs`. */
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

/** Documents a request carries, and requests that may wait in Meilisearch, which indexes waiting ones together. */
const BATCH_SIZE = 5_000
const MOST_BATCHES = 12
/** A rebuild reads smaller pages, more of them: rows, documents and their text are in memory at once, and never rest. */
const FILL_PAGE_SIZE = 2_000
const MOST_FILL_BATCHES = 60
/** What a request carries at most, in UTF-16 units: well below the 100 MB that Meilisearch takes by default. */
const REQUEST_LENGTH = 16_000_000
/** Without a notification the outbox is read this often. */
const POLL_MS = 1_000
/** Tasks are asked about this often. */
const TASK_POLL_MS = 30
const SHORTEST_RETRY_MS = 200
const LONGEST_RETRY_MS = 5_000
/** The indexes are looked at this often, so that a Meilisearch which came back empty is noticed. */
const BUILD_CHECK_MS = 2_000
const YIELD_MS = 2_000
/** How far a rebuild is is written down this often. */
const PROGRESS_MS = 1_000
const DRIFT_CHECK = { firstMs: 5 * 60_000, everyMs: 60 * 60_000 }
/** Comparisons of many processes and services shall not meet: each is put off by up to this share. */
const DRIFT_JITTER = 0.2
/** A comparison rests as long as it works: half the load, twice the time. */
const DRIFT_REST = 1
const DRIFT_EXAMPLES = 20

/** Changes that were sent: when the tasks have ended, the outbox rows can go. */
interface SentBatch {
  rows: readonly OutboxRow[]
  tasks: Set<number>
}

/** Meilisearch takes requests, and will not have what was in this one. */
class Refusal extends Error {
  constructor(
    readonly rows: readonly OutboxRow[],
    reason: string,
  ) {
    super(reason)
  }
}

/** A rebuild under way: the next page begins after `after`. */
interface Fill {
  stage: 'parcels' | 'entities' | 'sent'
  after: string | null
  done: number
  total: number
  /** Pages that were sent and are not confirmed, by task. */
  tasks: Map<number, { kind: DocumentKind; ids: string[] }>
  /** Documents of refused pages are sent as changes, up to this number of the outbox; null when there are none to wait for. */
  resendUpTo: string | null
  startedAt: number
  /** Changes up to this number of the outbox were made before the first page was read: the rebuild brings them. */
  mark: string
}

/**
 * Keeps the search index like the database. Triggers write what changed to an outbox; the leader reads the current rows,
 * sends them, and forgets the change when Meilisearch has confirmed it. Rows are read and sent in one order, so that a later
 * send never carries an older row; a process that dies at any moment leaves its changes in the outbox.
 */
export const createSearchSync = ({
  databaseUrl,
  meili,
  indexPrefix = '',
  onEvent,
  driftCheck = DRIFT_CHECK,
}: SearchSyncDeps): SearchSync => {
  const indexes = indexNames(indexPrefix)
  const client = connectMeilisearch(meili, 30_000)
  const say = onEvent ?? (() => {})
  /** One connection, so that the lock and the reads stand and fall together. */
  let leaderSql: Sql | null = null
  let workSql: Sql | null = null
  const connect = () => {
    leaderSql ??= connectDatabase(databaseUrl, { max: 1, applicationName: 'search-sync-leader' })
    workSql ??= connectDatabase(databaseUrl, { max: 3, applicationName: 'search-sync' })
    return { leader: leaderSql, work: workSql }
  }

  let stopped = true
  let running: Promise<void> | null = null
  let listening = false
  let yieldUntil = 0
  let leading = false
  let session: string | null = null
  let confirmed = 0
  let lastError: string | null = null
  let fill: Fill | null = null
  let hasLive = true
  let builtCheckedAt = 0
  let rebuildWanted = false
  /** `rebuild()` was called: the rebuild is this process's own, whoever leads in between. */
  let isCommanded = false
  let progressWrittenAt = 0
  let leftoversDropped = false
  let sent: SentBatch[] = []
  const inFlight = new Set<string>()
  /** Sent and given up, under this lead: Meilisearch may take it all the same. */
  const unsure = new Map<string, DocumentKind>()
  /** Changes a batch may carry: fewer while a document is looked for that Meilisearch refuses. */
  let batchLimit = BATCH_SIZE
  let drift: { ended: Promise<void>; abort: AbortController } | null = null
  let nextDriftAt = Number.POSITIVE_INFINITY
  const alarm = createAlarm()

  const listen = async () => {
    const { work } = connect()
    while (!stopped && !listening) {
      try {
        await work.listen(OUTBOX_CHANNEL, alarm.ring, alarm.ring)
        await work.listen(SEARCH_WORK_CHANNEL, () => {
          builtCheckedAt = 0
          alarm.ring()
        })
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

  /** Leads when nobody else does. A connection that was replaced has lost the lock: its session is another. */
  const lead = async (): Promise<boolean> => {
    const { leader } = connect()
    const now = await findSession(leader)
    if (leading && now === session) return true
    if (leading) await loseLead()
    if (Date.now() < yieldUntil || !(await tryToLead(leader))) return false
    // What the leader before has left.
    await abandonWork(leader, ['check', 'rebuild'])
    session = now
    leading = true
    builtCheckedAt = 0
    leftoversDropped = false
    nextDriftAt = Date.now() + withJitter(driftCheck.firstMs)
    say({ kind: 'leading' })
    return true
  }

  /** Another may have led since, and may have sent newer rows before what was sent here arrived: the rows are sent once more. */
  const loseLead = async () => {
    forgetSent()
    for (const kind of ['parcel', 'entity'] as const) {
      const ids = [...unsure].filter((entry) => entry[1] === kind).map(([id]) => id)
      if (ids.length > 0) await addToOutbox(connect().work, kind, ids)
    }
    unsure.clear()
    await stopDriftCheck()
    fill = null
    rebuildWanted = isCommanded
    leading = false
    say({ kind: 'following' })
  }

  const giveUpLead = async () => {
    if (!leading) return
    leading = false
    forgetSent()
    unsure.clear()
    fill = null
    rebuildWanted = isCommanded
    await stopDriftCheck()
    say({ kind: 'following' })
    await stopLeading(connect().leader).catch(() => {})
  }

  /** What is in the outbox will be sent again. */
  const forgetSent = () => {
    for (const { rows } of sent) for (const { id, kind } of rows) unsure.set(id, kind)
    sent = []
    inFlight.clear()
  }

  const startFill = async () => {
    await stopDriftCheck()
    say({ kind: 'rebuild_started' })
    hasLive = await hasLiveIndexes(client, indexes)
    const { parcels, entities } = await countSearchRows(connect().work)
    await startWork(connect().work, 'rebuild', parcels + entities)
    await createShadowIndexes(client, indexes)
    fill = {
      stage: 'parcels',
      after: null,
      done: 0,
      total: parcels + entities,
      tasks: new Map(),
      resendUpTo: null,
      startedAt: Date.now(),
      mark: await markOutbox(connect().work),
    }
  }

  const checkBuild = async () => {
    if (fill !== null || Date.now() - builtCheckedAt < BUILD_CHECK_MS) return
    const requested = await listRequestedWork(connect().leader)
    if (requested.includes('rebuild')) rebuildWanted = true
    if (requested.includes('check')) nextDriftAt = 0
    if (!rebuildWanted && (await findBuiltVersion(client, indexes)) === SETTINGS_VERSION) {
      hasLive = true
      builtCheckedAt = Date.now()
      if (!leftoversDropped) await dropShadowIndexes(client, indexes)
      leftoversDropped = true
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
      for (const uid of uids) {
        for (const task of await addDocuments(client, uid, documents)) tasks.add(task)
        if (gone.length > 0) tasks.add((await client.index(uid).deleteDocuments(gone)).taskUid)
      }
    }
    try {
      await send(targets(indexes.parcels, indexes.shadowParcels), parcels.map(createParcelDocument), parcelIds)
      await send(targets(indexes.entities, indexes.shadowEntities), entities.map(createEntityDocument), entityIds)
    } catch (error) {
      for (const { id, kind } of rows) unsure.set(id, kind)
      if (error instanceof MeilisearchApiError && error.response.status === 413) throw new Refusal(rows, error.message)
      throw error
    }
    for (const { seq } of rows) inFlight.add(seq)
    sent.push({ rows, tasks })
  }

  const targets = (live: string, shadow: string): string[] =>
    fill === null ? [live] : hasLive ? [live, shadow] : [shadow]

  /** Sends one page of a rebuild. False when there is nothing to do at the moment. */
  const advanceFill = async (): Promise<boolean> => {
    if (fill === null || fill.stage === 'sent' || fill.tasks.size >= MOST_FILL_BATCHES) return false
    const { work } = connect()
    const isParcels = fill.stage === 'parcels'
    const documents = isParcels
      ? (await listParcelsAfter(work, fill.after, FILL_PAGE_SIZE)).map(createParcelDocument)
      : (await listEntitiesAfter(work, fill.after, FILL_PAGE_SIZE)).map(createEntityDocument)
    const last = documents.at(-1)
    if (last === undefined) {
      fill.stage = isParcels ? 'entities' : 'sent'
      fill.after = null
      return true
    }
    const kind = isParcels ? 'parcel' : 'entity'
    const ids = documents.map(({ id }) => id)
    for (const task of await addDocuments(
      client,
      isParcels ? indexes.shadowParcels : indexes.shadowEntities,
      documents,
    )) {
      fill.tasks.set(task, { kind, ids })
    }
    fill.after = last.id
    fill.done += documents.length
    if (Date.now() - progressWrittenAt > PROGRESS_MS) {
      progressWrittenAt = Date.now()
      await setRebuildProgress(work, fill.done)
    }
    return true
  }

  const finishFill = async () => {
    if (fill === null || !isFilled(fill) || sent.length > 0) return
    await swapIndexes(client, indexes)
    await deleteFromOutboxUpTo(connect().work, fill.mark)
    await endRebuild(connect().work, fill.done)
    say({ kind: 'rebuilt', documents: fill.done, durationMs: Date.now() - fill.startedAt })
    fill = null
    hasLive = true
    rebuildWanted = false
    builtCheckedAt = Date.now()
  }

  /** Forgets the changes whose tasks have ended well. */
  const confirmSent = async () => {
    const uids = [...sent.flatMap(({ tasks }) => [...tasks]), ...(fill?.tasks.keys() ?? [])]
    if (uids.length === 0) return
    const ended = await findEndedTasks(client, uids)
    for (const [uid, { refusal }] of ended) {
      const page = fill?.tasks.get(uid)
      fill?.tasks.delete(uid)
      // As changes, the documents of a page are sent in ever smaller batches, until the one is known.
      if (fill === null || page === undefined || refusal === null) continue
      await addToOutbox(connect().work, page.kind, page.ids)
      fill.resendUpTo = await findLastChange(connect().work)
    }
    for (const { rows, tasks } of sent) {
      for (const uid of tasks) {
        const refusal = ended.get(uid)?.refusal ?? null
        if (refusal !== null) throw new Refusal(rows, refusal)
        if (ended.has(uid)) tasks.delete(uid)
      }
    }
    const done = sent.filter(({ tasks }) => tasks.size === 0)
    const rows = done.flatMap((batch) => batch.rows)
    if (rows.length === 0) return
    await deleteFromOutbox(
      connect().work,
      rows.map(({ seq }) => seq),
    )
    sent = sent.filter((batch) => !done.includes(batch))
    for (const { id, seq } of rows) {
      inFlight.delete(seq)
      unsure.delete(id)
    }
    confirmed += rows.length
    batchLimit = Math.min(BATCH_SIZE, batchLimit * 2)
  }

  const awaitResent = async () => {
    if (fill === null || fill.resendUpTo === null) return
    if (!(await hasChanges(connect().work, { after: fill.mark, upTo: fill.resendUpTo }))) fill.resendUpTo = null
  }

  /** Halves the batches until the refused document is alone in one, and then leaves it out: the others must not wait for it. */
  const handleRefusal = async ({ rows, message }: Refusal) => {
    forgetSent()
    batchLimit = Math.max(1, Math.floor(rows.length / 2))
    const [row] = rows
    if (row === undefined || rows.length > 1) return
    await deleteFromOutbox(connect().work, [row.seq])
    batchLimit = BATCH_SIZE
    say({ kind: 'refused', document: row.kind, id: row.id, reason: message })
  }

  const startDriftCheck = () => {
    const abort = new AbortController()
    const check = async () => {
      try {
        await startWork(connect().work, 'check', null)
        const report = await repair({ rest: DRIFT_REST, signal: abort.signal })
        if (abort.signal.aborted) return
        await endCheck(connect().work, report)
        say({ kind: 'drift_checked', ...report })
      } catch (error) {
        if (abort.signal.aborted) return
        await failCheck(connect().work, toError(error).message).catch(() => {})
        say({ kind: 'drift_check_failed', error: toError(error) })
      } finally {
        drift = null
        nextDriftAt = Date.now() + withJitter(driftCheck.everyMs)
      }
    }
    drift = { ended: check(), abort }
  }

  const stopDriftCheck = async () => {
    if (drift === null) return
    drift.abort.abort()
    await drift.ended
    // By whoever leads next, if somebody asked for it.
    await abandonWork(connect().work, ['check']).catch(() => {})
  }

  const repair = async (options: { rest?: number; signal?: AbortSignal } = {}): Promise<DriftReport> => {
    const { work } = connect()
    const startedAt = Date.now()
    const report: DriftReport = {
      parcels: 0,
      entities: 0,
      missing: 0,
      extra: 0,
      different: 0,
      examples: [],
      durationMs: 0,
    }
    for await (const differences of findDrift(work, client, indexes, options)) {
      const idsOf = (kind: DocumentKind) => differences.filter((one) => one.kind === kind).map(({ id }) => id)
      const [parcelIds, entityIds] = [idsOf('parcel'), idsOf('entity')]
      if (parcelIds.length > 0) await addToOutbox(work, 'parcel', parcelIds)
      if (entityIds.length > 0) await addToOutbox(work, 'entity', entityIds)
      for (const { how } of differences) report[COUNTED_AS[how]]++
      report.parcels += parcelIds.length
      report.entities += entityIds.length
      report.examples.push(...differences.slice(0, DRIFT_EXAMPLES - report.examples.length))
    }
    return { ...report, durationMs: Date.now() - startedAt }
  }

  /** One round: send what changed, else a page of a rebuild; see what has ended; wait if there was nothing to do. */
  const step = async () => {
    await checkBuild()
    // Confirmed before the next is sent: what is sent is looked at again only when the lead has been seen to be still ours.
    await confirmSent()
    await awaitResent()
    await finishFill()
    let busy = false
    // A rebuild ends only when nothing is under way: changes wait for the moment of the swap.
    const isSwapping = fill !== null && isFilled(fill)
    const mostBatches = batchLimit < BATCH_SIZE ? 1 : MOST_BATCHES
    if (sent.length < mostBatches && !isSwapping) {
      // Where nothing is live yet, what the rebuild brings need not be sent beside it.
      const after = fill !== null && !hasLive ? fill.mark : '0'
      const rows = await listOutbox(connect().leader, { after, inFlight: [...inFlight], limit: batchLimit })
      if (rows.length > 0) await sendChanges(rows)
      busy = rows.length === BATCH_SIZE
    }
    busy = (await advanceFill()) || busy
    if (drift === null && fill === null && Date.now() >= nextDriftAt) startDriftCheck()
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
        if (error instanceof Refusal) {
          const handled = await handleRefusal(error).then(
            () => true,
            () => false,
          )
          if (handled) continue
        }
        const failure = toError(error)
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
    lagSeconds: async () => findLagSeconds(connect().work),
    async rebuild(onProgress) {
      if (!stopped) throw new Error('rebuild() leads by itself: it cannot be called between start() and stop()')
      stopped = false
      try {
        // Asked again and again: the leader may be waiting for Meilisearch when it is asked.
        for (let attempt = 0; !(await lead()); attempt++) {
          if (attempt % 10 === 0) await askLeaderToYield(connect().work)
          await Bun.sleep(100)
        }
        rebuildWanted = true
        isCommanded = true
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
        isCommanded = false
        await giveUpLead()
        await disconnect()
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
        const report = await repair()
        await recordCheck(connect().work, report)
        return report
      } finally {
        if (stopped) await disconnect()
      }
    },
  }
}

const COUNTED_AS = { missing: 'missing', 'left over': 'extra', outdated: 'different' } as const

const isFilled = ({ stage, tasks, resendUpTo }: Fill): boolean =>
  stage === 'sent' && tasks.size === 0 && resendUpTo === null

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

const withJitter = (ms: number): number => ms * (1 + DRIFT_JITTER * Math.random())

/** Sends documents in requests of bounded size, and names their tasks. */
const addDocuments = async (client: Meilisearch, uid: string, documents: readonly object[]): Promise<number[]> => {
  const tasks: number[] = []
  let lines: string[] = []
  let size = 0
  const send = async () => {
    if (lines.length === 0) return
    const { taskUid } = await client.index(uid).addDocumentsFromString(lines.join('\n'), 'application/x-ndjson')
    tasks.push(taskUid)
    lines = []
    size = 0
  }
  for (const document of documents) {
    const line = JSON.stringify(document)
    if (size + line.length > REQUEST_LENGTH) await send()
    lines.push(line)
    size += line.length
  }
  await send()
  return tasks
}
