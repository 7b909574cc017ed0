import { countSearchRows } from '../../../drizzle/queries/search/search-documents'
import {
  endRebuild,
  isOtherRebuilt,
  setRebuildProgress,
  startRebuild,
} from '../../../drizzle/queries/search/search-index-work'
import { addToOutbox, deleteFromOutboxUpTo, markOutbox } from '../../../drizzle/queries/search/search-outbox'
import type { WorkAttempt } from '../../../drizzle/queries/work/claim-work'
import { holdWork, type WorkLease } from '../../../drizzle/queries/work/hold-work'
import {
  createShadowIndexes,
  type EndedTasks,
  findBuild,
  hasLiveIndexes,
  isUsable,
  swapIndexes,
} from '../../index/index-build'
import type { SyncContext } from '../context'
import type { Route } from '../delivery'
import { createFill, type Fill, type Page } from './fill'
import { createLeftovers } from './leftovers'

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

const FORGET_SIZE = 50_000
/** How often the progress of a rebuild is written to the database. */
const PROGRESS_MS = 1_000

interface Run {
  work: WorkAttempt
  lease: WorkLease
  fill: Fill
  /** The number of documents to send. */
  total: number
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
  const leftovers = createLeftovers(context)
  let isWanted = false
  let run: Run | null = null
  let isCancelled = false
  let canSend = true
  /** Pages sent under this lead and not confirmed: Meilisearch may still index them. */
  const unsure = new Set<Page>()

  const drop = () => {
    run?.lease.release()
    run = null
    leftovers.expect()
  }

  const cancel = () => {
    drop()
    isWanted = false
    isCancelled = true
    say({ kind: 'rebuild_cancelled' })
  }

  /** Records the progress. False: the rebuild was cancelled and ends here. */
  const goOnOrLeave = async ({ work, fill }: Run): Promise<boolean> => {
    if (await write((tx) => setRebuildProgress(tx, work, fill.done()))) return true
    cancel()
    return false
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
      const hasLive = await hasLiveIndexes(client, indexes)
      canSend = hasLive
      if (await isOtherRebuilt(connections.work(), subject)) return
      const { parcels, entities } = await countSearchRows(connections.work(), states)
      const total = parcels + entities
      const work = await write((tx) => startRebuild(tx, subject, total))
      if (work === null) return
      canSend = true
      say({ kind: 'rebuild_started' })
      const lease = holdWork(connections.work, work)
      isCancelled = false
      const mark = await createShadowIndexes(enqueue, client, indexes)
        .then(() => markOutbox(connections.work()))
        .catch((error) => {
          lease.release()
          throw error
        })
      const fill = createFill(context, { mark, unsure })
      const startedAt = performance.now()
      run = { work, lease, fill, total, hasLive, startedAt, progressWrittenAt: Number.NEGATIVE_INFINITY, mark }
    },
    isUnderWay: () => run !== null,
    isCancelled: () => isCancelled,
    progress: () => run && { done: run.fill.done(), total: run.total },
    route() {
      if (run === null) return { after: '0', uids: { parcel: [live.parcel], entity: [live.entity] } }
      // Without live indexes, changes that the rebuild includes need not be sent.
      if (!run.hasLive) return { after: run.mark, uids: { parcel: [shadow.parcel], entity: [shadow.entity] } }
      return {
        after: '0',
        uids: { parcel: [live.parcel, shadow.parcel], entity: [live.entity, shadow.entity] },
      }
    },
    async sendNext() {
      const current = run
      if (current === null || !(await current.fill.sendNext())) return false
      if (performance.now() - current.progressWrittenAt > PROGRESS_MS) {
        current.progressWrittenAt = performance.now()
        await goOnOrLeave(current)
      }
      return true
    },
    tasks: () => [...(run?.fill.tasks() ?? []), ...leftovers.tasks()],
    async confirm(ended) {
      await leftovers.confirm(ended)
      if (run?.lease.lost.aborted) cancel()
      await run?.fill.confirm(ended)
    },
    isFilled: () => run?.fill.isComplete() ?? false,
    async swap() {
      if (run === null) return
      const { work, lease, fill, mark, startedAt } = run
      if (!(await goOnOrLeave(run))) return
      await swapIndexes(enqueue, client, indexes, states)
      // In several transactions, because a leader's transactions must be short.
      while ((await write((tx) => deleteFromOutboxUpTo(tx, queue, mark, FORGET_SIZE))) === FORGET_SIZE);
      await write((tx) => endRebuild(tx, work, fill.done()))
      say({ kind: 'rebuilt', documents: fill.done(), durationMs: performance.now() - startedAt })
      lease.release()
      run = null
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
    dropLeftovers: leftovers.remove,
  }
}
