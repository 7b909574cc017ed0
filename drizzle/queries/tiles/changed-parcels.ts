import type { Db } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import { isDrawn, type TileParcelFilter } from './tile-parcels'

/** A parcel that changed, and a box where it is or was. Null: its place is not known. */
export interface ChangedBox {
  source: string
  source_parcel_id: string
  bbox: [west: number, south: number, east: number, north: number] | null
}

const changedSince = (db: Db, version: number) => db`
  select distinct parcel_id, source, source_parcel_id from parcel_changes where version > ${version}`

/** The number of changes after a version of the record, or `most` if there are more. */
export const countChangesSince = async (db: Db, version: number, most: number): Promise<number> => {
  const rows = await db<{ n: number }[]>`
    select count(*)::int as n from (select from parcel_changes where version > ${version} limit ${most}) changes`
  return onlyRow(rows).n
}

/** The parcels that changed after a version of the record: the current box of each, and all boxes that it had since then. */
export const listChangedBoxes = async (db: Db, version: number): Promise<ChangedBox[]> => {
  // The sides of a box are columns, because the driver reads arrays slowly.
  const rows = await db<
    { source: string; source_parcel_id: string; w: number | null; s: number; e: number; n: number }[]
  >`
    select source, source_parcel_id, (box[1])[0] as w, (box[1])[1] as s, (box[0])[0] as e, (box[0])[1] as n
    from (
      select c.source, c.source_parcel_id, p.bbox as box
        from (${changedSince(db, version)}) c left join parcels p on p.id = c.parcel_id
      union all
      select c.source, c.source_parcel_id, g.bbox
        from parcel_changes c join geometries g on g.hash = c.changes -> 'geom' ->> 0
        where c.version > ${version} and c.changes ? 'geom'
      union all
      select source, source_parcel_id, box_at((changes -> 'lon' ->> 0)::float8, (changes -> 'lat' ->> 0)::float8)
        from parcel_changes where version > ${version} and changes ? 'lon'
    ) boxes`
  return rows.map(({ source, source_parcel_id, w, s, e, n }) => ({
    source,
    source_parcel_id,
    bbox: w === null ? null : [w, s, e, n],
  }))
}

/** Calls a function for each drawn parcel that changed after a version of the record, as `forEachTileParcel` does. */
export const forEachChangedParcel = async (
  db: Db,
  version: number,
  filter: TileParcelFilter,
  columns: readonly string[],
  handle: (geometry: Uint8Array, texts: readonly (Uint8Array | null)[]) => void,
): Promise<void> => {
  const query = db<Uint8Array[][]>`
    select ${db(['place', ...columns])} from (select *, place_geojson(geom, lon, lat) as place from parcels) p
    where id in (select parcel_id from (${changedSince(db, version)}) c) and ${isDrawn(db, filter)}`
  query.raw()
  await query.forEach((row) => {
    handle(row[0] as Uint8Array, row.slice(1))
  })
}
