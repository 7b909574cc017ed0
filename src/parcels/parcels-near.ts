import type { MultiPolygon } from 'geojson'
import { yieldToOthers } from '../../core/concurrency/yield-to-others'
import type { Bbox } from '../../core/geometry/bbox'
import type { ParcelFilter } from '../../core/parcels/filter'
import type { Db } from '../../core/postgres/database'
import {
  type Circle,
  findBoxDistance,
  listNearby,
  type NearCandidate,
} from '../../drizzle/queries/parcels/list-candidates'
import { distanceToBoundaryM, EARTH_RADIUS_M, measureBoundary } from './geometry/distance-to-boundary'
import type { ParcelPage } from './list-parcels'
import type { Point } from './parcels-at-point'
import { compareRanked, isBeyond, type RankCursor, type RankedParcel, readRankedPage } from './ranked-page'
import type { RowsWanted } from './read-listed-rows'

export interface NearWanted extends RowsWanted {
  near: Point
  withinM: number
  filter: ParcelFilter
  after: RankCursor | null
  limit: number
}

/** Half of the circumference of the Earth. */
export const MAX_WITHIN_M = 20_000_000
/** The smallest circle, about a city block. */
const MIN_RADIUS_M = 100
/** Circles up to this radius are read completely, because they have so few parcels that a guess would take longer. */
const UNGUESSED_M = 500
const METERS_PER_DEGREE = (EARTH_RADIUS_M * Math.PI) / 180
/**
 * Distances are rounded to micrometers, so that parcels with a common corner are equally far away. Distances from the database differ
 * by less than two micrometers.
 */
const ROUNDING_M = 2e-6
const roundM = (meters: number): number => Math.round(meters * 1e6) / 1e6

/**
 * The parcels at most `withinM` from a point, by the distance of their boundary, or of their own point if the boundary is unknown. Each
 * row has the distance as `distance_m`.
 */
export const findParcelsNear = async (db: Db, wanted: NearWanted): Promise<ParcelPage> => {
  const nearest = await listNearest(db, wanted, wanted.limit + 1)
  return readRankedPage(db, nearest, wanted)
}

/**
 * The nearest parcels beyond `after`, in order, at least `count` if there are that many. Reads growing circles until they have enough.
 * A box is never farther away than its parcel, so all parcels up to the distance of the boxes read are known.
 */
const listNearest = async (db: Db, wanted: NearWanted, count: number): Promise<RankedParcel[]> => {
  const { near, withinM, filter, after } = wanted
  const beyondM = Math.max(0, (after?.rank ?? 0) - ROUNDING_M)
  const known = new Map<string, RankedParcel>()
  let most = Math.ceil(count * 1.15) + 30
  const guessM = after !== null ? beyondM * 1.25 : withinM > UNGUESSED_M ? await guessRadius(db, near, most) : withinM
  let radiusM = Math.min(withinM, Math.max(MIN_RADIUS_M, guessM))
  for (;;) {
    const candidates = await listNearby(db, filter, circleAround(near, radiusM), beyondM, most)
    const isWhole = candidates.length < most
    const settledM = isWhole ? radiusM : (candidates.at(-1)?.nearestM ?? 0) - ROUNDING_M
    await measureAll(candidates, near, known)
    const isLast = isWhole && radiusM === withinM
    const found = [...known.values()]
      .filter((parcel) => parcel.rank <= (isLast ? withinM : settledM) && isBeyond(parcel, after))
      .toSorted(compareRanked)
    if (found.length >= count || isLast) return found
    // The next circle is large enough if the density of parcels stays the same.
    if (isWhole)
      radiusM = Math.min(withinM, radiusM * Math.min(8, Math.sqrt((1.5 * count) / Math.max(1, found.length)) + 0.5))
    else most *= 2
  }
}

/**
 * The radius of a circle with about `count` parcels. One guess from the index takes less time than a circle that is too small. Parcels
 * equally far away in degrees are on an ellipse; the circle has the same area.
 */
const guessRadius = async (db: Db, near: Point, count: number): Promise<number> => {
  const degrees = (await findBoxDistance(db, near, count)) ?? 0
  return degrees * METERS_PER_DEGREE * Math.sqrt(Math.cos((near.lat * Math.PI) / 180))
}

/** Yields in between, because boundaries can be large. */
const measureAll = async (
  candidates: readonly NearCandidate[],
  { lon, lat }: Point,
  known: Map<string, RankedParcel>,
): Promise<void> => {
  for (const [index, { id, boundary, nearestM }] of candidates.entries()) {
    if (known.has(id)) continue
    if (index % 25 === 0) await yieldToOthers()
    const distance =
      boundary === null
        ? nearestM
        : distanceToBoundaryM(measureBoundary(JSON.parse(boundary) as MultiPolygon), lon, lat)
    known.set(id, { id, rank: roundM(distance), shown: { distance_m: Math.round(distance * 100) / 100 } })
  }
}

/** One box, or two at the antimeridian. Around a pole, all longitudes. */
export const circleAround = ({ lon, lat }: Point, radiusM: number): Circle => {
  // Slightly larger, to allow for rounding.
  const angle = (radiusM / EARTH_RADIUS_M) * (1 + 1e-9) + 1e-12
  const latitudes = (angle * 180) / Math.PI
  const [south, north] = [Math.max(-90, lat - latitudes), Math.min(90, lat + latitudes)]
  const sine = Math.sin(angle) / Math.cos((lat * Math.PI) / 180)
  const longitudes = south <= -90 || north >= 90 || sine >= 1 ? 180 : (Math.asin(sine) * 180) / Math.PI
  const boxes: Bbox[] =
    longitudes >= 180
      ? [[-180, south, 180, north]]
      : [[Math.max(-180, lon - longitudes), south, Math.min(180, lon + longitudes), north]]
  if (longitudes < 180 && lon - longitudes < -180) boxes.push([lon - longitudes + 360, south, 180, north])
  if (longitudes < 180 && lon + longitudes > 180) boxes.push([-180, south, lon + longitudes - 360, north])
  return { lon, lat, radiusM, boxes }
}
