import { editDistance } from '../query/edit-distance'
import { spellId } from '../query/parcel-id'

/** How similar an id is to a different typed id. The longer their common prefix, the more similar they are. */
const SIMILARITY = {
  beginning: { least: 0.6, ofLength: 0.35 },
  equalWithoutZeros: 0.97,
  typo: 0.8,
  beginningWithoutZeros: 0.58,
  equalWithOtherZeros: 0.58,
  part: 0.5,
} as const

/** What a typed id may also be: a house number, or two ("12-16"). */
type OtherMeaning = 'house' | 'houses' | null

const BEGINNING_IF_HOUSE = {
  /** Less than an address that begins with the number. */
  house: { least: 0.52, ofLength: 0.04 },
  /** The same as such an address. Nothing tells "map-lot" ids from house numbers, so the first hits contain the best id and the houses (order.ts). */
  houses: { least: 2.3 / 3, ofLength: 0 },
} as const
const TYPO_IF_HOUSES = 0.76

/** Shorter ids are similar to too many others. */
const MIN_LENGTH_FOR_TYPO = 5
const MIN_LENGTH_OF_PART = 4

/** How similar an id is to a typed one (`spellId`), 0 to 1. */
export const compareIds = (typed: readonly string[], id: string, otherMeaning: OtherMeaning = null): number => {
  const [bare = '', grouped = '', short = ''] = typed
  const spelled = spellId(id)
  const [whole] = spelled
  if (whole.startsWith(bare)) {
    const { least, ofLength } = otherMeaning === null ? SIMILARITY.beginning : BEGINNING_IF_HOUSE[otherMeaning]
    return least + ofLength * (bare.length / whole.length)
  }
  // People who type some leading zeros type all of them.
  const hasNoZeros = bare === short
  if (spelled.includes(grouped) || spelled.includes(short)) {
    return hasNoZeros ? SIMILARITY.equalWithoutZeros : SIMILARITY.equalWithOtherZeros
  }
  if (bare.length >= MIN_LENGTH_FOR_TYPO && editDistance(bare, whole, 1) === 1) {
    return otherMeaning === 'houses' ? TYPO_IF_HOUSES : SIMILARITY.typo
  }
  if (hasNoZeros && spelled.some((one) => one.startsWith(grouped) || one.startsWith(short))) {
    return SIMILARITY.beginningWithoutZeros
  }
  return bare.length >= MIN_LENGTH_OF_PART && whole.includes(bare) ? SIMILARITY.part : 0
}
