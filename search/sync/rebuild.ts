import { withSpan } from '../../core/observe/with-span'
import { ServiceError } from '../../core/service-error'
import { ALL_STATES, hasNoStates, subtractStates } from '../../core/state-set'
import { countSearchRows } from '../../drizzle/queries/search/search-documents'
import {
  endRebuild,
  isOtherRebuilt,
  setRebuildProgress,
  startRebuild,
} from '../../drizzle/queries/search/search-index-work'
import {
  addToOutbox,
  type DocumentKind,
  deleteFromOutboxUpTo,
  findLastChange,
  hasChanges,
  markOutbox,
} from '../../drizzle/queries/search/search-outbox'
import type { WorkAttempt } from '../../drizzle/queries/work/claim-work'
import { holdWork, type WorkLease } from '../../drizzle/queries/work/hold-work'
import {
  type Build,
  createShadowIndexes,
  deleteOtherStates,
  dropShadowIndexes,
  type EndedTasks,
  findBuild,
  hasLiveIndexes,
  isUsable,
  swapIndexes,
  writeStates,
} from '../index/index-build'
import { listDocumentsAfter } from '../index/list-documents'
import { addDocuments, isTooLarge } from './add-documents'
import type { SyncContext } from './context'
import type { Route } from './delivery'

export interface Rebuild {
  /** Requests a rebuild. */
  want: () => void
  /** True when a rebuild was requested, or when the live indexes have another version than this code builds, or lack states. */
  isDue: () => Promise<boolean>
  /** Begins, unless another instance is being rebuilt. */
  begin: () => Promise<void>
  /** False: there are no live indexes, and another instance is being rebuilt. Changes wait until this instance's turn. */
  canSend: () => boolean
  isUnderWay: () => boolean
  /** The last rebuild was cancelled. */
  isCancelled: () => boolean
  /** Documents sent and in total. Null when no rebuild is running. */
  progress: () => { done: number; total: number } | null
  /** Where to send changes now. */
  route: () => Route
  /** Sends one page. False when there is nothing to send now. */
  sendNext: () => Promise<boolean>
  /** The Meilisearch tasks of the pages in flight. */
  tasks: () => number[]
  /** Forgets the pages whose tasks have ended. Ends a rebuild that was cancelled. */
  confirm: (ended: EndedTasks) => Promise<void>
  /** The shadow indexes are complete except for changes in flight. The swap is next. */
  isFilled: () => boolean
  /** Swaps the new indexes with the live ones. Nothing may be in flight. */
  swap: () => Promise<void>
  /** Stops a running rebuild. It starts over if it is still due. */
  drop: () => void
  /** Puts the documents of unconfirmed pages into the outbox: they may arrive late, in indexes the next leader is building. */
  sendAgain: () => Promise<void>
  /** Clears all state, because the lead has ended. */
  leave: () => void
  /** Removes the shadow indexes of an interrupted rebuild, and the documents of states that the instance had before. */
  dropLeftovers: () => Promise<void>
}

/** A rebuild reads smaller pages than the delivery, and more of them: rows, documents and their text are in memory together. */
const PAGE_SIZE = 2_000
const MAX_PAGES = 60
const FORGET_SIZE = 50_000
/** How often the progress of a rebuild is written to the database. */
const PROGRESS_MS = 1_000

interface Page {
  kind: DocumentKind
  ids: string[]
}

/** The state of a running rebuild. The next page begins after `after`. */
interface Fill {
  work: WorkAttempt
  lease: WorkLease
  /** The kind of documents on the next page. Null when all were sent. */
  reading: DocumentKind | null
  after: string | null
  done: number
  total: number
  /** Pages that were sent and are not confirmed, by task id. */
  tasks: Map<number, Page>
  /** Documents of refused pages are sent as changes, up to this outbox number. Null when there are none to wait for. */
  resendUpTo: string | null
  /** Whether there are live indexes, which need the changes too. */
  hasLive: boolean
  startedAt: number
  progressWrittenAt: number
  /** Changes up to this outbox number were made before the first page was read, so the rebuild includes them. */
  mark: string
}

/** Builds new indexes beside the live ones, from all rows, in pages, and then swaps them. */
export const createRebuild = (context: SyncContext): Rebuild => {
  const { connections, client, indexes, states, queue, subject, write, enqueue, say } = context
  const live = { parcel: indexes.parcels, entity: indexes.entities }
  const shadow = { parcel: indexes.shadowParcels, entity: indexes.shadowEntities }
  let isWanted = false
  let fill: Fill | null = null
  let isCancelled = false
  /** There may be documents of former states, or shadow indexes of a rebuild that this or another process did not finish. */
  let mayHaveLeftovers = true
  let canSend = true
  /** The tasks that delete documents of former states. */
  let leaving: { build: Build; tasks: Set<number> } | null = null
  /** Pages sent under this lead and not confirmed: Meilisearch may still index them. */
  const unsure = new Set<Page>()

  const drop = () => {
    fill?.lease.release()
    fill = null
    leaving = null
    mayHaveLeftovers = true
  }

  const cancel = () => {
    drop()
    isWanted = false
    isCancelled = true
    say({ kind: 'rebuild_cancelled' })
  }

  /** Sends the documents of a refused page as changes. The delivery halves its batches until it finds the refused document. */
  const resend = async (under: Fill, page: Page) => {
    await addToOutbox(connections.work(), page.kind, page.ids)
    under.resendUpTo = await findLastChange(connections.work())
  }

  const confirmLeaving = async (ended: EndedTasks) => {
    if (leaving === null) return
    for (const task of leaving.tasks) {
      const refusal = ended.get(task)?.refusal ?? null
      if (refusal !== null) throw new ServiceError('search_unavailable', `former states were not deleted: ${refusal}`)
      if (ended.has(task)) leaving.tasks.delete(task)
    }
    if (leaving.tasks.size > 0) return
    await writeStates(enqueue, indexes, leaving.build, states)
    leaving = null
  }

  /** Records the progress. False: the rebuild was cancelled and ends here. */
  const goOnOrLeave = async (under: Fill): Promise<boolean> => {
    if (await write((tx) => setRebuildProgress(tx, under.work, under.done))) return true
    cancel()
    return false
  }

  /** An empty page moves on to the next kind of document. */
  const sendPage = async (under: Fill, kind: DocumentKind): Promise<boolean> => {
    const { documents, last } = await listDocumentsAfter(connections.work(), kind, under.after, PAGE_SIZE, states)
    if (last === null) {
      under.reading = kind === 'parcel' ? 'entity' : null
      under.after = null
      return true
    }
    const page = { kind, ids: documents.map(({ id }) => id) }
    if (documents.length > 0) unsure.add(page)
    try {
      for (const task of await addDocuments(enqueue, shadow[kind], documents)) under.tasks.set(task, page)
    } catch (error) {
      if (!isTooLarge(error)) throw error
      await resend(under, page)
    }
    under.after = last
    under.done += documents.length
    if (performance.now() - under.progressWrittenAt > PROGRESS_MS) {
      under.progressWrittenAt = performance.now()
      await goOnOrLeave(under)
    }
    return true
  }

  return {
    want() {
      isWanted = true
    },
    async isDue() {
      const isDue = isWanted || !isUsable(await findBuild(client, indexes), states)
      if (!isDue) canSend = true
      return isDue
    },
    canSend: () => canSend,
    async begin() {
      const work = connections.work()
      const hasLive = await hasLiveIndexes(client, indexes)
      canSend = hasLive
      if (await isOtherRebuilt(work, subject)) return
      const { parcels, entities } = await countSearchRows(work, states)
      const started = await write((tx) => startRebuild(tx, subject, parcels + entities))
      if (started === null) return
      canSend = true
      say({ kind: 'rebuild_started' })
      const lease = holdWork(connections.work, started)
      isCancelled = false
      const mark = await createShadowIndexes(enqueue, client, indexes)
        .then(() => markOutbox(work))
        .catch((error) => {
          lease.release()
          throw error
        })
      fill = {
        ...{ work: started, lease, mark },
        reading: 'parcel',
        after: null,
        done: 0,
        total: parcels + entities,
        tasks: new Map(),
        resendUpTo: null,
        hasLive,
        startedAt: performance.now(),
        progressWrittenAt: Number.NEGATIVE_INFINITY,
      }
    },
    isUnderWay: () => fill !== null,
    isCancelled: () => isCancelled,
    progress: () => fill && { done: fill.done, total: fill.total },
    route() {
      if (fill === null) return { after: '0', uids: { parcel: [live.parcel], entity: [live.entity] } }
      // Without live indexes, changes that the rebuild includes need not be sent.
      if (!fill.hasLive) return { after: fill.mark, uids: { parcel: [shadow.parcel], entity: [shadow.entity] } }
      return {
        after: '0',
        uids: { parcel: [live.parcel, shadow.parcel], entity: [live.entity, shadow.entity] },
      }
    },
    async sendNext() {
      if (fill === null || fill.reading === null || fill.tasks.size >= MAX_PAGES) return false
      const under = fill
      const kind = fill.reading
      return withSpan('rebuild batch', { kind }, () => sendPage(under, kind))
    },
    tasks: () => [...(fill?.tasks.keys() ?? []), ...(leaving?.tasks ?? [])],
    async confirm(ended) {
      await confirmLeaving(ended)
      if (fill?.lease.lost.aborted) cancel()
      if (fill === null) return
      const work = connections.work()
      for (const [uid, page] of fill.tasks) {
        const task = ended.get(uid)
        if (task === undefined) continue
        fill.tasks.delete(uid)
        unsure.delete(page)
        if (task.refusal !== null) await resend(fill, page)
      }
      if (fill.resendUpTo === null) return
      if (!(await hasChanges(work, queue, { after: fill.mark, upTo: fill.resendUpTo }))) fill.resendUpTo = null
    },
    isFilled: () => fill !== null && fill.reading === null && fill.tasks.size === 0 && fill.resendUpTo === null,
    async swap() {
      if (fill === null) return
      const { work, mark, done, startedAt } = fill
      if (!(await goOnOrLeave(fill))) return
      await swapIndexes(enqueue, client, indexes, states)
      // In several transactions, because a leader's transactions must be short.
      while ((await write((tx) => deleteFromOutboxUpTo(tx, queue, mark, FORGET_SIZE))) === FORGET_SIZE);
      await write((tx) => endRebuild(tx, work, done))
      say({ kind: 'rebuilt', documents: done, durationMs: performance.now() - startedAt })
      fill.lease.release()
      fill = null
      isWanted = false
    },
    drop,
    async sendAgain() {
      for (const { kind, ids } of unsure) await addToOutbox(connections.work(), kind, ids)
    },
    leave() {
      drop()
      isWanted = false
      unsure.clear()
    },
    async dropLeftovers() {
      if (!mayHaveLeftovers) return
      await dropShadowIndexes(enqueue, client, indexes)
      const build = await findBuild(client, indexes)
      if (build !== null && !hasNoStates(subtractStates(build.states ?? ALL_STATES, states))) {
        leaving = { build, tasks: new Set(await deleteOtherStates(enqueue, indexes, states)) }
      }
      mayHaveLeftovers = false
    },
  }
}
