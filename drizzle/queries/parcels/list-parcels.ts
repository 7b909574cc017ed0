import { splitAtAntimeridian } from '../../../core/bbox'
import type { ParcelFilter } from '../../../core/parcel-filter'
import type { Db } from '../../../core/postgres/database'
import { joinRow, type ListField, ROW_JSON } from './list-fields'
import { candidateFilter, isInside } from './parcel-filter'

/*
 * Lists of parcels. `listParcelSegments` reads one page of those that a `ParcelFilter` selects. The database writes the JSON of a row, so
 * nothing is parsed here. src/parcels/list-parcels.ts decides with their boundaries which parcels meet the filter's box; use that, unless
 * the filter has no box.
 */

/** What the value of a sorted column is, in ascending order. */
export const SORT_COLUMNS = ['assessed_value', 'acreage', 'updated_at'] as const

/**
 * `id`: the order in which parcels were added. `parcel`: by source and source_parcel_id, which has an index for each source. A column:
 * parcels without a value come last, and equal ones are ordered by id.
 */
export type ParcelOrder = 'id' | 'parcel' | { column: (typeof SORT_COLUMNS)[number]; isDescending: boolean }

/** Where a page begins: after this parcel. Its form depends on the order. */
export type ParcelCursor = { id: string } | { source: string; sourceParcelId: string } | { rank: number; id: string }

export interface ParcelList {
  filter: ParcelFilter
  /** Each row also has `id`, `source` and `source_parcel_id`. */
  fields: readonly ListField[]
  /** Whether rows come with their boundary. */
  withGeometry: boolean
  order: ParcelOrder
  /** Null: from the beginning. */
  after: ParcelCursor | null
}

/** Separates the rows of a segment. JSON does not contain it. */
export const ROW_SEPARATOR = '\x1e'

/**
 * Consecutive parcels of a page: one or more whose boxes are inside the filter's box, or a single one whose box is not. For the latter, the
 * boundary decides. Without a box in the filter, every parcel is inside.
 */
export interface ParcelSegment {
  count: number
  /** The cursor of the last parcel, as `cursorText` writes it. */
  last: string
  /** JSON texts, with ROW_SEPARATOR in between. */
  rows: string
  /** Boundaries of the rows as GeoJSON texts or `null`, in the same form. Null: not requested. */
  geoms: string | null
  /** The boundary to test, as GeoJSON text. Null: the box was enough. */
  boundary: string | null
}

const columnOf = (db: Db, column: (typeof SORT_COLUMNS)[number]) =>
  column === 'assessed_value'
    ? db`p.assessed_value::float8`
    : column === 'acreage'
      ? db`p.acreage`
      : db`(extract(epoch from p.updated_at) * 1000)::float8`

/** A number that grows along the order, also in descending order. */
const rankOf = (db: Db, { column, isDescending }: Exclude<ParcelOrder, string>) =>
  isDescending
    ? db`coalesce(-${columnOf(db, column)}, 'infinity'::float8)`
    : db`coalesce(${columnOf(db, column)}, 'infinity'::float8)`

/** The columns of `parcels p` that an order compares. */
export const orderBy = (db: Db, order: ParcelOrder) =>
  order === 'id' ? db`p.id` : order === 'parcel' ? db`p.source, p.source_parcel_id` : db`${rankOf(db, order)}, p.id`

/** The cursor of a row: `<id>`, `<source>/<source_parcel_id>` or `<rank>/<id>`. */
export const cursorText = (db: Db, order: ParcelOrder) =>
  order === 'id'
    ? db`p.id::text`
    : order === 'parcel'
      ? db`p.source || '/' || p.source_parcel_id`
      : db`${rankOf(db, order)}::text || '/' || p.id::text`

/** SQL that begins with `and` or is empty: after the cursor, for `parcels p`. */
export const beyond = (db: Db, { order, after }: Pick<ParcelList, 'order' | 'after'>) => {
  if (after === null) return db``
  if ('source' in after) return db`and (p.source, p.source_parcel_id) > (${after.source}, ${after.sourceParcelId})`
  if ('rank' in after && typeof order !== 'string') {
    return db`and (${rankOf(db, order)}, p.id) > (${after.rank}::float8, ${after.id}::uuid)`
  }
  return db`and p.id > ${'id' in after ? after.id : null}::uuid`
}

/** Whether the box of a parcel is enough to know that it meets the filter's box. */
export const isSettled = (db: Db, { bbox }: ParcelFilter) =>
  bbox === null ? db`true` : db`(${isInside(db, splitAtAntimeridian(bbox))})`

/**
 * The first `limit` parcels after the cursor, in segments. The last parcel of a full page is always a separate segment, so that a caller who
 * requested one more than a page can leave it out. Rows are read for one page only, and each segment is one text: 5,000 separate rows
 * would take the driver 20 ms. Rows are numbered after the limit: before it, PostgreSQL would sort all of them.
 */
export const listParcelSegments = (db: Db, list: ParcelList, limit: number): Promise<ParcelSegment[]> =>
  db<ParcelSegment[]>`
    with page as materialized (
      select p.id, p.bbox, ${cursorText(db, list.order)} as cursor
      from parcels p where true ${candidateFilter(db, list.filter)} ${beyond(db, list)}
      order by ${orderBy(db, list.order)} limit ${limit}
    ), judged as (
      select id, cursor, ${isSettled(db, list.filter)} as settled, row_number() over () as place from page
    ), segmented as (
      select *, 2 * count(*) filter (where not settled or place = ${limit}) over (order by place)
        - (not settled or place = ${limit})::int as segment
      from judged
    )
    select count(*)::int as count, (array_agg(cursor order by place))[count(*)] as last,
      string_agg(${db.unsafe(ROW_JSON)}, ${ROW_SEPARATOR} order by place) as rows,
      ${list.withGeometry ? db`string_agg(coalesce(p.geom::text, 'null'), ${ROW_SEPARATOR} order by place)` : db`null::text`} as geoms,
      min(case when not settled then p.geom::text end) as boundary
    from segmented join parcels p using (id) ${joinRow(db, list.fields)}
    group by segment order by segment`
