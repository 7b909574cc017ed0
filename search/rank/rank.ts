import { yieldToOthers } from '../../core/concurrency/yield-to-others'
import type { Candidate, EntityCandidate, ParcelCandidate } from '../engine'
import type { SearchRequest } from '../query/query'
import { createSpellings } from '../query/spellings'
import { compareCodePoints, fold, parcelKey } from '../query/text'
import { BONUS_NAMES, type Bonuses, bonusesOf, createBonusQuery } from './bonuses'
import { createOwnerChoice } from './choose-owner'
import { closenessOf } from './closeness'
import { compareIds } from './compare-ids'
import { compareText } from './compare-text'
import { entityFields, parcelFields, WEIGHTS } from './compared-fields'

/** Weight of an id that is, or resembles, the whole query. */
export const ID_WEIGHT = WEIGHTS.name

/**
 * The minimum share of a query's trigrams for a hit. Below it, words have little more in common than
 * their first letters.
 */
const MIN_COVERAGE = 0.3

/** A candidate with its score: the sum of the text score and the bonuses, to 6 decimals. */
export interface Ranked<Kind extends Candidate = Candidate> {
  candidate: Kind
  score: number
  text: number
  /** The candidate's share of the query's trigrams. */
  coverage: number
  bonuses: Bonuses
  /** Orders candidates with equal scores (closeness.ts). */
  closeness: number
  /** The words that it was compared with, if they are a correction and not what the caller meant by an id. */
  correction: readonly string[] | null
}

/**
 * Scores and orders candidates: best first, without those that match nothing. Pure: the same request and candidates, in any
 * order, give the same result. Proximity raises scores and never removes a candidate. `keepAll` also keeps those that match nothing.
 */
export const rankCandidates = (
  request: SearchRequest,
  candidates: readonly Candidate[],
  options: { keepAll?: boolean } = {},
): Ranked[] => createRanking(request, options)(candidates).sort(compareRanked)

/** Scores candidates in order, without those that match nothing. */
const createRanking = (
  request: SearchRequest,
  options: { keepAll?: boolean },
): ((candidates: readonly Candidate[]) => Ranked[]) => {
  const score = createScorer(request, options.keepAll === true ? 0 : MIN_COVERAGE)
  return (candidates) => candidates.map(score).filter((ranked): ranked is Ranked => ranked !== null)
}

/** Candidates ranked per turn of the event loop: about 0.3 ms. Eight searches at the same time each rank so many in a turn. */
const CANDIDATES_A_TURN = 15

/** The same in several turns of the event loop, so that other requests can run. */
export const rankInTurns = async (
  request: SearchRequest,
  candidates: readonly Candidate[],
  options: { keepAll?: boolean } = {},
): Promise<Ranked[]> => {
  const ranked: Ranked[] = []
  const rank = createRanking(request, options)
  for (let start = 0; start < candidates.length; start += CANDIDATES_A_TURN) {
    await yieldToOthers()
    ranked.push(...rank(candidates.slice(start, start + CANDIDATES_A_TURN)))
  }
  return ranked.sort(compareRanked)
}

/** Higher scores first; then an exact parcel id, parcels before entities, closeness, source, and the id by code point. */
export const compareRanked = (a: Ranked, b: Ranked): number => compareInOrder(a, b, kindOrder(a) - kindOrder(b))

/** The same, with another order of kinds. */
export const compareInOrder = (a: Ranked, b: Ranked, kinds: number): number =>
  b.score - a.score ||
  b.bonuses.exact_parcel_id - a.bonuses.exact_parcel_id ||
  kinds ||
  b.closeness - a.closeness ||
  compareCodePoints(sourceOf(a), sourceOf(b)) ||
  compareCodePoints(idOf(a), idOf(b))

/** Groups of parcels come between the two. */
export const KIND_ORDER = { parcel: 0, group: 1, entity: 2 } as const

const kindOrder = ({ candidate }: Ranked): number => KIND_ORDER[candidate.kind]
const sourceOf = ({ candidate }: Ranked): string => (candidate.kind === 'parcel' ? candidate.source : '')
const idOf = ({ candidate }: Ranked): string => (candidate.kind === 'parcel' ? candidate.sourceParcelId : candidate.id)

/** Returns a function that scores one candidate, or returns null when it matches nothing. Work that depends only on the query is done once. */
const createScorer = (request: SearchRequest, leastCoverage: number): ((candidate: Candidate) => Ranked | null) => {
  const spellings = createSpellings(request)
  const query = createBonusQuery(request)
  const keys = new Set(request.parcelKeys)
  const withOwner = createOwnerChoice(request)

  const scoreParcel = (candidate: ParcelCandidate): Ranked | null => {
    const parcel = withOwner(candidate)
    const { name, nameNormalized, address, fields } = parcelFields(parcel)
    const { text, coverage, highestCoverage, spelling } = compareText(spellings, fields)
    const hasKey = keys.has(parcelKey(parcel.sourceParcelId))
    const isExactId = hasKey && (!request.isPunctuationExact || isTyped(parcel.sourceParcelId, request))
    // Of ids that differ only in punctuation ("2-21", "22-1"), the typed one comes first.
    const idText = ID_WEIGHT * (hasKey || request.idSpellings.length > 0 ? compareId(request, parcel) : 0)
    const isId = idText > text
    if (highestCoverage < leastCoverage && !isExactId && !isId) return null
    const bonuses = bonusesOf(query, { candidate: parcel, name, nameNormalized, address, isExactId })
    if (isId || spelling === null) {
      return addScores(parcel, {
        text: isId ? idText : text,
        coverage: isId ? 1 : coverage,
        bonuses,
        closeness: isId && fold(parcel.sourceParcelId).startsWith(fold(request.text)) ? 1 : 0,
        correction: null,
      })
    }
    const written = [
      { text: parcel.ownerName, words: name },
      { text: parcel.situsAddress, words: address },
    ]
    const closeness = closenessOf(spelling, written)
    return addScores(parcel, { text, coverage, bonuses, closeness, correction: spelling.correction })
  }

  const scoreEntity = (entity: EntityCandidate): Ranked | null => {
    const { name, nameNormalized, address, fields } = entityFields(entity)
    const { text, coverage, highestCoverage, spelling } = compareText(spellings, fields)
    if (highestCoverage < leastCoverage) return null
    return addScores(entity, {
      text,
      coverage,
      bonuses: bonusesOf(query, { candidate: entity, name, nameNormalized, address, isExactId: false }),
      closeness: spelling === null ? 0 : closenessOf(spelling, [{ text: entity.name, words: name }]),
      correction: spelling?.correction ?? null,
    })
  }

  return (candidate) => (candidate.kind === 'parcel' ? scoreParcel(candidate) : scoreEntity(candidate))
}

/**
 * How much a query that looks like an id resembles the candidate's: 1 if it is the same with its punctuation, 0 if it is the same without: that
 * is left to the bonus.
 */
export const compareId = (request: SearchRequest, { sourceParcelId }: ParcelCandidate): number => {
  if (request.parcelKeys.includes(parcelKey(sourceParcelId))) return isTyped(sourceParcelId, request) ? 1 : 0
  return request.idSpellings.length === 0 ? 0 : compareIds(request.idSpellings, sourceParcelId, isDigits(request.text))
}

const isDigits = (text: string): boolean => /^\d+$/.test(text)

/** Whether the query is exactly this id, including punctuation. */
const isTyped = (sourceParcelId: string, { text }: SearchRequest): boolean => fold(sourceParcelId) === fold(text)

const addScores = (candidate: Candidate, parts: Omit<Ranked, 'candidate' | 'score'>): Ranked => {
  const { text, coverage, bonuses, closeness, correction } = parts
  let score = text
  for (const name of BONUS_NAMES) score += bonuses[name]
  return { candidate, score: Math.round(score * 1e6) / 1e6, text, coverage, bonuses, closeness, correction }
}
