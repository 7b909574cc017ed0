import type { MultiPolygon } from 'geojson'
import { yieldToOthers } from '../../core/concurrency/yield-to-others'
import type { Sql } from '../../core/postgres/database'
import {
  listLinkCandidates,
  type ParcelLink,
  readBoundaries,
  settleLinkKinds,
  storeLinks,
} from '../../drizzle/queries/parcels/parcel-links'
import type { LinkKind } from '../../drizzle/schema/values'
import { measureSharedArea } from './geometry/shared-area'

/** How many retired parcels one statement reads, and how many pairs of boundaries are in memory together. */
const RETIRED_AT_A_TIME = 200
const PAIRS_AT_A_TIME = 200
/**
 * Two parcels are linked if one has this share of the other's area: 80%. Lots drawn to whole feet can share exactly that much, and
 * rounding must not decide. Coordinates near 120° are exact to 1.4e-14°, which is 1e-9 of a lot that is 1 m wide.
 */
const MIN_SHARE = 0.8 - 1e-6

/**
 * Links the parcels that a load or crawl retired to the parcels that have their land now. Those are parcels that the load created,
 * relisted, or gave another boundary. Call it when the whole load is applied. It works in small steps without a transaction, and can be
 * repeated. Returns the number of links.
 */
export const linkSuccessors = async (sql: Sql, loadId: string): Promise<number> => {
  let found = 0
  for (let after = 0; ; ) {
    const candidates = await listLinkCandidates(sql, loadId, { after, limit: RETIRED_AT_A_TIME })
    const last = candidates.at(-1)
    if (last === undefined) break
    after = last.version
    const pairs = candidates.flatMap(({ predecessor, successor }) =>
      successor === null ? [] : [{ predecessor, successor }],
    )
    for (let start = 0; start < pairs.length; start += PAIRS_AT_A_TIME) {
      const links = await listLinks(sql, pairs.slice(start, start + PAIRS_AT_A_TIME))
      await storeLinks(sql, loadId, links)
      found += links.length
    }
  }
  if (found > 0) await settleLinkKinds(sql, loadId)
  return found
}

const listLinks = async (sql: Sql, pairs: readonly Omit<ParcelLink, 'kind'>[]): Promise<ParcelLink[]> => {
  const ids = pairs.flatMap(({ predecessor, successor }) => [predecessor, successor])
  const boundaries = await readBoundaries(sql, [...new Set(ids)])
  const links: ParcelLink[] = []
  for (const pair of pairs) {
    await yieldToOthers()
    const was = boundaries.get(pair.predecessor) ?? null
    const is = boundaries.get(pair.successor) ?? null
    const kind = was === null || is === null ? null : compareBoundaries(was, is)
    if (kind !== null) links.push({ ...pair, kind })
  }
  return links
}

/** Null: neither has enough of the other's area. */
const compareBoundaries = (was: MultiPolygon, is: MultiPolygon): LinkKind | null => {
  const { first, second, shared } = measureSharedArea(was, is)
  const isPart = shared >= MIN_SHARE * second
  const isWhole = shared >= MIN_SHARE * first
  if (isPart && isWhole) return 'replaced'
  if (isPart) return 'split'
  return isWhole ? 'merge' : null
}
