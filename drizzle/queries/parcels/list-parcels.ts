import { type Bbox, splitAtAntimeridian } from '../../../core/geometry/bbox'
import type { ParcelFilter } from '../../../core/parcels/filter'
import type { Db, Fragment } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import { joinRow, type ListField, rowJson } from './list-fields'
import { candidateFilter, fence, surelyMeets } from './parcel-filter'

/*
 * Lists of parcels. `listFoundParcels` reads one page of the parcels that a `ParcelFilter` selects. The database writes the JSON of a
 * row, so nothing is parsed here. src/parcels/list-parcels.ts decides with their boundaries which parcels meet the filter's box; use
 * that, unless the filter has no box.
 */

/** The columns by which lists can be sorted. */
type SortColumn = 'assessed_value' | 'acreage' | 'updated_at'

/**
 * `id`: the order in which parcels were added. `parcel`: by source and source_parcel_id, which has an index for each source. A column:
 * parcels without a value are last, and equal ones are ordered by id.
 */
export type ParcelOrder = 'id' | 'parcel' | { column: SortColumn; isDescending: boolean }

/** A page begins after this parcel. The form depends on the order. */
export type ParcelCursor = { id: string } | { source: string; sourceParcelId: string } | { rank: number; id: string }

export interface ParcelList {
  filter: ParcelFilter
  /** Each row also has `id`, `source` and `source_parcel_id`. */
  fields: readonly ListField[]
  /** Whether to return the boundary of each row, or its point if it has none. */
  withGeometry: boolean
  withPoints?: boolean
  order: ParcelOrder
  /** Null: from the beginning. */
  after: ParcelCursor | null
}

/** Separates rows, which are written on one line. Rows with it in between are elements of a JSON array. */
export const ROW_SEPARATOR = ',\n'
/** Separates boundaries, which are as a file or portal wrote them, also with line breaks. JSON does not contain it. */
export const BOUNDARY_SEPARATOR = '\x1e'

/** Consecutive parcels of a list whose boxes meet the filter's box. */
export interface FoundParcels {
  count: number
  /** The cursor of the last parcel, which `cursorText` defines, and of the one before it. Null: there is none. */
  last: string | null
  secondLast: string | null
  /** JSON texts, with ROW_SEPARATOR in between. Null: no parcel was found. */
  rows: string | null
  /** Boundaries of the rows as GeoJSON texts or `null`, with BOUNDARY_SEPARATOR in between. Null: no parcel, or without `withGeometry`. */
  geoms: string | null
  /**
   * A text for each row, with BOUNDARY_SEPARATOR in between. It is empty if the row's box is enough to know that the parcel meets the
   * filter's box. If the boundary decides, it is the boundary as in `geoms`, or `e` if `geoms` has it. Null: no parcel, or no box.
   */
  edges: string | null
  /** The boundaries or accounts are large, so there are fewer rows than wanted, and more parcels after them. */
  isCut: boolean
}

/**
 * Maximum stored size of the boundaries and accounts of one page. As text they are about three times as large. The first parcel of a page
 * can exceed it.
 */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024

const columnOf = (db: Db, column: SortColumn) =>
  column === 'assessed_value'
    ? db`p.assessed_value::float8`
    : column === 'acreage'
      ? db`p.acreage`
      : db`(extract(epoch from p.updated_at) * 1000)::float8`

/** A number that increases along the order, also in descending order. */
const rankOf = (db: Db, { column, isDescending }: Exclude<ParcelOrder, string>) =>
  isDescending
    ? db`coalesce(-${columnOf(db, column)}, 'infinity'::float8)`
    : db`coalesce(${columnOf(db, column)}, 'infinity'::float8)`

/** The columns of `parcels p` that an order compares. */
export const orderBy = (db: Db, order: ParcelOrder) =>
  order === 'id' ? db`p.id` : order === 'parcel' ? db`p.source, p.source_parcel_id` : db`${rankOf(db, order)}, p.id`

/** How the order by a column is named in a cursor. */
export const nameOfOrder = ({ column, isDescending }: Exclude<ParcelOrder, string>): string =>
  isDescending ? `-${column}` : column

/** The cursor of a row: `<id>`, `<source>/<source_parcel_id>` or `<name of the order>:<rank>/<id>`. */
export const cursorText = (db: Db, order: ParcelOrder) =>
  order === 'id'
    ? db`p.id`
    : order === 'parcel'
      ? db`p.source || '/' || p.source_parcel_id`
      : db`${nameOfOrder(order)}::text || ':' || ${rankOf(db, order)}::text || '/' || p.id::text`

/** SQL that begins with `and` or is empty: after the cursor, for `parcels p`. */
export const beyond = (db: Db, { order, after }: Pick<ParcelList, 'order' | 'after'>) => {
  if (after === null) return db``
  if ('source' in after) return db`and (p.source, p.source_parcel_id) > (${after.source}, ${after.sourceParcelId})`
  if ('rank' in after && typeof order !== 'string') {
    return db`and (${rankOf(db, order)}, p.id) > (${after.rank}::float8, ${after.id}::uuid)`
  }
  return db`and p.id > ${'id' in after ? after.id : null}::uuid`
}

/** The box of a filter: two boxes if it crosses the antimeridian, none if there is no box. */
export const boxesOf = ({ bbox }: ParcelFilter): Bbox[] => (bbox === null ? [] : splitAtAntimeridian(bbox))

/** Whether the box of a parcel is enough to know that it meets the filter's box. */
export const isSettled = (db: Db, filter: ParcelFilter) =>
  filter.bbox === null ? db`true` : db`(${surelyMeets(db, boxesOf(filter))})`

/**
 * The first `limit` parcels after the cursor, as `parcels p` with their cursor. A list without a box, in the order of an index, reads
 * each row once. Other lists sort ids first and read full rows only for one page. Ids of an array are looked up together, a page of the
 * index at a time. A join would descend the index for each.
 */
const pageOf = (db: Db, list: ParcelList, limit: number) => {
  const isSorted = list.filter.bbox === null && typeof list.order === 'string'
  const firstOf = (columns: Fragment) => db`
    select ${columns} from (
      select p.* from parcels p where true ${candidateFilter(db, list.filter)} ${beyond(db, list)} ${fence(db, boxesOf(list.filter))}
    ) p order by ${orderBy(db, list.order)} limit ${limit}`
  const withCursor = db`p.*, ${cursorText(db, list.order)} as cursor`
  return isSorted
    ? db`(${firstOf(withCursor)}) p`
    : db`(select ${withCursor} from parcels p where p.id = any(array(${firstOf(db`p.id`)}))) p`
}

interface Shown {
  fields: readonly ListField[]
  withGeometry: boolean
}

/** Whether rows can be so large that a page has fewer of them than wanted. */
export const canBeCut = ({ fields, withGeometry }: Shown): boolean => withGeometry || fields.includes('accounts')

/** The `parcels p` of a page without those after its first `MAX_PAGE_BYTES`, and with `found`, how many there were. */
export const cutPage = (db: Db, page: Fragment, order: Fragment, { fields, withGeometry }: Shown) => {
  const bytes = db`(${withGeometry ? db`coalesce(pg_column_size(p.geom), 0)` : db`0`}
    + ${fields.includes('accounts') ? db`coalesce(pg_column_size(p.accounts), 0)` : db`0`})`
  return db`(
    select * from (
      select p.*, count(*) over () as found, sum(${bytes}) over (order by ${order}) - ${bytes} as bytes_before
      from ${page}
    ) measured where bytes_before <= ${MAX_PAGE_BYTES}) p`
}

/** The boundary of `parcels p` as GeoJSON text, or the point of a parcel without one. */
export const placeText = (db: Db, withPoints: boolean) =>
  withPoints ? db`place_geojson(p.geom, p.lon, p.lat)::text` : db`p.geom::text`

const geomsOf = (db: Db, { order, withGeometry, withPoints = false }: ParcelList) =>
  withGeometry
    ? db`string_agg(coalesce(${placeText(db, withPoints)}, 'null'), ${BOUNDARY_SEPARATOR} order by ${orderBy(db, order)})`
    : db`null::text`

const edgesOf = (db: Db, { filter, order, withGeometry }: ParcelList) =>
  filter.bbox === null
    ? db`null::text`
    : edgeTexts(db, boxesOf(filter), withGeometry ? db`'e'` : db`coalesce(p.geom::text, 'null')`, orderBy(db, order))

/** The aggregate `FoundParcels.edges` of `parcels p`, with the text of a row on the edge. */
export const edgeTexts = (db: Db, boxes: readonly Bbox[], ofEdge: Fragment, order: Fragment) => db`
  string_agg(case when ${surelyMeets(db, boxes)} then '' else ${ofEdge} end, ${BOUNDARY_SEPARATOR} order by ${order})`

const selectFound = (db: Db, list: ParcelList, limit: number) => {
  const page = pageOf(db, list, limit)
  return db<FoundParcels[]>`
    select count(*)::int as count, (array_agg(cursor order by ${orderBy(db, list.order)}))[count(*)] as last,
      (array_agg(cursor order by ${orderBy(db, list.order)}))[count(*) - 1] as "secondLast",
      string_agg(${rowJson(db, list.fields)}, ${ROW_SEPARATOR} order by ${orderBy(db, list.order)}) as rows,
      ${geomsOf(db, list)} as geoms, ${edgesOf(db, list)} as edges,
      ${canBeCut(list) ? db`coalesce(count(*) < max(p.found), false)` : db`false`} as "isCut"
    from ${canBeCut(list) ? cutPage(db, page, orderBy(db, list.order), list) : page} ${joinRow(db, list.fields)}`
}

/** The first `limit` parcels after the cursor. The rows are one text: 5,000 separate rows would take the driver 20 ms. */
export const listFoundParcels = async (db: Db, list: ParcelList, limit: number): Promise<FoundParcels> => {
  return onlyRow(await selectFound(db, list, limit))
}

/** What `listFoundParcels` returns, with the rows in UTF-8, as the database sent them. */
export type EncodedParcels = Omit<FoundParcels, 'rows'> & { rows: Buffer | null }

export const listEncodedParcels = async (db: Db, list: ParcelList, limit: number): Promise<EncodedParcels> => {
  const found = onlyRow(await selectFound(db, list, limit).raw())
  // In the order of the statement. The driver's type lacks null.
  const [count, last, secondLast, rows, geoms, edges, isCut] = found as readonly (Buffer | null)[]
  return {
    count: Number(count),
    last: textOf(last),
    secondLast: textOf(secondLast),
    rows: rows ?? null,
    geoms: textOf(geoms),
    edges: textOf(edges),
    isCut: textOf(isCut) === 't',
  }
}

const textOf = (bytes: Buffer | null | undefined): string | null => bytes?.toString() ?? null
