import { editDistance } from '../query/edit-distance'
import { spellId } from '../query/parcel-id'

/** How similar an id is to a typed one that is not equal to it, by what they have in common. Longer beginnings are more similar. */
const SIMILARITY = {
  beginning: { least: 0.6, ofLength: 0.35 },
  /** Less than an address that begins with the number. */
  beginningIfNumber: { least: 0.52, ofLength: 0.04 },
  equalWithoutZeros: 0.97,
  typo: 0.8,
  beginningWithoutZeros: 0.58,
  equalWithOtherZeros: 0.58,
  part: 0.5,
} as const

/** Shorter ids are similar to too many others. */
const MIN_LENGTH_FOR_TYPO = 5
const MIN_LENGTH_OF_PART = 4

/** How similar an id is to a typed one (`spellId`), 0 to 1. `isNumber`: the typed one may be the number of a house. */
export const compareIds = (typed: readonly string[], id: string, isNumber = false): number => {
  const [bare = '', grouped = '', short = ''] = typed
  const spelled = spellId(id)
  const [whole] = spelled
  if (whole.startsWith(bare)) {
    const { least, ofLength } = SIMILARITY[isNumber ? 'beginningIfNumber' : 'beginning']
    return least + ofLength * (bare.length / whole.length)
  }
  // People who type some leading zeros type all of them.
  const hasNoZeros = bare === short
  if (spelled.includes(grouped) || spelled.includes(short)) {
    return hasNoZeros ? SIMILARITY.equalWithoutZeros : SIMILARITY.equalWithOtherZeros
  }
  if (bare.length >= MIN_LENGTH_FOR_TYPO && editDistance(bare, whole, 1) === 1) return SIMILARITY.typo
  if (hasNoZeros && spelled.some((one) => one.startsWith(grouped) || one.startsWith(short))) {
    return SIMILARITY.beginningWithoutZeros
  }
  return bare.length >= MIN_LENGTH_OF_PART && whole.includes(bare) ? SIMILARITY.part : 0
}
