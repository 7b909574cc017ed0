import type { Db } from '../database'
import type { ParcelInput, UpsertCounts } from '../records'

/**
 * Writes a set of parcels of one source in one statement. New ids are inserted; a known parcel takes the fields that were
 * brought and keeps the others; a row that would not change is not touched, and neither is its `updated_at`.
 *
 * `rows` must not name a parcel twice. Rows come as `json`, so that geometry is stored with the very digits it came with.
 */
export const upsertParcels = async (db: Db, source: string, rows: readonly ParcelInput[]): Promise<UpsertCounts> => {
  const [counts] = await db<{ inserted: number; updated: number }[]>`
    with incoming as (
      select r.*, case when r.bbox is null then null
        else box(point((r.bbox->>2)::float8, (r.bbox->>3)::float8), point((r.bbox->>0)::float8, (r.bbox->>1)::float8)) end as extent
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as r (
        "sourceParcelId" text, geom json, bbox json, acreage float8, "ownerName" text, "ownerNamesAll" text[],
        "ownerMailingAddress" text, "situsAddress" text, "situsCity" text, "situsState" text, "situsZip" text,
        "landUseClass" text, "zoningCode" text, "zoningDescription" text, "isAgricultural" boolean,
        "assessedValue" bigint, "valueLand" bigint, "valueImprovement" bigint
      )
      order by "sourceParcelId"
    ), written as (
      insert into parcels as p (
        source, source_parcel_id, geom, bbox, acreage, owner_name, owner_names_all, owner_mailing_address, situs_address,
        situs_city, situs_state, situs_zip, land_use_class, zoning_code, zoning_description, is_agricultural,
        assessed_value, value_land, value_improvement
      )
      select ${source}, "sourceParcelId", geom, extent, acreage, "ownerName",
        coalesce("ownerNamesAll", case when "ownerName" is null then '{}' else array["ownerName"] end),
        "ownerMailingAddress", "situsAddress", "situsCity", "situsState", "situsZip", "landUseClass", "zoningCode",
        "zoningDescription", "isAgricultural", "assessedValue", "valueLand", "valueImprovement"
      from incoming
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
      where
        (excluded.geom is not null and excluded.geom::text is distinct from p.geom::text)
        or (excluded.owner_names_all <> '{}' and excluded.owner_names_all <> p.owner_names_all)
        or (
          coalesce(excluded.acreage, p.acreage), coalesce(excluded.owner_name, p.owner_name),
          coalesce(excluded.owner_mailing_address, p.owner_mailing_address),
          coalesce(excluded.situs_address, p.situs_address), coalesce(excluded.situs_city, p.situs_city),
          coalesce(excluded.situs_state, p.situs_state), coalesce(excluded.situs_zip, p.situs_zip),
          coalesce(excluded.land_use_class, p.land_use_class), coalesce(excluded.zoning_code, p.zoning_code),
          coalesce(excluded.zoning_description, p.zoning_description),
          coalesce(excluded.is_agricultural, p.is_agricultural),
          coalesce(excluded.assessed_value, p.assessed_value), coalesce(excluded.value_land, p.value_land),
          coalesce(excluded.value_improvement, p.value_improvement)
        ) is distinct from (
          p.acreage, p.owner_name, p.owner_mailing_address, p.situs_address, p.situs_city, p.situs_state,
          p.situs_zip, p.land_use_class, p.zoning_code, p.zoning_description, p.is_agricultural,
          p.assessed_value, p.value_land, p.value_improvement
        )
      returning (xmax = 0) as inserted
    )
    select count(*) filter (where inserted)::int as inserted, count(*) filter (where not inserted)::int as updated from written
  `
  const { inserted, updated } = counts ?? { inserted: 0, updated: 0 }
  return { inserted, updated, unchanged: rows.length - inserted - updated }
}
