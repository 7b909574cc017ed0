import type { Bbox } from '../../../core/geometry/bbox'
import type { Db } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import { edgeTexts, type FoundParcels, ROW_SEPARATOR } from '../parcels/list-parcels'
import { formerPointMeets, meets } from '../parcels/parcel-filter'

/** Which of the parcels in a box to read. */
export interface BoxPage {
  /** Null: all sources. */
  source: string | null
  /** Id of the last parcel of the previous page. */
  after: string | null
  limit: number
  /** Includes retired parcels. Each row then has `retired_at`. */
  withRetired: boolean
}

/**
 * Like `listFoundParcels`, for the lightweight rows of parcels in a box as they were at the time `asOf` (ISO 8601). Candidates are the
 * parcels whose current or former place overlaps the box. Parcels that the service did not know at that time are left out. So are those
 * that were retired then, unless the page includes retired parcels.
 */
export const listFormerParcels = async (
  db: Db,
  boxes: readonly Bbox[],
  page: BoxPage,
  asOf: string,
): Promise<FoundParcels> => {
  const ofSource = page.source === null ? db`` : db`and source = ${page.source}`
  const rows = await db<FoundParcels[]>`
    with candidates as (
      select id from parcels where (${meets(db, boxes)}) ${ofSource}
      union
      select parcel_id from parcel_changes
      where changes ? 'geom' and changes -> 'geom' ->> 0 in (select hash from geometries where ${meets(db, boxes)})
        and at > ${asOf} ${ofSource}
      union
      select parcel_id from parcel_changes where ${formerPointMeets(db, boxes)} and at > ${asOf} ${ofSource}
    ), former as (
      select former.* from (
        select id from candidates ${page.after === null ? db`` : db`where id > ${page.after}`} order by id
      ) candidate
      join parcels p using (id)
      cross join lateral (select parcel_values_to_put_back(p.id, ${asOf}) as former) put_back
      cross join lateral jsonb_populate_record(p, put_back.former) former
      where put_back.former is not null
    ), page as materialized (
      select * from former where (${meets(db, boxes)}) ${page.withRetired ? db`` : db`and retired_at is null`} order by id limit ${page.limit}
    )
    select count(*)::int as count, false as "isCut", (array_agg(id order by id))[count(*)] as last,
      (array_agg(id order by id))[count(*) - 1] as "secondLast",
      string_agg(row_to_json((select parcel from (select id, source, source_parcel_id, owner_name, situs_address,
        assessed_value, land_use_class ${page.withRetired ? db`, iso_utc(retired_at) as retired_at` : db``}) parcel))::text, ${ROW_SEPARATOR} order by id) as rows,
      null::text as geoms, ${edgeTexts(db, boxes, db`coalesce(geom::text, 'null')`, db`id`)} as edges
    from page`
  return onlyRow(rows)
}
