import { type Caller, createFairTurns } from '../../core/concurrency/fair-turns'
import { type Bbox, bboxOf, splitAtAntimeridian, squareDegrees } from '../../core/geometry/bbox'
import type { Reader, Reads } from '../../core/postgres/replicas/reads'
import { type CountWanted, countParcels, type Total } from './count-parcels'
import {
  type EncodedPage,
  type EncodedPageWanted,
  findEncodedParcels,
  findParcels,
  type ParcelPage,
  type ParcelPageWanted,
} from './list-parcels'
import { findNeighbors, type NeighborsWanted } from './neighbors'
import { type AtWanted, findParcelsAt } from './parcels-at-point'
import { type AreaWanted, findParcelsInArea } from './parcels-in-area'
import { circleAround, findParcelsNear, type NearWanted } from './parcels-near'

export type ListCaller = Caller & Reader

/** Lists of parcels, each read when it is the caller's turn. All throw ServiceError `busy` and `caller_gone`. */
export interface ParcelLists {
  find: (wanted: ParcelPageWanted, caller: ListCaller) => Promise<ParcelPage>
  /** `find` for rows without geometry, as they are now. */
  findEncoded: (wanted: EncodedPageWanted, caller: ListCaller) => Promise<EncodedPage>
  findAt: (wanted: AtWanted, caller: ListCaller) => Promise<ParcelPage>
  findNear: (wanted: NearWanted, caller: ListCaller) => Promise<ParcelPage>
  findInArea: (wanted: AreaWanted, caller: ListCaller) => Promise<ParcelPage>
  /** How many parcels a list has on all pages. */
  count: (wanted: CountWanted, caller: ListCaller) => Promise<Total>
  /** Null: there is no such parcel. */
  findNeighbors: (wanted: NeighborsWanted, caller: ListCaller) => Promise<ParcelPage | null>
}

const PATIENCE_MS = 15_000
/** The limits of a small list: the area of a town, in square degrees, and the rows that fit on a screen. */
const MAX_SMALL_AREA = 0.01
const MAX_SMALL_LIMIT = 1_000

/**
 * Reads lists in fair turns, so that one caller's lists do not delay another's. Small and large lists have separate queues, so that a
 * view of a street does not wait for reads of a whole state. With 200,000 parcels a large box takes PostgreSQL 0.1 s, a small one 3 ms
 * (2026-11-22).
 */
export const createParcelLists = (reads: Reads): ParcelLists => {
  const small = createFairTurns({ atOnce: 5, perCaller: 4, patienceMs: PATIENCE_MS })
  const large = createFairTurns({ atOnce: 2, perCaller: 1, patienceMs: PATIENCE_MS })
  const turnsFor = (limit: number, boxes: readonly Bbox[]) =>
    limit <= MAX_SMALL_LIMIT && squareDegrees(boxes) <= MAX_SMALL_AREA ? small : large
  const turnsForFilter = ({ filter, limit }: Pick<ParcelPageWanted, 'filter' | 'limit'>) => {
    const { bbox, owner, parcelId } = filter
    const isIndexed = owner !== null || parcelId !== null
    const boxes = bbox !== null ? splitAtAntimeridian(bbox) : isIndexed ? [] : [WORLD]
    return turnsFor(limit, boxes)
  }
  return {
    find: (wanted, caller) =>
      turnsForFilter(wanted).run(caller, () => reads.run(caller, (db) => findParcels(db, wanted))),
    findEncoded: (wanted, caller) =>
      turnsForFilter(wanted).run(caller, () => reads.run(caller, (db) => findEncodedParcels(db, wanted))),
    findAt: (wanted, caller) =>
      turnsFor(wanted.limit, []).run(caller, () => reads.run(caller, (db) => findParcelsAt(db, wanted))),
    findNear: (wanted, caller) =>
      turnsFor(wanted.limit, circleAround(wanted.near, wanted.withinM).boxes).run(caller, () =>
        reads.run(caller, (db) => findParcelsNear(db, wanted)),
      ),
    findInArea: (wanted, caller) =>
      turnsFor(wanted.limit, [bboxOf(wanted.area)]).run(caller, () =>
        reads.run(caller, (db) => findParcelsInArea(db, wanted, caller.signal)),
      ),
    count: (wanted, caller) =>
      large.run(caller, () => reads.run(caller, (db) => countParcels(db, wanted, caller.signal))),
    findNeighbors: (wanted, caller) =>
      turnsFor(wanted.limit, []).run(caller, () => reads.run(caller, (db) => findNeighbors(db, wanted))),
  }
}

const WORLD: Bbox = [-180, -90, 180, 90]
