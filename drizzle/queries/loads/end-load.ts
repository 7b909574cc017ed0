import type { Db, Transaction } from '../../../core/postgres/database'
import type { LoadCounts } from '../../schema/parcels/loads'
import { WORK_KINDS } from '../work/work-kinds'
import { canApply } from './reopen-load'

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

/** Deletes the batches of a source's ended loads, except of one that failed and can still be applied. */
export const deleteBatchesOfEndedLoads = async (tx: Transaction, source: string): Promise<void> => {
  await tx`
    delete from load_batches b using loads l
    where b.load_id = l.id and l.source = ${source}
      and (l.status in ('applied', 'discarded', 'undone') or l.status = 'failed' and not ${canApply(tx)})`
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
