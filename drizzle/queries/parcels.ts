import type { Db } from '../database'
import type { Bbox } from '../records'

/**
 * One parcel as the JSON text of the API's full record, written by the database: nothing of it is parsed on its way out.
 * Null when there is none.
 */
export const findParcelJson = async (db: Db, key: { source: string; id: string }): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    select row_to_json(parcel)::text as body from (
      select id, source, source_parcel_id, geom as geom_geojson, acreage, owner_name, owner_names_all, owner_mailing_address,
        situs_address, situs_city, situs_state, situs_zip, land_use_class, zoning_code, zoning_description, assessed_value,
        value_land, value_improvement, scrape_data, iso_utc(scraped_at) as scraped_at, scraped_by, scrape_data_as_of,
        scrape_data_as_of_source, iso_utc(ingested_at) as ingested_at, iso_utc(updated_at) as updated_at
      from parcels where source = ${key.source} and source_parcel_id = ${key.id}
    ) parcel`
  return row?.body ?? null
}

/** A page of the parcels whose boxes meet a query box. */
export interface BoxPage {
  /** In order. */
  ids: string[]
  /** Boundaries, as GeoJSON texts, of those whose boxes are not inside the query box: the boundary decides. */
  edges: Map<string, string>
}

/**
 * Up to `limit` parcels whose boxes meet `box`, by id, after the id `after`. They come from the GiST index alone; rows are read
 * for those on the edge only. PostgreSQL compares boxes with a tolerance of 1e-6, so "inside" is decided on the numbers.
 * The ids are one text: 5,000 rows would take the driver 20 ms.
 */
export const listParcelsInBox = async (
  db: Db,
  [west, south, east, north]: Bbox,
  page: { source: string | null; after: string | null; limit: number },
): Promise<BoxPage> => {
  const rows = await db<{ id: string | null; text: string | null }[]>`
    with page as materialized (
      select id, (bbox[1])[0] >= ${west} and (bbox[1])[1] >= ${south} and (bbox[0])[0] <= ${east} and (bbox[0])[1] <= ${north} as inside
      from parcels
      where bbox && box(point(${east}, ${north}), point(${west}, ${south}))
        ${page.source === null ? db`` : db`and source = ${page.source}`}
        ${page.after === null ? db`` : db`and id > ${page.after}`}
      order by id limit ${page.limit}
    )
    select null as id, string_agg(id::text, ',' order by id) as text from page
    union all
    select p.id, p.geom::text from page join parcels p using (id) where not page.inside`
  const result: BoxPage = { ids: [], edges: new Map() }
  for (const { id, text } of rows) {
    if (id !== null) result.edges.set(id, text ?? '')
    else if (text !== null) result.ids = text.split(',')
  }
  return result
}

/** Lightweight rows of parcels, by id, as the members of a JSON array. */
export const findParcelRowsJson = async (db: Db, ids: readonly string[]): Promise<{ count: number; rows: string }> => {
  const [found] = await db<{ count: number; rows: string | null }[]>`
    select count(*)::int as count, string_agg(row_to_json(parcel)::text, ',' order by parcel.id) as rows from (
      select p.id, p.source, p.source_parcel_id, p.owner_name, p.situs_address, p.assessed_value, p.land_use_class
      from unnest(string_to_array(${ids.join(',')}, ',')::uuid[]) as wanted (id) join parcels p using (id)
    ) parcel`
  return { count: found?.count ?? 0, rows: found?.rows ?? '' }
}

export interface ExampleParcel {
  source: string
  source_parcel_id: string
  owner_name: string
  bbox: Bbox
}

/** Some parcel with an owner of a fair length and a boundary, always the same one; null when there is none. */
export const findExampleParcel = async (db: Db): Promise<ExampleParcel | null> => {
  const [row] = await db<ExampleParcel[]>`
    select source, source_parcel_id, owner_name,
      array[(bbox[1])[0], (bbox[1])[1], (bbox[0])[0], (bbox[0])[1]] as bbox
    from parcels where length(owner_name) between 12 and 30 and bbox is not null order by id limit 1`
  return row ?? null
}
