import type { LoadedColumn } from '../../../core/parcels/fields'
import type { Db, Transaction } from '../../../core/postgres/database'
import type { LoadCounts, LoadVerdict, UndoResult } from '../../schema/parcels/loads'
import type { LoadKind, LoadStatus } from '../../schema/values'
import { advanceDataAsOf, restoreDataAsOf } from '../sources/advance-data-as-of'
import { isUndo } from '../work/undo-work'
import { WORK_KINDS } from '../work/work-kinds'

export interface StoredLoad {
  id: string
  source: string
  kind: LoadKind
  status: LoadStatus
  isComplete: boolean
  asOf: string | null
  cleared: LoadedColumn[]
  counts: LoadCounts | null
  verdict: LoadVerdict | null
  /** Whether the load was read completely and compared. */
  isJudged: boolean
}

/** Locks a load until the transaction ends. Null: there is none with this id. */
export const lockLoad = async (tx: Transaction, id: string): Promise<StoredLoad | null> => {
  const [load] = await tx<StoredLoad[]>`
    select id, source, kind, status, is_complete as "isComplete", as_of::text as "asOf", cleared, counts, verdict,
      judged_at is not null as "isJudged"
    from loads where id = ${id} for no key update`
  return load ?? null
}

/**
 * Stores the result of comparing a load. A held load of the source is discarded, because this one is newer. Returns the id of that load;
 * null: there was none.
 */
export const storeVerdict = async (
  tx: Transaction,
  { id, source }: { id: string; source: string },
  {
    status,
    counts,
    verdict,
    note,
  }: { status: 'held' | 'applying'; counts: LoadCounts; verdict: LoadVerdict; note: string | null },
): Promise<string | null> => {
  const [replaced] = await tx<{ id: string }[]>`
    update loads set status = 'discarded', ended_at = clock_timestamp(), note = ${`load ${id} is newer`}
    where source = ${source} and status = 'held' returning id`
  await tx`
    update loads set status = ${status}, judged_at = clock_timestamp(), counts = ${JSON.stringify(counts)}::text::jsonb,
      verdict = ${JSON.stringify(verdict)}::text::jsonb, note = ${note}
    where id = ${id}`
  await deleteBatchesOfEndedLoads(tx, source)
  return replaced?.id ?? null
}

/** Counts records that the database refused when a load was applied. */
export const countRefused = async (tx: Transaction, id: string, count: number): Promise<void> => {
  await tx`
    update loads set counts = counts || jsonb_build_object('rejected', (counts ->> 'rejected')::int + ${count}::int) where id = ${id}`
}

/**
 * Records that all batches of a load are written, and deletes them. A complete load of a file is a full read of its source. `direct`: the
 * counts of a load that was not staged.
 */
export const endAppliedLoad = async (
  tx: Transaction,
  { id, source }: { id: string; source: string },
  direct: LoadCounts | null = null,
): Promise<LoadCounts> => {
  const [ended] = await tx<{ counts: LoadCounts | null; isFull: boolean }[]>`
    update loads l set status = 'applied', applied_at = clock_timestamp(), judged_at = coalesce(judged_at, clock_timestamp()),
      counts = coalesce(${direct === null ? null : JSON.stringify(direct)}::text::jsonb, l.counts || (
        select jsonb_build_object('inserted', coalesce(sum(inserted), 0), 'updated', coalesce(sum(updated), 0),
          'unchanged', coalesce(sum(unchanged), 0), 'retired', coalesce(sum(retired), 0))
        from load_batches b where b.load_id = l.id
      ))
    where id = ${id} returning counts, is_complete and file is not null as "isFull"`
  if (ended?.counts == null) throw new Error(`there is no load ${id} with counts`)
  if (ended.isFull) await tx`update sources set last_full_scrape_at = now() where source = ${source}`
  await deleteBatchesOfEndedLoads(tx, source)
  return ended.counts
}

/** The load of a crawl whose pages were not staged has ended with the crawl. */
export const endDirectCrawlLoad = async (tx: Transaction, id: string): Promise<void> => {
  await tx`
    update loads l set status = 'applied', judged_at = clock_timestamp(), applied_at = clock_timestamp(),
      counts = w.result - 'pages' || jsonb_build_object('read', w.done, 'retired', 0)
    from work w where l.id = ${id} and w.id = l.id`
}

/** A load without locking it. Null: there is none with this id. */
export const findStoredLoad = async (db: Db, id: string): Promise<StoredLoad | null> => {
  const [load] = await db<StoredLoad[]>`
    select id, source, kind, status, is_complete as "isComplete", as_of::text as "asOf", cleared, counts, verdict,
      judged_at is not null as "isJudged"
    from loads where id = ${id}`
  return load ?? null
}

/**
 * The load of an earlier attempt at the work `workId`, which another process applied after the attempt was lost. `id` is the load of this
 * attempt, which read the same file for the same caller. Null: there is none that changed a parcel.
 */
export const findEarlierLoad = async (
  db: Db,
  { workId, id }: { workId: string; id: string },
): Promise<{ id: string; counts: LoadCounts } | null> => {
  const [earlier] = await db<{ id: string; counts: LoadCounts }[]>`
    select e.id, e.counts
    from loads l join loads e using (source, kind, file, created_by) join work w on w.id = ${workId}
    where l.id = ${id} and e.id < l.id and e.status = 'applied' and e.created_at >= w.started_at
      and (e.counts ->> 'inserted')::int + (e.counts ->> 'updated')::int + (e.counts ->> 'retired')::int > 0
    order by e.id desc limit 1`
  return earlier ?? null
}

/** Sets the final status of a load. `note` says who or why. */
export const endLoad = async (
  tx: Transaction,
  { id, source }: { id: string; source: string },
  status: 'discarded' | 'failed',
  note: string,
): Promise<void> => {
  await tx`update loads set status = ${status}, ended_at = clock_timestamp(), note = ${note} where id = ${id}`
  await deleteBatchesOfEndedLoads(tx, source)
}

const deleteBatchesOfEndedLoads = async (tx: Transaction, source: string): Promise<void> => {
  await tx`
    delete from load_batches b using loads l
    where b.load_id = l.id and l.source = ${source}
      and (l.status in ('applied', 'discarded', 'undone') or l.status = 'failed' and not ${canApply(tx)})`
}

/**
 * SQL condition: the load `l` can be applied. It is held, or it failed while it was applied. In the second case it must be the newest
 * load that was compared, because an older one's staged values would overwrite newer ones. If something was undone since it was
 * compared, it cannot: parcels that it did not have to write then are different now.
 */
export const canApply = (db: Db) => db`
  ((l.status = 'held' or l.status = 'failed' and l.judged_at is not null and not exists (
    select from loads n where n.source = l.source and n.id > l.id and n.judged_at is not null and n.status <> 'discarded'
  )) and not exists (
    select from work w where ${isUndo(db)} and w.source = l.source and w.finished_at > l.judged_at
  ))`

export const findCanApply = async (db: Db, id: string): Promise<boolean> => {
  const [row] = await db<{ can: boolean }[]>`select ${canApply(db)} as can from loads l where id = ${id}`
  return row?.can ?? false
}

/** Marks a held load, or one that failed while it was applied, to be applied. */
export const reopenLoad = async (tx: Transaction, id: string, note: string): Promise<void> => {
  await tx`update loads set status = 'applying', ended_at = null, note = ${note} where id = ${id}`
}

export const storeUndo = async (tx: Transaction, id: string, undo: UndoResult): Promise<void> => {
  await tx`
    update loads set status = 'undone', ended_at = clock_timestamp(), undo = ${JSON.stringify(undo)}::text::jsonb where id = ${id}`
}

/** The undo of a load was undone. If the load had been applied only in part, it has failed again. */
export const storeRedo = async (tx: Transaction, { id, source, kind, asOf }: StoredLoad): Promise<void> => {
  const [load] = await tx<{ status: LoadStatus }[]>`
    update loads set status = case when applied_at is null then 'failed' else 'applied' end,
      ended_at = case when applied_at is null then clock_timestamp() end, undo = null
    where id = ${id} returning status`
  if (kind === 'crawl') await restoreDataAsOf(tx, { source, kind, asOf })
  else if (load?.status === 'applied' && asOf !== null) await advanceDataAsOf(tx, source, asOf)
}

/**
 * Ends loads whose work has ended without them, for example because it was cancelled: a load that was being read is discarded, and one
 * that was being applied has failed.
 */
export const sweepLoads = async (db: Db): Promise<void> => {
  await db`
    with ended as (
      update loads l set status = case status when 'staging' then 'discarded' else 'failed' end, ended_at = clock_timestamp(),
        note = coalesce((select error_message from work where id = l.id), 'its work has ended')
      where status in ('staging', 'applying') and not exists (
        select from work w
        where w.status in ('queued', 'running') and (w.id = l.id or w.kind = ${WORK_KINDS.load.name} and w.subject = l.source)
      )
      returning id, status
    )
    delete from load_batches b using ended where b.load_id = ended.id and ended.status = 'discarded'`
}
