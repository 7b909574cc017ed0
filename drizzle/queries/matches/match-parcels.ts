import type { MultiPolygon } from 'geojson'
import { LISTED_PARCELS } from '../../../core/parcels/filter'
import type { Db, Sql } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import { parcelFilter } from '../parcels/parcel-filter'

/** A parcel in the form that is compared with lists. */
export interface MatchParcelRow {
  id: string
  source: string
  sourceParcelId: string
  ownerName: string | null
  situsAddress: string | null
  situsCity: string | null
  situsState: string | null
  situsZip: string | null
  /** The state of the source. */
  state: string
  countyName: string
}

/** The parcels that may be matched. `states`: only these; null: all. */
export interface MatchScope {
  state: string | null
  county: string | null
  source: string | null
  states: readonly string[] | null
}

const columns = (db: Db) => db`
  p.id, p.source, p.source_parcel_id as "sourceParcelId", p.owner_name as "ownerName", p.situs_address as "situsAddress",
  p.situs_city as "situsCity", p.situs_state as "situsState", p.situs_zip as "situsZip", s.state, s.county_name as "countyName"`

const inScope = (db: Db, { state, county, source, states }: MatchScope) => db`
  ${parcelFilter(db, { ...LISTED_PARCELS, state, county, source })}
  ${states === null ? db`` : db`and s.state = any(${[...states]}::text[])`}`

/** Rows that the server sends at a time. */
const BATCH = 2_000

/** All parcels in scope, unordered, in batches. */
export const readMatchParcels = (sql: Sql, scope: MatchScope): AsyncIterable<MatchParcelRow[]> =>
  sql<MatchParcelRow[]>`
  select ${columns(sql)} from live_parcels p join sources s using (source) where true ${inScope(sql, scope)}`.cursor(
    BATCH,
  )

/** The parcels in scope with this id, or with an address like one of up to three patterns: see `Probe` of search/match. */
export const listMatchParcels = (
  db: Db,
  scope: MatchScope,
  { idKey, addressPatterns }: { idKey: string | null; addressPatterns: readonly string[] },
): Promise<MatchParcelRow[]> => {
  const [first, second, third] = addressPatterns
  return db<MatchParcelRow[]>`
    select ${columns(db)} from live_parcels p join sources s using (source)
    where (parcel_key(p.source_parcel_id) = ${idKey} or p.situs_address ilike ${first ?? null}
      or p.situs_address ilike ${second ?? null} or p.situs_address ilike ${third ?? null}) ${inScope(db, scope)}`
}

/** An estimate of the number of parcels that `readMatchParcels` returns, for the progress. */
export const countMatchParcels = async (db: Db, scope: MatchScope): Promise<number> => {
  const rows = await db<{ count: number }[]>`
    select count(*)::float8 as count from live_parcels p join sources s using (source) where true ${inScope(db, scope)}`
  return onlyRow(rows).count
}

/** The parcels in scope whose box contains one of the points. `row` is the index of the point in the list. */
export const listParcelsAtPoints = (
  db: Db,
  scope: MatchScope,
  points: readonly { row: number; lon: number; lat: number }[],
): Promise<(MatchParcelRow & { row: number; geom: MultiPolygon | null })[]> => db<
  (MatchParcelRow & { row: number; geom: MultiPolygon | null })[]
>`
  select q.row, p.geom, ${columns(db)}
  from unnest(${points.map(({ row }) => row)}::int[], ${points.map(({ lon }) => lon)}::float8[], ${points.map(({ lat }) => lat)}::float8[])
    as q (row, lon, lat)
  cross join lateral (
    -- OFFSET 0 keeps the index of places. If statistics named few parcels of the source, PostgreSQL read all of them for each point.
    select * from live_parcels where bbox && box(point(q.lon, q.lat), point(q.lon, q.lat)) offset 0
  ) p
  join sources s using (source)
  where true ${inScope(db, scope)}`
