import type { MultiPolygon } from 'geojson'
import { yieldToOthers } from '../../core/concurrency/yield-to-others'
import { splitAtAntimeridian } from '../../core/geometry/bbox'
import type { ParcelFilter } from '../../core/parcels/filter'
import type { Db } from '../../core/postgres/database'
import {
  countCandidates,
  countCandidatesUpTo,
  countNearby,
  estimateCandidates,
  streamEdge,
  streamNearbyEdge,
} from '../../drizzle/queries/parcels/count-candidates'
import { distanceToBoundaryM, measureBoundary } from './geometry/distance-to-boundary'
import { polygonMeetsBox } from './geometry/polygon-meets-box'
import { listParcelsAt, type Point } from './parcels-at-point'
import { type AreaPlace, listInArea } from './parcels-in-area'
import { circleAround } from './parcels-near'

export const COUNTS = ['exact', 'estimate'] as const

export interface Total {
  total: number
  isExact: boolean
}

/** What to count: the parcels that meet the filter, at a place if one is given. */
export interface CountWanted {
  filter: ParcelFilter
  place: { at: Point } | { near: Point; withinM: number } | AreaPlace | null
  how: (typeof COUNTS)[number]
}

const BATCH = 500
/** Up to this number, an estimate is a count by boxes. */
const MAX_COUNTED = 10_000
const SAMPLED_ROWS = 20_000

/** @throws ServiceError `caller_gone` */
export const countParcels = async (
  db: Db,
  { filter, place, how }: CountWanted,
  signal?: AbortSignal,
): Promise<Total> => {
  if (place === null) return how === 'exact' ? exactly(await countInBox(db, filter)) : estimate(db, filter)
  if ('at' in place) return exactly((await listParcelsAt(db, place.at, filter)).length)
  if ('near' in place) return exactly(await countNear(db, filter, place))
  let total = 0
  const list = { ...place, filter, order: 'id', after: null } as const
  for await (const { parcels } of listInArea(db, list, MAX_COUNTED, signal)) total += parcels.length
  return exactly(total)
}

const exactly = (total: number): Total => ({ total, isExact: true })

const estimate = async (db: Db, filter: ParcelFilter): Promise<Total> => {
  const counted = await countCandidatesUpTo(db, filter, MAX_COUNTED + 1)
  if (counted <= MAX_COUNTED) return { total: counted, isExact: filter.bbox === null }
  return { total: Math.max(counted, await estimateCandidates(db, filter, SAMPLED_ROWS)), isExact: false }
}

const countInBox = async (db: Db, filter: ParcelFilter): Promise<number> => {
  const { settled, onEdge } = await countCandidates(db, filter)
  if (filter.bbox === null || onEdge === 0) return settled
  const boxes = splitAtAntimeridian(filter.bbox)
  const meetsAny = (boundary: MultiPolygon) => boxes.some((box) => polygonMeetsBox(boundary, box))
  return settled + (await countBoundaries(streamEdge(db, filter, BATCH), meetsAny))
}

const countNear = async (
  db: Db,
  filter: ParcelFilter,
  { near, withinM }: { near: Point; withinM: number },
): Promise<number> => {
  const circle = circleAround(near, withinM)
  const { settled, onEdge } = await countNearby(db, filter, circle)
  if (onEdge === 0) return settled
  const isNear = (boundary: MultiPolygon) =>
    distanceToBoundaryM(measureBoundary(boundary), near.lon, near.lat) <= withinM
  return settled + (await countBoundaries(streamNearbyEdge(db, filter, circle, BATCH), isNear))
}

/** Also counts parcels without a boundary. Yields in between, because boundaries can be large. */
const countBoundaries = async (
  batches: AsyncIterable<{ boundary: string | null }[]>,
  counts: (boundary: MultiPolygon) => boolean,
): Promise<number> => {
  let count = 0
  for await (const batch of batches) {
    for (const { boundary } of batch) {
      await yieldToOthers()
      if (boundary === null || counts(JSON.parse(boundary) as MultiPolygon)) count++
    }
  }
  return count
}
