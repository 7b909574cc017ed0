import type { Db, Transaction } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import type { ParcelInput, UpsertCounts } from '../../records'
import { setCause } from '../changes/set-cause'
import type { WorkAttempt } from '../work/claim-work'

export interface LoadBatch {
  number: number
  retires: boolean
  /** The number of records. */
  length: number
}

/**
 * Locks the next batch of a load that is not applied yet. Null: all are applied. Retirements are last. If another transaction is
 * applying a batch, this one skips it, or waits for it if `waits`.
 */
export const lockNextBatch = async (tx: Transaction, loadId: string, waits: boolean): Promise<LoadBatch | null> => {
  const [batch] = await tx<LoadBatch[]>`
    select number, retires, inserted + updated + unchanged as length
    from load_batches where load_id = ${loadId} and not is_applied order by retires, number limit 1
    for update ${waits ? tx`` : tx`skip locked`}`
  return batch ?? null
}

/** The records of a staged batch: parcels of a file, or scrapes of a crawl. */
export const readStagedRows = async <Row extends object = ParcelInput>(
  db: Db,
  loadId: string,
  { number }: LoadBatch,
): Promise<Row[]> => {
  const [batch] = await db<{ rows: unknown }[]>`
    select rows from load_batches where load_id = ${loadId} and number = ${number} and not retires`
  return (batch?.rows ?? []) as Row[]
}

/** Records that a batch is applied, and what it changed. */
export const endBatch = async (
  tx: Transaction,
  load: { id: string; work: WorkAttempt },
  { number, retires }: LoadBatch,
  { inserted, updated, unchanged, retired }: UpsertCounts & { retired: number },
): Promise<void> => {
  await tx`
    with advanced as (
      update work set done = done + case kind when 'load' then ${inserted + updated + unchanged + retired} else 0 end, failures = 0
      where id = ${load.work.id}
    )
    update load_batches set is_applied = true, rows = null, inserted = ${inserted}, updated = ${updated}, unchanged = ${unchanged},
      retired = ${retired}
    where load_id = ${load.id} and number = ${number} and retires = ${retires}`
}

/** Retires the parcels of a batch. Returns how many. */
export const retireBatch = async (
  tx: Transaction,
  { id, source, kind }: { id: string; source: string; kind: 'ingest' | 'crawl' },
  { number }: LoadBatch,
): Promise<number> => {
  await setCause(tx, kind)
  const { count } = await tx`
    update parcels p set retired_at = now(), updated_at = now(), cause_id = ${id}, origin = null
    from load_batches b
    where b.load_id = ${id} and b.number = ${number} and b.retires
      and p.source = ${source} and p.source_parcel_id = any(b.ids) and p.retired_at is null`
  return count
}

/** How many parcels the applied batches of a load have changed. */
export const countChanged = async (db: Db, loadId: string): Promise<number> => {
  const rows = await db<{ changed: number }[]>`
    select coalesce(sum(inserted + updated + retired), 0)::float8 as changed from load_batches where load_id = ${loadId}`
  return onlyRow(rows).changed
}

/** Counts records that the database refused when a load was applied. */
export const countRefused = async (tx: Transaction, id: string, count: number): Promise<void> => {
  await tx`
    update loads set counts = counts || jsonb_build_object('rejected', (counts ->> 'rejected')::int + ${count}::int) where id = ${id}`
}
