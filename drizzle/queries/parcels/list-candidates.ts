import type { Bbox } from '../../../core/geometry/bbox'
import type { ParcelFilter } from '../../../core/parcels/filter'
import type { Db } from '../../../core/postgres/database'
import { joinRow, type ListField, rowJson } from './list-fields'
import { beyond, canBeCut, cursorText, cutPage, orderBy, type ParcelList, placeText } from './list-parcels'
import { candidateFilter, fence, meets, parcelFilter } from './parcel-filter'

/*
 * Candidates for queries about a place, found by their boxes in the GiST index. src/parcels then checks their boundaries, and
 * `readRows` reads the rows of those that remain.
 */

export interface BoundaryCandidate {
  id: string
  /** The boundary, as GeoJSON text. */
  boundary: string
}

/** The parcels whose box overlaps the filter's box, by id. */
export const listBoundariesInBox = (db: Db, filter: ParcelFilter): Promise<BoundaryCandidate[]> =>
  db<BoundaryCandidate[]>`
    select p.id, p.geom::text as boundary from parcels p where p.geom is not null ${candidateFilter(db, filter)} order by p.id`

export interface BoxCandidate {
  id: string
  /** The cursor of the parcel. */
  cursor: string
  west: number
  south: number
  east: number
  north: number
}

/** The first `limit` parcels of a list after its cursor whose box overlaps one of `boxes`, with their boxes. The filter has no box. */
export const listBoxes = async (
  db: Db,
  boxes: readonly Bbox[],
  { filter, order, after }: Pick<ParcelList, 'filter' | 'order' | 'after'>,
  limit: number,
): Promise<BoxCandidate[]> => {
  const sides = (side: 0 | 1 | 2 | 3) => boxes.map((box) => box[side])
  return db<BoxCandidate[]>`
    select p.id, ${cursorText(db, order)} as cursor, coalesce((p.bbox[1])[0], 0) as west, coalesce((p.bbox[1])[1], 0) as south,
      coalesce((p.bbox[0])[0], 0) as east, coalesce((p.bbox[0])[1], 0) as north
    from (
      select distinct on (p.id) p.*
      from unnest(${sides(0)}::float8[], ${sides(1)}::float8[], ${sides(2)}::float8[], ${sides(3)}::float8[]) as area (west, south, east, north)
      cross join lateral (
        select p.* from parcels p where p.bbox && box(point(area.east, area.north), point(area.west, area.south))
          ${parcelFilter(db, { ...filter, bbox: null })} ${beyond(db, { order, after })} ${fence(db, boxes)}
      ) p
      order by p.id
    ) p order by ${orderBy(db, order)} limit ${limit}`
}

/** The boundaries of parcels, by id. Parcels without one are left out. */
export const readBoundaries = (db: Db, ids: readonly string[]): Promise<BoundaryCandidate[]> =>
  db<BoundaryCandidate[]>`
    select p.id, p.geom::text as boundary from parcels p where p.id = any(${[...ids]}::uuid[]) and p.geom is not null`

/** A circle around a point. */
export interface Circle {
  lon: number
  lat: number
  radiusM: number
  /** Boxes that cover the whole circle. */
  boxes: readonly Bbox[]
}

export interface NearCandidate {
  id: string
  /** The boundary, as GeoJSON text. Null: the parcel is a point. */
  boundary: string | null
  /** Meters: the distance of a point, or a lower bound for a boundary: the distance of its box. */
  nearestM: number
}

/** The mean diameter of the Earth in meters. */
const DIAMETER_M = 2 * 6_371_008.8

/**
 * A lower bound of the distance from the point (`lon`, `lat`) to a box, and an upper bound of the distance to its farthest point. Each
 * part of the haversine formula takes its smallest or largest value in the box. An edge is part of a great circle, which leaves the box
 * by up to Δλ²/16 (in radians) toward the pole. `offset 0` makes the database compute each column once per row.
 */
export const REACH = `
  select ${DIAMETER_M} * asin(sqrt(least(1, sind(least(180, gap.y) / 2) ^ 2
      + cosd(gap.lat) * cosd(least(90, greatest(abs(gap.south), abs(gap.north)) + gap.bulge)) * sind(least(180, gap.x) / 2) ^ 2))) as "nearestM",
    ${DIAMETER_M} * asin(sqrt(least(1, sind(least(180, gap.far_y) / 2) ^ 2 + cosd(gap.lat) * sind(least(180, gap.far_x) / 2) ^ 2))) as "farthestM"
  from (
    select lat, south, north, bulge, greatest(0, south - lat - bulge, lat - north - bulge) as y,
      least(greatest(0, west - lon, lon - east), greatest(0, west - lon + 360), greatest(0, lon - east + 360)) as x,
      greatest(abs(south - lat), abs(north - lat)) + bulge as far_y, greatest(abs(west - lon), abs(east - lon)) as far_x
    from (
      select (p.bbox[1])[0] as west, (p.bbox[1])[1] as south, (p.bbox[0])[0] as east, (p.bbox[0])[1] as north,
        ((p.bbox[0])[0] - (p.bbox[1])[0]) ^ 2 * pi() / 2880 as bulge, point.lon, point.lat
      offset 0
    ) edges
  ) gap
  offset 0`

/** The distance, in degrees, from a point to the box of the parcel after the `count` nearest ones. Null: there are not that many. */
export const findBoxDistance = async (
  db: Db,
  { lon, lat }: Pick<Circle, 'lon' | 'lat'>,
  count: number,
): Promise<number | null> => {
  const [row] = await db<{ degrees: number | null }[]>`
    select p.bbox <-> point(${lon}, ${lat}) as degrees from parcels p order by p.bbox <-> point(${lon}, ${lat}) limit 1 offset ${count}`
  return row?.degrees ?? null
}

/**
 * The first `limit` parcels whose box overlaps the circle, by the distance of their box, without those that are entirely nearer than
 * `beyondM`.
 */
export const listNearby = (
  db: Db,
  filter: ParcelFilter,
  { lon, lat, radiusM, boxes }: Circle,
  beyondM: number,
  limit: number,
): Promise<NearCandidate[]> =>
  db<NearCandidate[]>`
    with nearby as materialized (
      select p.id, reach."nearestM"
      from parcels p cross join (select ${lon}::float8 as lon, ${lat}::float8 as lat) point cross join lateral (${db.unsafe(REACH)}) reach
      where (${meets(db, boxes)}) ${parcelFilter(db, filter)} and reach."nearestM" <= ${radiusM}
        ${beyondM > 0 ? db`and reach."farthestM" >= ${beyondM}` : db``}
      order by reach."nearestM", p.id limit ${limit}
    )
    select p.id, p.geom::text as boundary, nearby."nearestM" from nearby join parcels p using (id)
    where p.id = any(array(select id from nearby)) order by nearby."nearestM", p.id`

/** A parcel that others are compared with. */
export interface Origin {
  id: string
  /** Null: the boundary is unknown. */
  boundary: string | null
}

export const findOrigin = async (db: Db, { source, id }: { source: string; id: string }): Promise<Origin | null> => {
  const [row] = await db<Origin[]>`
    select p.id, p.geom::text as boundary from parcels p where p.source = ${source} and p.source_parcel_id = ${id}`
  return row ?? null
}

/** `found`: how many of the parcels exist; 0 without boundaries. */
export interface ListedRow {
  id: string
  body: string
  geom: string | null
  found: number
}

/**
 * The list rows of these parcels: JSON texts, and boundaries if requested. With boundaries or accounts, only the first parcels for which
 * these take `MAX_PAGE_BYTES`.
 */
export const readRows = (
  db: Db,
  ids: readonly string[],
  shown: { fields: readonly ListField[]; withGeometry: boolean; withPoints: boolean },
): Promise<ListedRow[]> => {
  const { fields, withGeometry, withPoints } = shown
  const wanted = db`p.id = any(${[...ids]}::uuid[])`
  const asked = db`parcels p join unnest(${[...ids]}::uuid[]) with ordinality asked (id, place) on asked.id = p.id where ${wanted}`
  const rows = canBeCut(shown) ? cutPage(db, asked, db`asked.place`, shown) : db`parcels p`
  return db<ListedRow[]>`
    select p.id, ${canBeCut(shown) ? db`p.found::int` : db`0`} as found, ${rowJson(db, fields)} as body,
      ${withGeometry ? placeText(db, withPoints) : db`null::text`} as geom
    from ${rows} ${joinRow(db, fields)} where ${wanted}`
}
