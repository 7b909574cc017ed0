import { countSearchRows } from '../../../drizzle/queries/search/search-documents'
import { endRebuild, isOtherRebuilt, startRebuild } from '../../../drizzle/queries/search/search-index-work'
import { deleteFromOutboxUpTo, markOutbox } from '../../../drizzle/queries/search/search-outbox'
import type { WorkAttempt } from '../../../drizzle/queries/work/claim-work'
import { holdWork, type WorkLease } from '../../../drizzle/queries/work/hold-work'
import { createShadowIndexes, swapIndexes } from '../../index/index-build'
import type { IndexNames } from '../../index/indexes'
import type { SyncContext } from '../context'
import type { Route } from '../delivery'
import { createFill, type Fill, type Page } from './fill'

const FORGET_SIZE = 50_000

/** One rebuild, from its claim to the swap. */
export interface RebuildRun {
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

/** The claimed work, and the number of documents to send. Null: another instance is being rebuilt; they take turns. */
export const claimRebuild = async ({
  connections,
  states,
  subject,
  write,
}: SyncContext): Promise<Pick<RebuildRun, 'work' | 'total'> | null> => {
  if (await isOtherRebuilt(connections.work(), subject)) return null
  const { parcels, entities } = await countSearchRows(connections.work(), states)
  const total = parcels + entities
  const work = await write((tx) => startRebuild(tx, subject, total))
  return work && { work, total }
}

/** Creates the shadow indexes of a claimed rebuild. `unsure` collects the pages that are sent and not confirmed. */
export const openRun = async (
  context: SyncContext,
  claimed: Pick<RebuildRun, 'work' | 'total' | 'hasLive'>,
  unsure: Set<Page>,
): Promise<RebuildRun> => {
  const { connections, client, indexes, enqueue } = context
  const lease = holdWork(connections.work, claimed.work)
  const mark = await createShadowIndexes(enqueue, client, indexes)
    .then(() => markOutbox(connections.work()))
    .catch((error) => {
      lease.release()
      throw error
    })
  const fill = createFill(context, { mark, unsure })
  return { ...claimed, lease, fill, mark, startedAt: performance.now(), progressWrittenAt: Number.NEGATIVE_INFINITY }
}

/** Where changes go during this run; null: there is no run. */
export const routeOf = (run: RebuildRun | null, indexes: IndexNames): Route => {
  const [parcels, entities] = [indexes.parcels, indexes.entities]
  const [shadowParcels, shadowEntities] = [indexes.shadowParcels, indexes.shadowEntities]
  if (run === null) return { after: '0', uids: { parcel: [parcels], entity: [entities] } }
  // Without live indexes, changes that the rebuild includes need not be sent.
  if (!run.hasLive) return { after: run.mark, uids: { parcel: [shadowParcels], entity: [shadowEntities] } }
  return { after: '0', uids: { parcel: [parcels, shadowParcels], entity: [entities, shadowEntities] } }
}

/** Swaps the filled shadow indexes with the live ones, removes the changes that they include from the outbox, and ends the work. */
export const publishRun = async (
  { client, indexes, states, queue, write, enqueue, say }: SyncContext,
  { work, fill, mark, startedAt }: RebuildRun,
): Promise<void> => {
  await swapIndexes(enqueue, client, indexes, states)
  // In several transactions, because a leader's transactions must be short.
  while ((await write((tx) => deleteFromOutboxUpTo(tx, queue, mark, FORGET_SIZE))) === FORGET_SIZE);
  await write((tx) => endRebuild(tx, work, fill.done()))
  say({ kind: 'rebuilt', documents: fill.done(), durationMs: performance.now() - startedAt })
}
