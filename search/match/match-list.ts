import { LIST_BOUNDS } from '../../core/bounds'
import type { MatchParcelRow } from '../../drizzle/queries/matches/match-parcels'
import { compareOwners } from './compare-owners'
import { compareWithParcel } from './compare-parcel'
import { createQuery } from './create-query'
import { type Decision, decideRow, isExactDecision } from './decide'
import { BY, type Found } from './found-rows'
import { keep } from './keep-candidate'
import type { ListRow, Point } from './list-row'
import { type Probe, probeOf } from './probe'
import { type ReadParcel, readParcel } from './read-parcel'
import type { RowQuery } from './row-query'
import { indexIds, worthOfId } from './rows-by-id'
import { indexOwners } from './rows-by-owner'
import { indexStreets, keyOfStreet } from './rows-by-street'

/**
 * Maximum candidates kept for one row, and for all rows together. Others are only counted. With many rows, each keeps as many as a
 * response lists.
 */
const MAX_CANDIDATES = 100
const MIN_CANDIDATES = LIST_BOUNDS.candidates
const MAX_KEPT = 1_000_000

export interface ListMatcher {
  /** Compares one parcel with the list. */
  see: (parcel: MatchParcelRow) => void
  /** The rows with a point, for a search by place. */
  points: readonly { row: number; point: Point }[]
  /** A parcel whose boundary contains the point of a row. */
  seeAtPoint: (row: number, parcel: MatchParcelRow) => void
  /** The answer to a row, after all parcels were seen. */
  decide: (row: number) => Decision
  /** How an index finds the parcels that match a row exactly. */
  probe: (row: number) => Probe
  /** Whether only the parcels of the row's probe can affect its answer. */
  isExact: (row: number, decision: Decision) => boolean
}

/**
 * Compares a list with parcels that are passed in one by one, in any order. Memory use depends only on the list. Rows and parcels are
 * normalized by the functions of search: words of Publication 28, folded names, spellings of ids.
 */
export const createListMatcher = (rows: readonly ListRow[]): ListMatcher => {
  const queries = rows.map(createQuery)
  const most = Math.max(MIN_CANDIDATES, Math.min(MAX_CANDIDATES, Math.floor(MAX_KEPT / rows.length)))
  const ids = indexIds(queries)
  const streets = indexStreets(queries)
  const owners = indexOwners(queries)

  const judge = (query: RowQuery, parcel: ReadParcel, by: number): void => {
    if (!isSamePlace(query, parcel)) return
    const idWorth = worthOfId(query, parcel)
    if (idWorth > 0) query.seen.id = true
    const isFound = (by & (BY.street | BY.point)) !== 0 || idWorth > 0
    const owner = isFound ? null : compareOwner(query, parcel)
    if (!isFound && owner === null) return
    const address = compareWithParcel(query, parcel)
    if ((by & ~BY.street) === 0 && idWorth === 0 && address.cost === null && !address.isNearNumber) return
    const { streets: compared, typos, leftOut } = address
    const isEqual = address.cost === 0 || leftOut !== null
    keep(query, most, {
      parcel: parcel.listed,
      idWorth,
      address: address.cost,
      isNearNumber: address.isNearNumber,
      leftOut,
      otherStreet:
        compared === null || address.isSameStreet ? null : { asked: compared.asked, place: parcel.place, typos },
      streetKey: compared === null || !isEqual ? null : keyOfStreet(compared.theirs, parcel.place),
      owner: isFound ? compareOwner(query, parcel) : owner,
      isAtPoint: (by & BY.point) !== 0,
    })
  }

  return {
    see: (listed) => {
      const parcel = readParcel(listed)
      const found: Found = new Map()
      ids.find(parcel, found)
      streets.find(parcel, found)
      owners.find(parcel, found)
      for (const [query, by] of found) judge(query, parcel, by)
    },
    points: queries.flatMap(({ point }, row) => (point === null || point === 'invalid' ? [] : [{ row, point }])),
    seeAtPoint: (row, listed) => {
      const query = queries[row]
      if (query === undefined) return
      const known = query.candidates.find(({ parcel }) => parcel.id === listed.id)
      if (known !== undefined) known.isAtPoint = true
      else judge(query, readParcel(listed), BY.point)
    },
    decide: (row) => {
      const query = queries[row] as RowQuery
      query.seen.street = streets.hasSeen(query)
      return decideRow(query, streets)
    },
    probe: (row) => probeOf(queries[row] as RowQuery),
    isExact: (row, decision) => {
      const query = queries[row] as RowQuery
      return isExactDecision(query, decision, probeOf(query).addressPatterns.length > 0)
    },
  }
}

const compareOwner = (query: RowQuery, parcel: ReadParcel): number | null => {
  if (query.owner === null) return null
  const owner = parcel.owner()
  return owner === null ? null : compareOwners(query.owner, owner)
}

const isSamePlace = (query: RowQuery, parcel: ReadParcel): boolean =>
  (query.state === '' || query.state === parcel.state) &&
  (query.county === '' || query.county === parcel.county) &&
  (query.source === '' || query.source === parcel.listed.source)
