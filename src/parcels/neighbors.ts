import type { MultiPolygon } from 'geojson'
import { yieldToOthers } from '../../core/concurrency/yield-to-others'
import { bboxOf } from '../../core/geometry/bbox'
import type { ParcelFilter } from '../../core/parcels/filter'
import type { Db } from '../../core/postgres/database'
import { findOrigin, listBoundariesInBox } from '../../drizzle/queries/parcels/list-candidates'
import {
  distanceBetweenM,
  EARTH_RADIUS_M,
  type MeasuredBoundary,
  measureBoundary,
} from './geometry/distance-to-boundary'
import { prepareBorder, SAME_BORDER_M } from './geometry/shared-border'
import type { ParcelPage } from './list-parcels'
import { compareRanked, isBeyond, type RankCursor, type RankedParcel, readRankedPage } from './ranked-page'
import type { RowsWanted } from './read-listed-rows'

export interface NeighborsWanted extends RowsWanted {
  source: string
  id: string
  /** Null: only parcels that share an edge. */
  withinM: number | null
  /** Conditions on the neighbors. A box is ignored. */
  filter: ParcelFilter
  after: RankCursor | null
  limit: number
}

/** A parcel has some hundred neighbors within this distance, or some thousand in a dense city. */
export const MAX_NEIGHBOR_M = 1_000

/**
 * The neighbors of a parcel that meet the filter, nearest first. Each row has `distance_m` and `shared_edge_m`. Null: there is no such
 * parcel. A parcel without a boundary has no neighbors.
 */
export const findNeighbors = async (db: Db, wanted: NeighborsWanted): Promise<ParcelPage | null> => {
  const origin = await findOrigin(db, wanted)
  if (origin === null) return null
  if (origin.boundary === null) return { parcels: [], next: null }
  const boundary = measureBoundary(JSON.parse(origin.boundary) as MultiPolygon)
  const near = await listNeighbors(db, origin.id, boundary, wanted)
  const ranked = near.filter((parcel) => isBeyond(parcel, wanted.after)).toSorted(compareRanked)
  return readRankedPage(db, ranked, wanted)
}

const listNeighbors = async (
  db: Db,
  originId: string,
  origin: MeasuredBoundary,
  { withinM, filter }: NeighborsWanted,
): Promise<RankedParcel[]> => {
  const candidates = await listBoundariesInBox(db, { ...filter, bbox: boxAround(origin, withinM ?? SAME_BORDER_M) })
  const measureSharedM = prepareBorder(origin.geom)
  const neighbors: RankedParcel[] = []
  for (const { id, boundary } of candidates) {
    // Comparing a parcel with itself compares each of its edges with all of them.
    if (id === originId) continue
    await yieldToOthers()
    const other = measureBoundary(JSON.parse(boundary) as MultiPolygon)
    const distance = distanceBetweenM(origin, other)
    const shared = measureSharedM(other.geom)
    // Near a common corner, two borders coincide for a very short length, which does not count as shared.
    if (withinM === null ? shared <= SAME_BORDER_M : distance > withinM) continue
    const shown = { distance_m: toCentimeters(distance), shared_edge_m: toCentimeters(shared) }
    neighbors.push({ id, rank: distance, shown })
  }
  return neighbors
}

const toCentimeters = (meters: number): number => Math.round(meters * 100) / 100

/** The box of a parcel with this margin. */
const boxAround = ({ geom }: MeasuredBoundary, marginM: number): [number, number, number, number] => {
  const [west, south, east, north] = bboxOf(geom)
  const latitudes = ((marginM * 1.001) / EARTH_RADIUS_M) * (180 / Math.PI)
  const highest = Math.min(89, Math.max(Math.abs(south), Math.abs(north)) + latitudes)
  const longitudes = latitudes / Math.cos((highest * Math.PI) / 180)
  return [
    Math.max(-180, west - longitudes),
    Math.max(-90, south - latitudes),
    Math.min(180, east + longitudes),
    Math.min(90, north + latitudes),
  ]
}
