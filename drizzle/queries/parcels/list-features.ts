import type { Cql2, Cql2Value } from '../../../core/cql2/cql2'
import type { Bbox } from '../../../core/geometry/bbox'
import { RECORD_FIELDS } from '../../../core/parcels/fields'
import type { Db } from '../../../core/postgres/database'
import { cql2Condition } from './cql2-condition'
import { listColumns } from './field-columns'
import { MAX_PAGE_BYTES } from './list-parcels'
import { innerBox, needsFence } from './parcel-filter'

/** Which parcels to list. Null or empty: no condition. */
export interface FeatureFilter {
  source: string | null
  /** The parcel's box overlaps one of them. None crosses the antimeridian. */
  boxes: readonly Bbox[]
  condition: Cql2 | null
  /** ISO 8601: the parcels as they were then. */
  asOf: string | null
}

export interface FeaturePage {
  /** Id of the last parcel of the previous page. */
  after: string | null
  limit: number
}

export interface FeatureRow {
  id: string
  /** A GeoJSON feature as text. */
  feature: string
  /** The boundary to test, as GeoJSON text; `null` as text for a point outside the boxes. Null: the box was enough. */
  boundary: string | null
}

const PROPERTIES = `p.source, p.source_parcel_id, ${listColumns(RECORD_FIELDS, 'p')}, iso_utc(p.updated_at) as updated_at`

const FEATURE = `format('{"type":"Feature","id":"%s","geometry":%s,"properties":%s}', p.id, coalesce(place_geojson(p.geom, p.lon, p.lat)::text, 'null'),
  row_to_json((select properties from (select ${PROPERTIES}) properties)))`

export interface FeatureSegment {
  rows: FeatureRow[]
  /** Id of the parcel after which the next segment begins. Null: there are no more parcels. */
  next: string | null
  /** The page must end here, because its boundaries are large. */
  isCut: boolean
}

/**
 * Maximum parcels of one segment when they are restored to a former time. Restoring a parcel took 1.7 ms on a busy machine
 * (2026-11-23), so a segment reads few of them, whether or not they meet the filter.
 */
const MAX_FORMER = 200

/**
 * The next parcels by id as GeoJSON features, at most `limit`.
 *
 * The text of the statement depends on the filter. It consists of fixed parts, column names from a table in the code, and placeholders.
 * It is not prepared, because connections keep every prepared statement and the number of filters is unlimited.
 */
export const listFeatures = async (
  db: Db,
  filter: FeatureFilter,
  { after, limit }: FeaturePage,
): Promise<FeatureSegment> => {
  const values: (Cql2Value | null)[] = []
  const addValue = (value: Cql2Value): string => `$${values.push(value)}`
  const boxes = filter.boxes.map(([west, south, east, north]) =>
    [west, south, east, north].map((degrees) => `${addValue(degrees)}::float8`),
  )
  const meets = boxes.map(
    ([west, south, east, north]) => `p.bbox && box(point(${east}, ${north}), point(${west}, ${south}))`,
  )
  const isSettled = boxes.map((sides, index) => {
    const inner = innerBox(filter.boxes[index] as Bbox)
    return `${inner === null ? '' : `p.bbox <@ ${addValue(inner)}::box or `}surely_meets(p.bbox, ${sides.join(', ')})`
  })
  const meetsAny = meets.length === 0 ? 'true' : `(${meets.join(' or ')})`
  const ofSource = filter.source === null ? 'true' : `p.source = ${addValue(filter.source)}`
  const isNext = after === null ? 'true' : `p.id > ${addValue(after)}::uuid`
  const fits = filter.condition === null ? 'true' : cql2Condition(filter.condition, addValue)
  const wanted = `${addValue(limit)}::int`
  const isFormer = filter.asOf !== null
  const asOf = isFormer ? `${addValue(filter.asOf ?? '')}::timestamptz` : ''
  // It names the log, as parcel_values_to_put_back requires.
  const text = `
    with ${isFormer ? 'log as (select from parcel_changes),' : ''} candidates as materialized (${
      isFormer
        ? `select p.id from parcels p where ${ofSource} and ${isNext} and ${formerCandidates(asOf, meetsAny)}
           order by p.id limit ${MAX_FORMER}`
        : `select p.id, p.bbox, p.geom from (
             select p.* from live_parcels p where ${ofSource} and ${isNext} and ${meetsAny} and ${fits} ${needsFence(filter.boxes) ? 'offset 0' : ''}
           ) p order by p.id limit ${wanted}`
    }), page as materialized (${
      isFormer
        ? `select p.* from candidates join parcels present using (id)
           cross join lateral (select parcel_values_to_put_back(present.id, ${asOf}) as former) put_back
           cross join lateral jsonb_populate_record(present, put_back.former) p
           where put_back.former is not null and p.retired_at is null and ${meetsAny} and ${fits} order by p.id limit ${wanted}`
        : 'select * from candidates'
    }), measured as (
      select p.*, count(*) over () as found,
        sum(pg_column_size(p.geom)) over (order by p.id) - coalesce(pg_column_size(p.geom), 0) as bytes_before
      from page p
    ), features as (
      select p.id, ${FEATURE} as feature, m.found,
        case when ${isSettled.length === 0 ? 'true' : isSettled.join(' or ')} then null else coalesce(p.geom::text, 'null') end as boundary
      from measured m join ${isFormer ? 'page' : 'parcels'} p using (id)
      where coalesce(m.bytes_before, 0) <= ${MAX_PAGE_BYTES}
    )
    select f.id, f.feature, f.boundary, f.found::int as found, c.count::int as candidates, c.last
    from (select count(*) as count, max(id::text) as last from candidates) c left join features f on true order by f.id`
  const found = await db.unsafe<Found[]>(text, values)
  const rows = found.filter((row): row is Found & FeatureRow => row.id !== null)
  const [{ candidates, last, found: total } = NOTHING] = found
  const isCut = rows.length < (total ?? 0)
  const isFull = (total ?? 0) === limit || candidates === (isFormer ? MAX_FORMER : limit)
  // A full page of former parcels may have skipped candidates after its last one.
  const lastRead = isCut || total === limit ? (rows.at(-1)?.id ?? null) : last
  return { rows, next: isCut || isFull ? lastRead : null, isCut }
}

/** A row, or nulls if there is none. */
interface Found {
  id: string | null
  feature: string | null
  boundary: string | null
  found: number | null
  candidates: number
  last: string | null
}

const NOTHING = { candidates: 0, last: null, found: null }

/**
 * For a box: the parcels whose current or former place overlaps it. Parcels that the service did not know at the time are removed
 * later.
 */
const formerCandidates = (asOf: string, meetsAny: string): string =>
  meetsAny === 'true'
    ? 'true'
    : `p.id in (
        select p.id from parcels p where ${meetsAny}
        union
        select c.parcel_id from parcel_changes c
        where c.changes ? 'geom' and c.at > ${asOf}
          and c.changes -> 'geom' ->> 0 in (select p.hash from geometries p where ${meetsAny})
        union
        select p.parcel_id from (
          select parcel_id, at, box_at((changes -> 'lon' ->> 0)::float8, (changes -> 'lat' ->> 0)::float8) as bbox
          from parcel_changes where changes ? 'lon'
        ) p where p.at > ${asOf} and ${meetsAny}
      )`

/** One listed parcel as a GeoJSON feature. Null: there is none. */
export const findFeature = async (db: Db, id: string, source: string | null): Promise<string | null> => {
  const [row] = await db<{ feature: string }[]>`
    select ${db.unsafe(FEATURE)} as feature from live_parcels p
    where p.id = ${id} ${source === null ? db`` : db`and p.source = ${source}`}`
  return row?.feature ?? null
}
