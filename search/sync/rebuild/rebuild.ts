import { setRebuildProgress } from '../../../drizzle/queries/search/search-index-work'
import { addToOutbox } from '../../../drizzle/queries/search/search-outbox'
import { type EndedTasks, findBuild, hasLiveIndexes, isUsable } from '../../index/index-build'
import type { SyncContext } from '../context'
import type { Route } from '../delivery'
import type { Page } from './fill'
import { createLeftovers } from './leftovers'
import { claimRebuild, openRun, publishRun, type RebuildRun, routeOf } from './rebuild-run'

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

/** How often the progress of a rebuild is written to the database. */
const PROGRESS_MS = 1_000

/** Builds new indexes beside the live ones, from all rows, in pages, and then swaps them. */
export const createRebuild = (context: SyncContext): Rebuild => {
  const { connections, client, indexes, states, write, say } = context
  const leftovers = createLeftovers(context)
  let isWanted = false
  let run: RebuildRun | null = null
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
  const recordProgress = async ({ work, fill }: RebuildRun): Promise<boolean> => {
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
      const claimed = await claimRebuild(context)
      if (claimed === null) return
      canSend = true
      isCancelled = false
      say({ kind: 'rebuild_started' })
      run = await openRun(context, { ...claimed, hasLive }, unsure)
    },
    isUnderWay: () => run !== null,
    isCancelled: () => isCancelled,
    progress: () => run && { done: run.fill.done(), total: run.total },
    route: () => routeOf(run, indexes),
    async sendNext() {
      const current = run
      if (current === null || !(await current.fill.sendNext())) return false
      if (performance.now() - current.progressWrittenAt > PROGRESS_MS) {
        current.progressWrittenAt = performance.now()
        await recordProgress(current)
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
      const current = run
      if (current === null || !(await recordProgress(current))) return
      await publishRun(context, current)
      current.lease.release()
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
