import { type Bbox, splitAtAntimeridian, squareDegrees } from '../../../core/geometry/bbox'
import { ZONING_FIELDS } from '../../../core/parcels/fields'
import type { ParcelFilter } from '../../../core/parcels/filter'
import type { Db, Fragment } from '../../../core/postgres/database'
import { listCountyNames } from '../../../core/sources/county-names'
import { idKeys, nameKeys } from './name-keys'

const ZONINGS = ZONING_FIELDS.map((name) => `p.${name}`).join(', ')

/** PostgreSQL compares boxes with this tolerance in degrees (EPSILON in its geo_decls.h). */
const TOLERANCE = 1e-6

/** The first comparison uses the GiST index. It has a tolerance, which the second one does not have. */
const meetsBox = (db: Db, [west, south, east, north]: Bbox) => db`
  (p.bbox && box(point(${east}, ${north}), point(${west}, ${south}))
    and (p.bbox[1])[0] <= ${east} and (p.bbox[0])[0] >= ${west} and (p.bbox[1])[1] <= ${north} and (p.bbox[0])[1] >= ${south})`

/** Whether the bounding box of `parcels p` overlaps this box. */
export const meetsBbox = (db: Db, bbox: Bbox) => {
  const [box = bbox, other] = splitAtAntimeridian(bbox)
  return other === undefined ? meetsBox(db, box) : db`(${meetsBox(db, box)} or ${meetsBox(db, other)})`
}

const anyOf = (db: Db, conditions: Fragment[]) => conditions.reduce((left, right) => db`${left} or ${right}`)

/** Whether the column `bbox` overlaps one of the boxes. */
export const meets = (db: Db, boxes: readonly Bbox[]) =>
  anyOf(
    db,
    boxes.map(([west, south, east, north]) => db`bbox && box(point(${east}, ${north}), point(${west}, ${south}))`),
  )

/**
 * Whether the point that a change of `parcel_changes` replaced is in one of the boxes. The index `parcel_changes_former_point` has the
 * same expression.
 */
export const formerPointMeets = (db: Db, boxes: readonly Bbox[]) =>
  db`(changes ? 'lon' and (${anyOf(
    db,
    boxes.map(
      ([west, south, east, north]) => db`
      box_at((changes -> 'lon' ->> 0)::float8, (changes -> 'lat' ->> 0)::float8) && box(point(${east}, ${north}), point(${west}, ${south}))`,
    ),
  )}))`

/** In square degrees: the box of Texas. A larger one may hold most of the parcels, so that walking through their ids soon fills a page. */
const MAX_SORTED = 100

/**
 * Whether a statement that sorts the parcels in these boxes for a page must select them in a subquery that ends with `offset 0`. The
 * planner expects each box to hold 0.5% of the parcels (`areasel` in PostgreSQL's geo_selfuncs.c). With tens of millions of parcels it
 * would walk through their ids until the page is full, which takes minutes. `offset 0` makes it use the index of boxes.
 */
export const needsFence = (boxes: readonly Bbox[]): boolean => boxes.length > 0 && squareDegrees(boxes) <= MAX_SORTED

/** SQL for the end of that subquery, or none. */
export const fence = (db: Db, boxes: readonly Bbox[]) => (needsFence(boxes) ? db`offset 0` : db``)

/**
 * Whether the column `bbox` alone shows that the boundary overlaps one of the boxes. Most are in the box, and one comparison with a box takes
 * less time than those of `surely_meets`.
 */
export const surelyMeets = (db: Db, boxes: readonly Bbox[]) =>
  anyOf(
    db,
    boxes.map((box) => {
      const [west, south, east, north] = box
      const inner = innerBox(box)
      return db`
        ${inner === null ? db`` : db`bbox <@ ${inner}::box or`} surely_meets(bbox, ${west}, ${south}, ${east}, ${north})`
    }),
  )

/** A box as PostgreSQL reads it. What is in it by PostgreSQL's comparison is in `bbox`. Null: `bbox` is smaller than the tolerance. */
export const innerBox = ([west, south, east, north]: Bbox): string | null => {
  // Twice the tolerance, because the sums are rounded.
  const margin = 2 * TOLERANCE
  const [left, right, bottom, top] = [west + margin, east - margin, south + margin, north - margin]
  // PostgreSQL would swap the corners.
  return left < right && bottom < top ? `((${right},${top}),(${left},${bottom}))` : null
}

/** SQL that begins with `and` or is empty: the state and the county of a filter, for `sources place`. */
export const placeFilter = (db: Db, { state, county }: Pick<ParcelFilter, 'state' | 'county'>) => db`
  ${state === null ? db`` : db`and place.state = ${state}`}
  ${county === null ? db`` : db`and lower(place.county_name) = any(${listCountyNames(county)}::text[])`}`

/**
 * SQL that begins with `and` or is empty, for `parcels p`. A state or county becomes a list of sources, so that the index of
 * `source` and `source_parcel_id` finds their parcels in its order.
 */
export const parcelFilter = (db: Db, filter: ParcelFilter) => db`
  ${filter.lifecycle === 'all' ? db`` : filter.lifecycle === 'listed' ? db`and p.retired_at is null` : db`and p.retired_at is not null`}
  ${
    filter.state === null && filter.county === null
      ? db``
      : db`and p.source = any(array(select place.source from sources place where true ${placeFilter(db, filter)}))`
  }
  ${filter.source === null ? db`` : db`and p.source = ${filter.source}`}
  ${filter.owner === null ? db`` : db`and p.owner_name_normalized = any(${nameKeys(db, filter.owner)})`}
  ${filter.parcelId === null ? db`` : db`and parcel_key(p.source_parcel_id) = any(${idKeys(db, filter.parcelId)})`}
  ${filter.landUse === null ? db`` : db`and starts_with(lower(p.land_use_class), lower(${filter.landUse}))`}
  ${
    filter.zoning === null
      ? db``
      : db`and exists (select from unnest(array[${db.unsafe(ZONINGS)}]) as zoning where starts_with(lower(zoning), lower(${filter.zoning})))`
  }
  ${filter.minValue === null ? db`` : db`and p.assessed_value >= ${filter.minValue}::float8`}
  ${filter.maxValue === null ? db`` : db`and p.assessed_value <= ${filter.maxValue}::float8`}
  ${filter.minAcres === null ? db`` : db`and p.acreage >= ${filter.minAcres}`}
  ${filter.maxAcres === null ? db`` : db`and p.acreage <= ${filter.maxAcres}`}
  ${filter.isAgricultural === null ? db`` : filter.isAgricultural ? db`and p.is_agricultural` : db`and not p.is_agricultural`}
  ${filter.changedSince === null ? db`` : db`and p.updated_at >= ${filter.changedSince}`}
  ${filter.hasGeometry === null ? db`` : filter.hasGeometry ? db`and p.geom is not null` : db`and p.geom is null`}
  ${filter.bbox === null ? db`` : db`and ${meetsBbox(db, filter.bbox)}`}
`

/**
 * Like `parcelFilter`, but the box is compared with PostgreSQL's tolerance, for queries whose caller compares boundaries anyway.
 * The index alone can answer that, in two thirds of the time.
 */
export const candidateFilter = (db: Db, filter: ParcelFilter) => db`
  ${parcelFilter(db, { ...filter, bbox: null })}
  ${filter.bbox === null ? db`` : db`and (${meets(db, splitAtAntimeridian(filter.bbox))})`}
`
