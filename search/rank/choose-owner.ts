import type { ParcelCandidate } from '../engine'
import type { SearchRequest } from '../query/query'
import { fold } from '../query/text'
import { trigramsOf } from '../query/trigrams'

/** Maximum owners to compare letter by letter. Comparing all units of a large building would take longer than the rest of the ranking. */
const MAX_COMPARED = 200

/** The query does not mean an owner with a smaller share of its trigrams. */
const MIN_SHARE = 0.4

/**
 * Returns a function that gives a parcel with accounts the owner that is most similar to the query: an account's, or the parcel's own,
 * which wins a tie. Ranking, highlighting and the hit then use this owner. Parcels without accounts stay as they are.
 */
export const createOwnerChoice = (request: SearchRequest): ((parcel: ParcelCandidate) => ParcelCandidate) => {
  const words = [...new Set([request, ...request.otherWordings].flatMap((wording) => wording.words))].filter(
    (word) => word.length > 1 && /\p{L}/u.test(word),
  )
  const trigrams = [...new Set(words.flatMap((word) => trigramsOf(word)))]
  return (parcel) => {
    if (parcel.accountOwners == null || request.beginsWithHouseNumber || trigrams.length === 0) return parcel
    const others = parcel.accountOwners.split('\n').map((owner) => ({ owner, text: fold(owner) }))
    const withWord = others.filter(({ text }) => words.some((word) => text.includes(word)))
    const least = trigrams.length * MIN_SHARE
    let best = { owner: parcel.ownerName, likeness: Math.max(least, likenessOf(parcel.ownerName ?? '', trigrams)) }
    for (const { owner, text } of (withWord.length > 0 ? withWord : others).slice(0, MAX_COMPARED)) {
      const likeness = likenessOf(text, trigrams)
      if (likeness > best.likeness) best = { owner, likeness }
    }
    return best.owner === parcel.ownerName ? parcel : { ...parcel, ownerName: best.owner, isOfAccount: true }
  }
}

/** How many of the trigrams the words of a name contain. Of two such names, the shorter one scores slightly higher. */
const likenessOf = (name: string, trigrams: readonly number[]): number => {
  const own = new Set(
    fold(name)
      .split(/[^\p{L}\p{N}]+/u)
      .filter(Boolean)
      .flatMap((word) => trigramsOf(word)),
  )
  const common = trigrams.filter((trigram) => own.has(trigram)).length
  return common === 0 ? 0 : common + 1 / (1 + own.size)
}
