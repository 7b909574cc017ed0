import type { MultiPolygon } from 'geojson'
import type { ParcelFilter } from '../../core/parcels/filter'
import type { Db } from '../../core/postgres/database'
import { listBoundariesInBox } from '../../drizzle/queries/parcels/list-candidates'
import { holdsPoint } from './geometry/holds-point'
import type { ParcelPage } from './list-parcels'
import { compareRanked, isBeyond, type RankCursor, type RankedParcel, readRankedPage } from './ranked-page'
import type { RowsWanted } from './read-listed-rows'

export interface Point {
  lon: number
  lat: number
}

export interface AtWanted extends RowsWanted {
  at: Point
  filter: ParcelFilter
  after: RankCursor | null
  limit: number
}

/**
 * The parcels whose boundary contains a point, smallest first. There may be several: lots may be stacked, and a condominium may be
 * inside a common lot.
 */
export const findParcelsAt = async (db: Db, { at, filter, after, ...page }: AtWanted): Promise<ParcelPage> => {
  const held = await listParcelsAt(db, at, filter)
  return readRankedPage(
    db,
    held.filter((parcel) => isBeyond(parcel, after)),
    page,
  )
}

export const listParcelsAt = async (db: Db, { lon, lat }: Point, filter: ParcelFilter): Promise<RankedParcel[]> => {
  const candidates = await listBoundariesInBox(db, { ...filter, bbox: [lon, lat, lon, lat] })
  return candidates
    .map(({ id, boundary }) => ({ id, geom: JSON.parse(boundary) as MultiPolygon }))
    .filter(({ geom }) => holdsPoint(geom, lon, lat))
    .map(({ id, geom }) => ({ id, rank: measureArea(geom) }))
    .toSorted(compareRanked)
}

/** Square degrees, to compare boundaries in one place. */
const measureArea = ({ coordinates }: MultiPolygon): number => {
  const [originX = 0, originY = 0] = coordinates[0]?.[0]?.[0] ?? []
  let doubled = 0
  for (const ring of coordinates.flat()) {
    for (let index = 1; index < ring.length; index++) {
      const [x1 = 0, y1 = 0] = ring[index - 1] ?? []
      const [x2 = 0, y2 = 0] = ring[index] ?? []
      doubled += (x1 - originX) * (y2 - originY) - (x2 - originX) * (y1 - originY)
    }
  }
  return Math.abs(doubled) / 2
}
