import { LOADED_COLUMNS, type LoadedColumn } from '../../../core/parcels/fields'
import type { Db } from '../../../core/postgres/database'
import type { ParcelInput, UpsertCounts } from '../../records'
import { CAUSE_SETTING, type StatedCause } from '../changes/set-cause'
import { listColumns } from './field-columns'
import {
  hasOtherBoundary,
  INCOMING_COLUMNS,
  mergedValue,
  RECORDSET,
  withDerived,
  wouldChange,
} from './incoming-parcels'

const COLUMNS = listColumns(LOADED_COLUMNS)
const NEW_VALUES = listColumns(LOADED_COLUMNS, 'i')
const ASSIGNMENTS = LOADED_COLUMNS.map((name) => `${name} = ${mergedValue(name, 'excluded')}`).join(', ')

const NEW_CHANGES = wouldChange('i')
const EXCLUDED_CHANGES = wouldChange('excluded')
const HAS_OTHER_BOUNDARY = hasOtherBoundary('excluded')

/** For the change log: the cause of the write, and the load, crawl or job that it belongs to. */
export interface Reason {
  cause: StatedCause
  id: string | null
}

/** Records that are staged in a batch of a load. */
export interface StagedRows {
  loadId: string
  number: number
  /** The number of records. */
  length: number
}

/**
 * Writes parcels of one source in one statement. New parcels are inserted. A stored parcel gets the given fields and keeps the others;
 * fields in `cleared` become empty if a row has no value for them. A retired parcel is listed again. A row that would not change is not
 * written, and its `updated_at` stays.
 *
 * Unchanged rows are filtered out before the insert, because the insert would lock them, and a lock is a write. The update repeats the
 * condition, because a concurrent transaction may have changed the row. Parcels are looked up one by one, because with outdated
 * statistics the planner would read the whole source.
 *
 * `rows` must not contain a parcel twice. They are passed as `json`, so that geometry is stored with its original digits. Without a
 * `reason`, the transaction's cause applies.
 */
export const upsertParcels = async (
  db: Db,
  source: string,
  rows: readonly ParcelInput[] | StagedRows,
  reason?: Reason,
  cleared: readonly LoadedColumn[] = [],
): Promise<UpsertCounts> => {
  const given =
    'loadId' in rows
      ? db`(select b.rows from load_batches b where b.load_id = ${rows.loadId} and b.number = ${rows.number} and not b.retires)`
      : db`${JSON.stringify(rows)}::text::json`
  const [counts] = await db<{ inserted: number; updated: number }[]>`
    with stated as materialized (
      select set_config(${CAUSE_SETTING}, coalesce(${reason?.cause ?? null}::text, current_setting(${CAUSE_SETTING}, true)), true),
        ${withDerived(cleared)}::text[] as cleared
    ), incoming as (
      select "sourceParcelId" as source_parcel_id, coalesce("causeId", ${reason?.id ?? null}::uuid) as cause_id, geom,
        ${db.unsafe(INCOMING_COLUMNS)}
      from json_to_recordset(${given}) as r (
        "sourceParcelId" text, "causeId" uuid, geom json, bbox float8[], ${db.unsafe(RECORDSET)}
      )
    ), written as (
      insert into parcels as p (source, source_parcel_id, cause_id, origin, geom, bbox, ${db.unsafe(COLUMNS)})
      select ${source}, i.source_parcel_id, i.cause_id, case when p.id is null then i.origin - 'keeps' else i.origin end, i.geom, i.bbox,
        ${db.unsafe(NEW_VALUES)}
      from stated cross join incoming i
      left join lateral (
        select * from parcels p where p.source = ${source} and p.source_parcel_id = i.source_parcel_id limit 1
      ) p on true
      where p.id is null or ${db.unsafe(NEW_CHANGES)}
      order by i.source_parcel_id
      on conflict (source, source_parcel_id) do update set
        cause_id = excluded.cause_id,
        origin = excluded.origin - 'keeps',
        retired_at = null,
        geom = case when ${db.unsafe(HAS_OTHER_BOUNDARY)} then excluded.geom else p.geom end,
        bbox = case when excluded.geom is null then p.bbox else excluded.bbox end,
        ${db.unsafe(ASSIGNMENTS)},
        updated_at = now()
      where ${db.unsafe(EXCLUDED_CHANGES)}
      returning (xmax = 0) as inserted
    )
    select count(*) filter (where inserted)::int as inserted, count(*) filter (where not inserted)::int as updated from written
  `
  const { inserted, updated } = counts ?? { inserted: 0, updated: 0 }
  return { inserted, updated, unchanged: rows.length - inserted - updated }
}
