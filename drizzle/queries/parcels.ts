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

export interface BoxRow {
  id: string
  /** JSON text of the lightweight row. */
  body: string
  /** The geometry, as GeoJSON text, where the box alone does not tell that the parcel is inside; null where it does. */
  geom: string | null
}

/**
 * Up to `limit` parcels whose boxes meet `box`, by id, after the id `after`. The ids come from the GiST index alone; rows are
 * read for one page only. PostgreSQL compares boxes with a tolerance of 1e-6, so "inside" is decided on the numbers.
 */
export const listParcelsInBox = (
  db: Db,
  [west, south, east, north]: Bbox,
  page: { source: string | null; after: string | null; limit: number },
): Promise<BoxRow[]> => db<BoxRow[]>`
  with page as materialized (
    select id from parcels
    where bbox && box(point(${east}, ${north}), point(${west}, ${south}))
      ${page.source === null ? db`` : db`and source = ${page.source}`}
      ${page.after === null ? db`` : db`and id > ${page.after}`}
    order by id limit ${page.limit}
  )
  select p.id,
    row_to_json((select parcel from (select p.id, p.source, p.source_parcel_id, p.owner_name, p.situs_address, p.assessed_value,
      p.land_use_class) parcel))::text as body,
    case when (p.bbox[1])[0] >= ${west} and (p.bbox[1])[1] >= ${south} and (p.bbox[0])[0] <= ${east} and (p.bbox[0])[1] <= ${north}
      then null else p.geom::text end as geom
  from page join parcels p using (id)
  order by p.id`

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
