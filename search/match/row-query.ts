import type { MatchParcelRow } from '../../drizzle/queries/matches/match-parcels'
import type { Street } from './address/street'
import type { StreetAddress } from './address/street-address'
import type { OwnerName } from './compare-owners'
import type { ListRow, Point } from './list-row'

/** The fields that can decide which parcel a row means. */
export const DECIDING_FIELDS = ['parcel_id', 'address', 'owner', 'point'] as const
export type DecidingField = (typeof DECIDING_FIELDS)[number]

/**
 * How exactly a parcel's id equals the list's: with its borders and zeros, with all zeros, without leading zeros of its groups, or
 * without any borders between them. "26.169" is "26-169", and "26169" may also be "261-69".
 */
export const ID_WORTH = { exact: 4, whole: 3, grouped: 2, short: 1, none: 0 } as const

/** A parcel that a row may mean, with the evidence for it. Costs are 0 for equal texts; null if the texts differ or one is missing. */
export interface RowCandidate {
  parcel: MatchParcelRow
  idWorth: number
  address: number | null
  /** The same street and another house number with one different digit. */
  isNearNumber: boolean
  /** The part that the list omits, if nothing else differs. */
  leftOut: 'unit' | 'part of the street' | null
  /** The list's street, if its name or suffix differs from the parcel's, and the number of typos. */
  otherStreet: { asked: Street; place: string; typos: number } | null
  /** The parcel's street with its place, if nothing in the row contradicts it. */
  streetKey: string | null
  owner: number | null
  isAtPoint: boolean
}

/** What the other parcels say about a candidate. */
export interface Surroundings {
  /** Whether the city also has a street that the row more likely means: by its name or by its suffix. */
  likelierStreet: (query: RowQuery, candidate: RowCandidate) => 'name' | 'suffix' | null
  /** Whether the parcel's street has no other house number. */
  isLoneHouse: (candidate: RowCandidate) => boolean
}

/** A row in the form that is compared. */
export interface RowQuery {
  row: ListRow
  idSpellings: readonly [string, string, string] | null
  address: StreetAddress | null
  owner: OwnerName | null
  city: string
  zip: string
  state: string
  county: string
  source: string
  point: Point | null | 'invalid'
  candidates: RowCandidate[]
  /** Candidates that were dropped because too many were equal, by the field that matched. */
  dropped: Record<DecidingField, number>
  /** What the roll contains. This decides the reason of a row without a match. */
  seen: { id: boolean; street: boolean; number: boolean }
}
