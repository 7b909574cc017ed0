import { LOADED_COLUMNS } from '../../../core/parcels/fields'
import type { Db } from '../../../core/postgres/database'
import type { ParcelInput, UpsertCounts } from '../../records'
import { INCOMING_COLUMNS, RECORDSET, withDerived, wouldChange, wouldEmpty } from '../parcels/incoming-parcels'
import type { OpenLoad } from './begin-load'

const CHANGES = wouldChange('i')
/** `'zoning_code', <how many parcels of \`compared\` would lose their zoning code>, …` */
const EMPTIED_COUNTS = LOADED_COLUMNS.map((name) => `'${name}', count(*) filter (where empties_${name})`).join(', ')
const EMPTIED_FLAGS = LOADED_COLUMNS.map((name) => `${wouldEmpty(name, 'i')} as empties_${name}`).join(', ')

/** A batch of a file, or a page of a crawl. */
export interface StagedBatch {
  /** The line of its first record, or the number of the page. */
  number: number
  /** The records of a file, or the scrapes of a crawl, which have the record as `parcel`. */
  rows: readonly ParcelInput[] | readonly { parcel: ParcelInput }[]
  /** The parcels that it lists. */
  ids: readonly string[]
}

/**
 * Stages a batch of a load and counts what it would change. Fields in `cleared` count as emptied if a record has no value. If a batch
 * of a file changes nothing, only its ids are stored. A scrape always changes something, such as its time. A batch that is staged again
 * because the database's response was lost is stored once. Returns null if the load was discarded meanwhile.
 *
 * If the source has no parcels, every record is new and none is read here. That makes a first load cheaper.
 */
export const stageBatch = async (
  db: Db,
  { id, source, kind, cleared }: Pick<OpenLoad, 'id' | 'source' | 'kind' | 'cleared'>,
  { number, rows, ids }: StagedBatch,
): Promise<UpsertCounts | null> => {
  const isCrawl = kind === 'crawl'
  const [counts] = await db<{ inserted: number; updated: number; unchanged: number }[]>`
    with stated as materialized (
      select ${JSON.stringify(rows)}::text::json as rows, ${withDerived(cleared)}::text[] as cleared
    ), known as materialized (
      select exists (select from parcels where source = ${source}) as has_parcels
    ), incoming as (
      select "sourceParcelId" as source_parcel_id, geom, ${db.unsafe(INCOMING_COLUMNS)}
      from json_to_recordset(${
        isCrawl
          ? db`(select coalesce(json_agg(r -> 'parcel'), '[]') from stated cross join lateral json_array_elements(stated.rows) r)`
          : db`(select rows from stated)`
      }) as r (
        "sourceParcelId" text, geom json, bbox float8[], ${db.unsafe(RECORDSET)}
      )
    ), compared as (
      select p.id is null as is_new, p.id is not null and ${db.unsafe(CHANGES)} as changes,
        p.retired_at is null and p.owner_name <> i.owner_name as has_other_owner, ${db.unsafe(EMPTIED_FLAGS)}
      from incoming i left join lateral (
        select * from parcels p where p.source = ${source} and p.source_parcel_id = i.source_parcel_id limit 1
      ) p on true
      where (select has_parcels from known)
    ), counted as (
      select case when (select has_parcels from known) then count(*) filter (where is_new) else ${rows.length} end::int as inserted,
        count(*) filter (where changes)::int as updated,
        count(*) filter (where not is_new and not changes)::int as unchanged,
        count(*) filter (where has_other_owner)::int as owners, jsonb_build_object(${db.unsafe(EMPTIED_COUNTS)}) as emptied
      from compared
    ), open as materialized (
      select id from loads where id = ${id} and status = 'staging' for share
    )
    insert into load_batches as b (load_id, number, ids, rows, inserted, updated, unchanged, owners, emptied, is_applied)
    select open.id, ${number}, ${[...ids]}, case when ${isCrawl} or inserted + updated > 0 then stated.rows end, inserted, updated,
      unchanged, owners, emptied, not ${isCrawl} and inserted + updated = 0
    from counted cross join stated cross join open
    on conflict (load_id, retires, number) do update set ids = b.ids
    returning inserted, updated, unchanged`
  return counts ?? null
}

/** Stages the ids of parcels whose records in the file were rejected, so that they are not retired. `number` is below 1. */
export const stageRejected = async (db: Db, id: string, number: number, ids: readonly string[]): Promise<void> => {
  await db`
    insert into load_batches (load_id, number, ids, is_applied) values (${id}, ${number}, ${[...ids]}, true)
    on conflict do nothing`
}
