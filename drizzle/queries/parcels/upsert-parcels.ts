import type { Db } from '../../../core/postgres/database'
import type { ParcelInput, UpsertCounts } from '../../records'

/**
 * True where row `incoming` would change parcel `p`. Geometry is compared as text, and last: it is read from its own place.
 * `updated_at` does not count.
 */
const wouldChange = (db: Db, incoming: string) => {
  const from = db(incoming)
  return db`(
    (
      coalesce(${from}.acreage, p.acreage), coalesce(${from}.owner_name, p.owner_name),
      coalesce(${from}.owner_mailing_address, p.owner_mailing_address),
      coalesce(${from}.situs_address, p.situs_address), coalesce(${from}.situs_city, p.situs_city),
      coalesce(${from}.situs_state, p.situs_state), coalesce(${from}.situs_zip, p.situs_zip),
      coalesce(${from}.land_use_class, p.land_use_class), coalesce(${from}.zoning_code, p.zoning_code),
      coalesce(${from}.zoning_description, p.zoning_description),
      coalesce(${from}.is_agricultural, p.is_agricultural),
      coalesce(${from}.assessed_value, p.assessed_value), coalesce(${from}.value_land, p.value_land),
      coalesce(${from}.value_improvement, p.value_improvement)
    ) is distinct from (
      p.acreage, p.owner_name, p.owner_mailing_address, p.situs_address, p.situs_city, p.situs_state,
      p.situs_zip, p.land_use_class, p.zoning_code, p.zoning_description, p.is_agricultural,
      p.assessed_value, p.value_land, p.value_improvement
    )
    or (${from}.owner_names_all <> '{}' and ${from}.owner_names_all <> p.owner_names_all)
    or (${from}.geom is not null and ${from}.geom::text is distinct from p.geom::text)
  )`
}

/**
 * Writes a set of parcels of one source in one statement. New ids are inserted; a known parcel takes the fields that were
 * brought and keeps the others; a row that would not change is not touched, and neither is its `updated_at`. Rows that
 * would not change are left out before the insert (which would lock them, and a lock is a write); the condition stands there once more for what
 * others change meanwhile. They are looked up one by one: left to choose, the planner reads the whole source where statistics
 * are older than its parcels.
 *
 * `rows` must not name a parcel twice. Rows come as `json`, so that geometry is stored with the very digits it came with.
 */
export const upsertParcels = async (db: Db, source: string, rows: readonly ParcelInput[]): Promise<UpsertCounts> => {
  const [counts] = await db<{ inserted: number; updated: number }[]>`
    with incoming as (
      select "sourceParcelId" as source_parcel_id, geom,
        case when bbox is null then null
          else box(point((bbox->>2)::float8, (bbox->>3)::float8), point((bbox->>0)::float8, (bbox->>1)::float8)) end as bbox,
        acreage, "ownerName" as owner_name,
        coalesce("ownerNamesAll", case when "ownerName" is null then '{}' else array["ownerName"] end) as owner_names_all,
        "ownerMailingAddress" as owner_mailing_address, "situsAddress" as situs_address, "situsCity" as situs_city,
        "situsState" as situs_state, "situsZip" as situs_zip, "landUseClass" as land_use_class,
        "zoningCode" as zoning_code, "zoningDescription" as zoning_description, "isAgricultural" as is_agricultural,
        "assessedValue" as assessed_value, "valueLand" as value_land, "valueImprovement" as value_improvement
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as r (
        "sourceParcelId" text, geom json, bbox json, acreage float8, "ownerName" text, "ownerNamesAll" text[],
        "ownerMailingAddress" text, "situsAddress" text, "situsCity" text, "situsState" text, "situsZip" text,
        "landUseClass" text, "zoningCode" text, "zoningDescription" text, "isAgricultural" boolean,
        "assessedValue" bigint, "valueLand" bigint, "valueImprovement" bigint
      )
    ), written as (
      insert into parcels as p (
        source, source_parcel_id, geom, bbox, acreage, owner_name, owner_names_all, owner_mailing_address, situs_address,
        situs_city, situs_state, situs_zip, land_use_class, zoning_code, zoning_description, is_agricultural,
        assessed_value, value_land, value_improvement
      )
      select ${source}, i.*
      from incoming i
      left join lateral (
        select * from parcels p where p.source = ${source} and p.source_parcel_id = i.source_parcel_id limit 1
      ) p on true
      where p.id is null or ${wouldChange(db, 'i')}
      order by i.source_parcel_id
      on conflict (source, source_parcel_id) do update set
        geom = coalesce(excluded.geom, p.geom),
        bbox = coalesce(excluded.bbox, p.bbox),
        acreage = coalesce(excluded.acreage, p.acreage),
        owner_name = coalesce(excluded.owner_name, p.owner_name),
        owner_names_all = case when excluded.owner_names_all = '{}' then p.owner_names_all else excluded.owner_names_all end,
        owner_mailing_address = coalesce(excluded.owner_mailing_address, p.owner_mailing_address),
        situs_address = coalesce(excluded.situs_address, p.situs_address),
        situs_city = coalesce(excluded.situs_city, p.situs_city),
        situs_state = coalesce(excluded.situs_state, p.situs_state),
        situs_zip = coalesce(excluded.situs_zip, p.situs_zip),
        land_use_class = coalesce(excluded.land_use_class, p.land_use_class),
        zoning_code = coalesce(excluded.zoning_code, p.zoning_code),
        zoning_description = coalesce(excluded.zoning_description, p.zoning_description),
        is_agricultural = coalesce(excluded.is_agricultural, p.is_agricultural),
        assessed_value = coalesce(excluded.assessed_value, p.assessed_value),
        value_land = coalesce(excluded.value_land, p.value_land),
        value_improvement = coalesce(excluded.value_improvement, p.value_improvement),
        updated_at = now()
      where ${wouldChange(db, 'excluded')}
      returning (xmax = 0) as inserted
    )
    select count(*) filter (where inserted)::int as inserted, count(*) filter (where not inserted)::int as updated from written
  `
  const { inserted, updated } = counts ?? { inserted: 0, updated: 0 }
  return { inserted, updated, unchanged: rows.length - inserted - updated }
}
