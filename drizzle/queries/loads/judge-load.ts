import { fieldKey, type LoadedColumn } from '../../../core/parcels/fields'
import type { Db, Transaction } from '../../../core/postgres/database'
import type { LoadLimits } from '../../../core/sources/load-limits'
import type { LoadCounts, LoadVerdict } from '../../schema/parcels/loads'
import { deleteBatchesOfEndedLoads } from './end-load'

/** How many parcels a batch of retirements has. */
const BATCH_PARCELS = 1_000
const MAX_EXAMPLES = 5

/**
 * Stages the parcels that a complete load does not list, so that applying it retires them. It finds them with EXCEPT, which reads both
 * lists once. With outdated statistics, an anti-join was planned as a nested loop, which took 140 s for 50,000 parcels.
 */
export const stageRetirements = (tx: Db, load: { id: string; source: string }): PromiseLike<unknown> => tx`
    insert into load_batches (load_id, number, retires, ids, retired)
    select ${load.id}, batch, true, array_agg(source_parcel_id order by source_parcel_id), count(*)
    from (
      select source_parcel_id, (row_number() over (order by source_parcel_id) / ${BATCH_PARCELS})::int as batch
      from (
        select source_parcel_id from live_parcels where source = ${load.source}
        except
        select unnest(ids) from load_batches where load_id = ${load.id}
      ) missing
    ) numbered
    group by batch`

/** Leaves out the staged retirements of a load. */
export const unstageRetirements = (tx: Db, id: string): PromiseLike<unknown> =>
  tx`delete from load_batches where load_id = ${id} and retires`

export interface LoadChanges {
  /** The source's parcels, without retired ones. */
  parcels: number
  limits: Partial<LoadLimits>
  inserted: number
  updated: number
  unchanged: number
  retired: number
  /** The records of batches that change nothing, which are not applied. */
  settled: number
  owners: number
  /** By field. Only fields that some parcel would lose. */
  emptied: Record<string, number>
}

/** What the staged records of a load would change. */
export const readLoadChanges = async (db: Db, load: { id: string; source: string }): Promise<LoadChanges> => {
  const [row] = await db<LoadChanges[]>`
    select (select count(*)::int from live_parcels where source = s.source) as parcels, s.load_limits as limits,
      b.inserted, b.updated, b.unchanged, b.retired, b.settled, b.owners, coalesce((
        select json_object_agg(field, parcels) from (
          select key as field, sum(value::int)::int as parcels
          from load_batches b cross join lateral jsonb_each_text(b.emptied)
          where load_id = ${load.id} group by key having sum(value::int) > 0
        ) fields
      ), '{}') as emptied
    from sources s cross join (
      select coalesce(sum(inserted), 0)::int as inserted, coalesce(sum(updated), 0)::int as updated,
        coalesce(sum(unchanged), 0)::int as unchanged, coalesce(sum(retired), 0)::int as retired,
        coalesce(sum(unchanged) filter (where is_applied), 0)::int as settled, coalesce(sum(owners), 0)::int as owners
      from load_batches where load_id = ${load.id}
    ) b
    where s.source = ${load.source}`
  if (row === undefined) throw new Error(`there is no source ${load.source}`)
  return row
}

type Examples = LoadVerdict['checks'][number]['examples']

/** Parcels that a load would retire. */
export const listRetiredExamples = async (db: Db, { id }: { id: string }): Promise<Examples> => {
  const rows = await db<{ source_parcel_id: string }[]>`
    select unnest(ids) as source_parcel_id from load_batches where load_id = ${id} and retires order by 1 limit ${MAX_EXAMPLES}`
  return rows.map((row) => ({ ...row, former: 'listed', new: 'retired' }))
}

/**
 * Parcels whose `field` a load would empty (`isEmptied`) or change to another value, with both values. For accounts, the former value
 * is their number.
 */
export const listChangedExamples = (
  db: Db,
  { id, source }: { id: string; source: string },
  field: LoadedColumn,
  isEmptied: boolean,
): Promise<Examples> => {
  const key = field === 'accounts' ? field : fieldKey(field)
  return db<Examples>`
  select p.source_parcel_id, to_jsonb(r -> ${key}::text) as new,
    case when ${field} = 'accounts' then to_jsonb(jsonb_array_length(p.accounts)) else to_jsonb(p) -> ${field}::text end as former
  from load_batches b cross join lateral json_array_elements(b.rows) e cross join lateral (select coalesce(e -> 'parcel', e) as r) record
  join live_parcels p on p.source = ${source} and p.source_parcel_id = r ->> 'sourceParcelId'
  where b.load_id = ${id} and not b.retires and b.rows is not null and to_jsonb(p) -> ${field}::text not in ('null', '[]')
    and ${isEmptied ? db`r ->> ${key}::text is null` : db`r ->> ${key}::text <> to_jsonb(p) ->> ${field}::text`}
  limit ${MAX_EXAMPLES}`
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
