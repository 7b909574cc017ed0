import type { ParcelCandidate } from '../engine'
import { standardizeWord } from '../query/address'
import type { SearchRequest } from '../query/query'
import { completeSuffix } from '../query/readings'
import { distanceKm } from './distance-km'

/** The contract's bonuses on top of the text score. */
const PREFIX_BONUS = { name: 0.5, nameNormalized: 0.4, address: 0.3 } as const
export const EXACT_ID_BONUS = 5
const PROXIMITY_BONUS = 1.5

/** The query as a prefix of a field. */
export interface Prefixes {
  name: string
  nameNormalized: string
  address: readonly string[]
}

export const createPrefixes = (request: SearchRequest): Prefixes => ({
  name: request.words.join(' '),
  nameNormalized: request.nameWords.join(' '),
  address: [
    ...new Set([request.words, request.addressWords, completeSuffix(request)].map((words) => words.join(' '))),
  ].filter(Boolean),
})

/** The highest bonus of the fields that begin with the query, word by word, the last word as far as typed. */
export const prefixBonus = (
  prefixes: Prefixes,
  name: readonly string[],
  nameNormalized: string,
  address: readonly string[],
): number => {
  if (beginsWith(name, prefixes.name)) return PREFIX_BONUS.name
  if (prefixes.nameNormalized !== '' && nameNormalized.startsWith(prefixes.nameNormalized)) {
    return PREFIX_BONUS.nameNormalized
  }
  const spellings = [address, address.map(standardizeWord)]
  const begins = prefixes.address.some((prefix) => spellings.some((spelling) => beginsWith(spelling, prefix)))
  return begins ? PREFIX_BONUS.address : 0
}

/** Compares the first letters first: most candidates differ there. */
const beginsWith = (words: readonly string[], prefix: string): boolean =>
  prefix !== '' && words[0]?.[0] === prefix[0] && words.join(' ').startsWith(prefix)

/** Highest at the place itself, zero from `proximityKm` on. */
export const proximityBonus = (near: SearchRequest['near'], { lat, lon }: ParcelCandidate): number => {
  if (near === null || lat === null || lon === null) return 0
  const share = 1 - distanceKm(near, { lat, lon }) / near.proximityKm
  return share > 0 ? PROXIMITY_BONUS * share : 0
}
