import { yieldToOthers } from '../../core/concurrency/yield-to-others'
import type { Candidate, EntityCandidate, ParcelCandidate } from '../engine'
import { compareIds } from '../query/parcel-id'
import type { SearchRequest } from '../query/query'
import { createReadings } from '../query/readings'
import { compareCodePoints, fold, normalizeName, parcelKey, splitAddress } from '../query/text'
import { editDistance } from '../query/vocabulary'
import { type Bonuses, bonusesOf, createBonusQuery } from './bonuses'
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

/** Candidates ranked per turn of the event loop: about 0.5 ms. */
const CANDIDATES_A_TURN = 40

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

/** Higher scores first; then an exact parcel id, parcels before entities, source, and the id by code point. */
export const compareRanked = (a: Ranked, b: Ranked): number =>
  b.score - a.score ||
  b.bonuses.exact_parcel_id - a.bonuses.exact_parcel_id ||
  kindOrder(a) - kindOrder(b) ||
  compareCodePoints(sourceOf(a), sourceOf(b)) ||
  compareCodePoints(idOf(a), idOf(b))

const kindOrder = ({ candidate }: Ranked): number => (candidate.kind === 'parcel' ? 0 : 2)
const sourceOf = ({ candidate }: Ranked): string => (candidate.kind === 'parcel' ? candidate.source : '')
const idOf = ({ candidate }: Ranked): string => (candidate.kind === 'parcel' ? candidate.sourceParcelId : candidate.id)

/** Returns a function that scores one candidate, or returns null when it matches nothing. Work that depends only on the query is done once. */
const createScorer = (request: SearchRequest, leastCoverage: number): ((candidate: Candidate) => Ranked | null) => {
  const readings = createReadings(request)
  const query = createBonusQuery(request)
  const keys = new Set(request.parcelKeys)

  const scoreParcel = (parcel: ParcelCandidate): Ranked | null => {
    const nameNormalized = normalizeName(parcel.ownerName ?? '')
    const address = splitAddress(parcel.situsAddress ?? '')
    const fields = parcelFields(parcel, nameNormalized, address)
    const { text, coverage, reading } = compareText(readings, fields)
    const isExactId = keys.has(parcelKey(parcel.sourceParcelId))
    // Of ids that differ only in punctuation ("2-21", "22-1"), the typed one comes first.
    const idSimilarity = compareId(request, parcel)
    const isId = idSimilarity * ID_WEIGHT > text
    if (coverage < leastCoverage && !isExactId && !isId) return null
    const compared = { candidate: parcel, name: fields[0]?.words ?? [], nameNormalized, address, isExactId }
    return addScores(parcel, {
      ...(isId
        ? { text: ID_WEIGHT * idSimilarity, coverage: 1, correction: null }
        : { text, coverage, correction: reading?.correction ?? null }),
      bonuses: bonusesOf(query, compared),
    })
  }

  const scoreEntity = (entity: EntityCandidate): Ranked | null => {
    const nameNormalized = normalizeName(entity.name)
    const fields = entityFields(entity, nameNormalized)
    const { text, coverage, reading } = compareText(readings, fields)
    if (coverage < leastCoverage) return null
    const compared = {
      candidate: entity,
      name: fields[0]?.words ?? [],
      nameNormalized,
      address: [],
      isExactId: false,
    }
    return addScores(entity, {
      text,
      coverage,
      correction: reading?.correction ?? null,
      bonuses: bonusesOf(query, compared),
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
  return request.idSpellings.length === 0 ? 0 : compareIds(request.idSpellings, sourceParcelId, isWithinOneEdit)
}

const isWithinOneEdit = (a: string, b: string): boolean => editDistance(a, b, 1) === 1

/** Whether the query is exactly this id, including punctuation. */
const isTyped = (sourceParcelId: string, { text }: SearchRequest): boolean => fold(sourceParcelId) === fold(text)

const addScores = (
  candidate: Candidate,
  parts: Pick<Ranked, 'text' | 'coverage' | 'bonuses' | 'correction'>,
): Ranked => {
  let score = parts.text
  for (const bonus of Object.values(parts.bonuses)) score += bonus
  return { candidate, score: Math.round(score * 1e6) / 1e6, ...parts }
}
