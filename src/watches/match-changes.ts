import type { MultiPolygon, Point } from 'geojson'
import { yieldToOthers } from '../../core/concurrency/yield-to-others'
import type { Db } from '../../core/postgres/database'
import {
  type BoxMatch,
  findPageEnd,
  listBoxMatches,
  listNamedMatches,
  listOwnerMatches,
  listPolygons,
  listWatchedKinds,
  type Match,
  type VersionRange,
} from '../../drizzle/queries/watches/list-matches'
import { holdsPoint } from '../parcels/geometry/holds-point'
import { polygonsMeet } from '../parcels/geometry/polygons-meet'

/** Maximum changes that are compared together, and maximum matches that are stored in one transaction. */
const MAX_CHANGES = 2_000
const MAX_MATCHES = 5_000

/** The watches that the next changes match, and the version up to which changes were compared. */
export interface MatchedPage {
  upTo: number
  matches: Match[]
}

/**
 * Compares the changes after `after`, up to the watermark `upTo`, with all watches: one page, which has fewer changes if there are many
 * matches.
 */
export const matchChanges = async (db: Db, { after, upTo }: VersionRange): Promise<MatchedPage> => {
  const kinds = await listWatchedKinds(db)
  if (kinds.size === 0) return { upTo, matches: [] }
  for (let size = MAX_CHANGES; ; size = Math.ceil(size / 4)) {
    const end = (await findPageEnd(db, { after, upTo }, size)) ?? upTo
    const range = { after, upTo: end }
    // The matches of one change cannot be divided.
    const limit = size === 1 ? Number.MAX_SAFE_INTEGER : MAX_MATCHES
    const named = kinds.has('parcel') || kinds.has('source') ? await listNamedMatches(db, range, limit) : []
    const owned = kinds.has('owner') ? await listOwnerMatches(db, range, limit) : []
    const near = kinds.has('polygon') ? await listBoxMatches(db, range, limit) : []
    if (size > 1 && named.length + owned.length + near.length >= limit) continue
    return { upTo: end, matches: [...named, ...owned, ...(await listMet(db, near))] }
  }
}

/** The matches whose polygons overlap a boundary or point of the parcel. A change of a boundary has two boundaries, but matches once. */
const listMet = async (db: Db, near: readonly BoxMatch[]): Promise<Match[]> => {
  const texts = await listPolygons(db, [...new Set(near.map(({ watchId }) => watchId))])
  const polygons = new Map([...texts].map(([id, text]) => [id, JSON.parse(text) as MultiPolygon]))
  const met = new Map<string, Match>()
  for (const { version, watchId, place } of near) {
    const polygon = polygons.get(watchId)
    const key = `${version} ${watchId}`
    if (polygon === undefined || met.has(key)) continue
    await yieldToOthers()
    if (meets(polygon, JSON.parse(place) as MultiPolygon | Point)) met.set(key, { version, watchId })
  }
  return [...met.values()]
}

const meets = (polygon: MultiPolygon, place: MultiPolygon | Point): boolean => {
  if (place.type === 'MultiPolygon') return polygonsMeet(polygon, place)
  const [lon = Number.NaN, lat = Number.NaN] = place.coordinates
  return holdsPoint(polygon, lon, lat)
}
