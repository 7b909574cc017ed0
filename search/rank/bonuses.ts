import type { Candidate } from '../engine'
import { standardizeWord } from '../query/address'
import type { SearchRequest } from '../query/query'
import { completeStreet } from '../query/spellings'
import { distanceKm } from './distance-km'

/** The contract's bonuses on top of the text score. */
const PREFIX_BONUS = { name: 0.5, nameNormalized: 0.4, address: 0.3 } as const
const EXACT_ID_BONUS = 5
const PROXIMITY_BONUS = 1.5

/** What bonuses need from a request. Computed once, not for each candidate. */
export interface BonusQuery {
  request: SearchRequest
  prefixes: Prefixes
}

/** A candidate as ranking compares it. Entities have no `address`, and their id is never exact. */
export interface ComparedCandidate {
  candidate: Candidate
  /** Words of the name. */
  name: readonly string[]
  nameNormalized: readonly string[]
  address: readonly string[]
  /** Whether the query is the parcel's id, ignoring punctuation. */
  isExactId: boolean
}

interface Bonus {
  /** When a candidate gets the bonus. For the API document. */
  description: string
  example: number
  /** The candidate's bonus; 0 if it gets none. */
  of: (query: BonusQuery, compared: ComparedCandidate) => number
}

/** Every bonus by its name in `explain`. The score is the text score and their sum. A new one needs only an entry here. */
export const BONUSES = {
  exact_prefix: {
    description: 'For a field that starts with the query.',
    example: 0.5,
    of: (query, compared) => prefixBonus(query, compared),
  },
  exact_parcel_id: {
    description: 'For an exact match of the parcel id.',
    example: 0,
    of: (_, { isExactId }) => (isExactId ? EXACT_ID_BONUS : 0),
  },
  proximity: {
    description: 'For being near `lat` and `lon`.',
    example: 0,
    of: ({ request }, { candidate }) => proximityBonus(request.near, candidate),
  },
} satisfies Record<string, Bonus>

export type BonusName = keyof typeof BONUSES
export type Bonuses = Record<BonusName, number>

export const createBonusQuery = (request: SearchRequest): BonusQuery => ({ request, prefixes: createPrefixes(request) })

export const BONUS_NAMES = Object.keys(BONUSES) as BonusName[]

export const bonusesOf = (query: BonusQuery, compared: ComparedCandidate): Bonuses => {
  const bonuses = {} as Bonuses
  for (const name of BONUS_NAMES) bonuses[name] = BONUSES[name].of(query, compared)
  return bonuses
}

/** The query as a prefix of a field. */
interface Prefixes {
  name: string
  nameNormalized: string
  address: readonly string[]
}

const createPrefixes = (request: SearchRequest): Prefixes => ({
  name: request.words.join(' '),
  nameNormalized: request.nameWords.join(' '),
  address: [
    ...new Set([request.words, request.addressWords, completeStreet(request)].map((words) => words.join(' '))),
  ].filter(Boolean),
})

/** The highest bonus of the fields that begin with the query, word by word, the last word as far as typed. */
const prefixBonus = ({ prefixes }: BonusQuery, { name, nameNormalized, address }: ComparedCandidate): number => {
  if (beginsWith(name, prefixes.name)) return PREFIX_BONUS.name
  if (beginsWith(nameNormalized, prefixes.nameNormalized)) return PREFIX_BONUS.nameNormalized
  const [first = ''] = address
  const begins = prefixes.address.some(
    (prefix) =>
      beginsWith(address, prefix) ||
      (standardizeWord(first)[0] === prefix[0] && beginsWith(address.map(standardizeWord), prefix)),
  )
  return begins ? PREFIX_BONUS.address : 0
}

/** Compares the first letters first: most candidates differ there. */
const beginsWith = (words: readonly string[], prefix: string): boolean =>
  prefix !== '' && words[0]?.[0] === prefix[0] && words.join(' ').startsWith(prefix)

/** Highest at the place itself, zero from `proximityKm` on. */
const proximityBonus = (near: SearchRequest['near'], candidate: Candidate): number => {
  if (near === null || candidate.kind !== 'parcel') return 0
  const { lat, lon } = candidate
  if (lat === null || lon === null) return 0
  const share = 1 - distanceKm(near, { lat, lon }) / near.proximityKm
  return share > 0 ? PROXIMITY_BONUS * share : 0
}
