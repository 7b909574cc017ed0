import type { ParcelFilter } from '../../../core/parcels/filter'
import type { Db } from '../../../core/postgres/database'
import { meetsBbox, placeFilter } from '../parcels/parcel-filter'

/** Sources with the same license and attribution. Null: the operator has not set it. */
export interface LicensedSources {
  license: string | null
  attribution: string | null
  sources: string[]
}

/** The sources of a filter that have parcels, grouped by license and attribution. A box selects parcels by their bounding boxes. */
export const listLicenses = (db: Db, { state, source, county, bbox }: ParcelFilter): Promise<LicensedSources[]> => db<
  LicensedSources[]
>`
  select license, attribution, array_agg(source order by source) as sources
  from sources place
  where ${
    bbox === null
      ? db`exists (select from parcels p where p.source = place.source)`
      : db`place.source in (select p.source from parcels p where ${meetsBbox(db, bbox)})`
  }
    ${source === null ? db`` : db`and place.source = ${source}`} ${placeFilter(db, { state, county })}
  group by license, attribution order by min(source)`
