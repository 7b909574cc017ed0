import type { PendingQuery, Row } from 'postgres'
import { type Bbox, splitAtAntimeridian } from '../../../core/bbox'
import { ZONING_FIELDS } from '../../../core/parcel-fields'
import type { ParcelFilter } from '../../../core/parcel-filter'
import type { Db } from '../../../core/postgres/database'

type Fragment = PendingQuery<Row[]>

const eitherOf = (db: Db, conditions: Fragment[]): Fragment =>
  conditions.reduce((left, right) => db`${left} or ${right}`)

const beginsWith = (db: Db, column: string, prefix: string): Fragment =>
  db`starts_with(lower(p.${db(column)}), lower(${prefix}))`

/** The first comparison uses the GiST index. It has a tolerance of 1e-6 degrees, which the second one does not have. */
const meetsBox = (db: Db, [west, south, east, north]: Bbox): Fragment => db`
  (p.bbox && box(point(${east}, ${north}), point(${west}, ${south}))
    and (p.bbox[1])[0] <= ${east} and (p.bbox[0])[0] >= ${west} and (p.bbox[1])[1] <= ${north} and (p.bbox[0])[1] >= ${south})`

/** Whether the bounding box of `parcels p` meets this box. */
export const meetsBbox = (db: Db, bbox: Bbox): Fragment =>
  db`(${eitherOf(
    db,
    splitAtAntimeridian(bbox).map((box) => meetsBox(db, box)),
  )})`

/** SQL that begins with `and`, for `parcels p join sources s`. */
export const parcelFilter = (db: Db, filter: ParcelFilter): Fragment => {
  const { state, source, county, landUse, zoning, minValue, maxValue, minAcres, maxAcres, bbox, lifecycle } = filter
  const conditions = [
    lifecycle === 'all' ? null : lifecycle === 'listed' ? db`p.retired_at is null` : db`p.retired_at is not null`,
    state === null ? null : db`s.state = ${state}`,
    source === null ? null : db`p.source = ${source}`,
    county === null ? null : db`lower(s.county_name) = lower(${county})`,
    landUse === null ? null : beginsWith(db, 'land_use_class', landUse),
    zoning === null
      ? null
      : db`(${eitherOf(
          db,
          ZONING_FIELDS.map((name) => beginsWith(db, name, zoning)),
        )})`,
    minValue === null ? null : db`p.assessed_value >= ${minValue}::float8`,
    maxValue === null ? null : db`p.assessed_value <= ${maxValue}::float8`,
    minAcres === null ? null : db`p.acreage >= ${minAcres}`,
    maxAcres === null ? null : db`p.acreage <= ${maxAcres}`,
    bbox === null ? null : meetsBbox(db, bbox),
  ]
  return conditions.filter((condition) => condition !== null).reduce((left, right) => db`${left} and ${right}`, db``)
}
