import type { ParcelFilter } from '../../../core/parcels/filter'
import type { Db } from '../../../core/postgres/database'
import { parcelFilter } from '../parcels/parcel-filter'

/**
 * How many parcels a filter selects; counts up to `atMost`. For a box, it also counts parcels whose bounding box overlaps it but whose
 * boundary does not.
 */
export const countParcels = async (db: Db, filter: ParcelFilter, atMost: number | null): Promise<number> => {
  const [row] = await db<{ n: number }[]>`
    select count(*)::float8 as n from (select from parcels p where true ${parcelFilter(db, filter)} limit ${atMost}) p`
  return row?.n ?? 0
}

/** Whether any of these parcels is a point without a boundary. */
export const hasPoints = async (db: Db, filter: ParcelFilter): Promise<boolean> => {
  const [row] = await db<{ some: boolean }[]>`
    select exists (
      select from parcels p where p.geom is null and p.lon is not null ${parcelFilter(db, filter)}
    ) as some`
  return row?.some ?? false
}
