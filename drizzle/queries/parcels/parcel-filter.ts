import { type Bbox, splitAtAntimeridian } from '../../../core/bbox'
import { ZONING_FIELDS } from '../../../core/parcel-fields'
import type { ParcelFilter } from '../../../core/parcel-filter'
import type { Db } from '../../../core/postgres/database'

const ZONINGS = ZONING_FIELDS.map((name) => `p.${name}`).join(', ')

/** The first comparison uses the GiST index. It has a tolerance of 1e-6 degrees, which the second one does not have. */
const meetsBox = (db: Db, [west, south, east, north]: Bbox) => db`
  (p.bbox && box(point(${east}, ${north}), point(${west}, ${south}))
    and (p.bbox[1])[0] <= ${east} and (p.bbox[0])[0] >= ${west} and (p.bbox[1])[1] <= ${north} and (p.bbox[0])[1] >= ${south})`

/** Whether the bounding box of `parcels p` meets this box. */
export const meetsBbox = (db: Db, bbox: Bbox) => {
  const [box = bbox, other] = splitAtAntimeridian(bbox)
  return other === undefined ? meetsBox(db, box) : db`(${meetsBox(db, box)} or ${meetsBox(db, other)})`
}

/** SQL that begins with `and` or is empty, for `parcels p join sources s`. */
export const parcelFilter = (
  db: Db,
  { state, source, county, landUse, zoning, minValue, maxValue, minAcres, maxAcres, bbox, lifecycle }: ParcelFilter,
) => db`
  ${lifecycle === 'all' ? db`` : lifecycle === 'listed' ? db`and p.retired_at is null` : db`and p.retired_at is not null`}
  ${state === null ? db`` : db`and s.state = ${state}`}
  ${source === null ? db`` : db`and p.source = ${source}`}
  ${county === null ? db`` : db`and lower(s.county_name) = lower(${county})`}
  ${landUse === null ? db`` : db`and starts_with(lower(p.land_use_class), lower(${landUse}))`}
  ${
    zoning === null
      ? db``
      : db`and exists (select from unnest(array[${db.unsafe(ZONINGS)}]) as zoning where starts_with(lower(zoning), lower(${zoning})))`
  }
  ${minValue === null ? db`` : db`and p.assessed_value >= ${minValue}::float8`}
  ${maxValue === null ? db`` : db`and p.assessed_value <= ${maxValue}::float8`}
  ${minAcres === null ? db`` : db`and p.acreage >= ${minAcres}`}
  ${maxAcres === null ? db`` : db`and p.acreage <= ${maxAcres}`}
  ${bbox === null ? db`` : db`and ${meetsBbox(db, bbox)}`}
`
