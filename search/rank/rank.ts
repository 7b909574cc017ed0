import { yieldToOthers } from '../../core/concurrency/yield-to-others'
import type { Candidate, EntityCandidate, ParcelCandidate } from '../engine'
import { standardizeWord } from '../query/address'
import type { SearchRequest } from '../query/query'
import { createSpellings, type Spelling } from '../query/spellings'
import { fold, isSame, ownerKey, parcelKey } from '../query/text'
import { BONUS_NAMES, bonusesOf, createBonusQuery } from './bonuses'
import { createOwnerChoice } from './choose-owner'
import { closenessOf, WHOLE_WORDS } from './closeness'
import { compareIds } from './compare-ids'
import { compareText } from './compare-text'
import { entityFields, parcelFields, WEIGHTS } from './compared-fields'
import { preferCorner } from './crossing'
import { isTwoNumbers, orderRanked } from './order'
import type { Ranked } from './ranked'

/** Weight of an id that is, or resembles, the whole query. */
export const ID_WEIGHT = WEIGHTS.name

/**
 * The minimum share of a query's trigrams for a hit. Below it, words have little more in common than
 * their first letters.
 */
const MIN_COVERAGE = 0.3

/**
 * Scores and sorts candidates, best first, and drops those that match nothing. Pure: the same request and candidates, in any order,
 * give the same result. Proximity raises scores and never removes a candidate. `keepAll` also keeps those that match nothing.
 */
export const rankCandidates = (
  request: SearchRequest,
  candidates: readonly Candidate[],
  options: { keepAll?: boolean } = {},
): Ranked[] => orderRanked(request, preferCorner(request, createRanking(request, options)(candidates)))

/** Scores candidates in order, without those that match nothing. */
const createRanking = (
  request: SearchRequest,
  options: { keepAll?: boolean },
): ((candidates: readonly Candidate[]) => Ranked[]) => {
  const score = createScorer(request, options.keepAll === true ? 0 : MIN_COVERAGE)
  return (candidates) => candidates.map(score).filter((ranked): ranked is Ranked => ranked !== null)
}

/** Candidates ranked per turn of the event loop: about 0.3 ms. Eight concurrent searches each rank this many per turn. */
const CANDIDATES_A_TURN = 15

/** Like `rankCandidates`, in several turns of the event loop, so that other requests can run. */
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
  return orderRanked(request, preferCorner(request, ranked))
}

/** Returns a function that scores one candidate, or returns null when it matches nothing. Work that depends only on the query is done once. */
const createScorer = (request: SearchRequest, leastCoverage: number): ((candidate: Candidate) => Ranked | null) => {
  const spellings = createSpellings(request)
  const query = createBonusQuery(request)
  const keys = new Set(request.parcelKeys)
  const withOwner = createOwnerChoice(request)

  const scoreParcel = (candidate: ParcelCandidate): Ranked | null => {
    const parcel = withOwner(candidate)
    const { name, nameNormalized, address, fields } = parcelFields(parcel)
    const { text, coverage, highestCoverage, spelling, compactness } = compareText(spellings, fields)
    const hasKey = keys.has(parcelKey(parcel.sourceParcelId))
    const isExactId = hasKey && (!request.isPunctuationExact || isTyped(parcel.sourceParcelId, request))
    // Among ids that differ only in punctuation ("2-21", "22-1"), the typed one ranks first.
    const idText = ID_WEIGHT * (hasKey || request.idSpellings.length > 0 ? compareId(request, parcel) : 0)
    const isId = idText > text
    if (highestCoverage < leastCoverage && !isExactId && !isId) return null
    const bonuses = bonusesOf(query, { candidate: parcel, name, nameNormalized, address, isExactId })
    const ownedParcels = countParcels(request, parcel)
    if (isId || spelling === null) {
      return addScores({
        candidate: parcel,
        text: isId ? idText : text,
        coverage: isId ? 1 : coverage,
        bonuses,
        closeness: isId && fold(parcel.sourceParcelId).startsWith(fold(request.text)) ? WHOLE_WORDS : 0,
        ownedParcels,
        compactness: isId ? compareLengths(request.text, parcel.sourceParcelId) : 0,
        isId,
        correction: null,
      })
    }
    return addScores({
      candidate: parcel,
      text,
      coverage,
      bonuses,
      closeness: closenessOfParcel(request, spelling, { parcel, name, address, fields }),
      ownedParcels,
      // A longer address that contains everything typed is as good as a shorter one.
      compactness: coverage === 1 && startsWithDigit(request.text) ? 0 : compactness,
      isId: false,
      correction: spelling.correction,
    })
  }

  const scoreEntity = (entity: EntityCandidate): Ranked | null => {
    const { name, nameNormalized, address, fields } = entityFields(entity)
    const { text, coverage, highestCoverage, spelling, compactness } = compareText(spellings, fields)
    if (highestCoverage < leastCoverage) return null
    return addScores({
      candidate: entity,
      text,
      coverage,
      bonuses: bonusesOf(query, { candidate: entity, name, nameNormalized, address, isExactId: false }),
      closeness: spelling === null ? 0 : closenessOf(spelling, [{ text: entity.name, words: name }]),
      ownedParcels: 0,
      compactness,
      isId: false,
      correction: spelling?.correction ?? null,
    })
  }

  return (candidate) => (candidate.kind === 'parcel' ? scoreParcel(candidate) : scoreEntity(candidate))
}

/**
 * How similar a query that looks like an id is to the candidate's id: 1 if equal including punctuation, 0 if equal only without it,
 * because the bonus covers that.
 */
export const compareId = (request: SearchRequest, { sourceParcelId }: ParcelCandidate): number => {
  if (request.parcelKeys.includes(parcelKey(sourceParcelId))) return isTyped(sourceParcelId, request) ? 1 : 0
  return request.idSpellings.length === 0
    ? 0
    : compareIds(request.idSpellings, sourceParcelId, otherMeaningOf(request.text))
}

/**
 * The closeness of the parcel's name and address to the spelling. If the street lacks the number, a parcel that has that number is
 * closer than other houses.
 */
const closenessOfParcel = (
  request: SearchRequest,
  spelling: Spelling,
  {
    parcel,
    name,
    address,
    fields,
  }: Omit<ReturnType<typeof parcelFields>, 'nameNormalized'> & { parcel: ParcelCandidate },
): number => {
  const isNamesake =
    spelling.isStreetName && !isSame(spelling.words, name) && spelling.words.some((word) => name.includes(word))
  if (isNamesake) return 0
  const [number] = request.words
  const place = fields.find(({ field }) => field === 'city')?.words ?? []
  const last = spelling.words.at(-1) ?? ''
  const isPlaceLast = spelling.words.length > 1 && place.some((word) => word.startsWith(last))
  const hasNumber = request.beginsWithHouseNumber && spelling.houseNumber !== number && address[0] === number ? 1 : 0
  return (
    hasNumber +
    closenessOf(spelling, [
      { text: parcel.ownerName, words: name },
      { text: parcel.situsAddress, words: address },
      ...(isPlaceLast ? [{ text: parcel.situsAddress, words: [...address.map(standardizeWord), ...place] }] : []),
    ])
  )
}

const countParcels = ({ largeOwners }: SearchRequest, { ownerName }: ParcelCandidate): number =>
  largeOwners.size === 0 || ownerName === null ? 0 : (largeOwners.get(ownerKey(ownerName)) ?? 0)

/** 1: they have the same length. */
const compareLengths = (a: string, b: string): number => Math.min(a.length, b.length) / Math.max(a.length, b.length)

const startsWithDigit = (text: string): boolean => /^\d/.test(text)

const otherMeaningOf = (text: string) => (/^\d+$/.test(text) ? 'house' : isTwoNumbers(text) ? 'houses' : null)

/** Whether the query is exactly this id, including punctuation. */
const isTyped = (sourceParcelId: string, { text }: SearchRequest): boolean => fold(sourceParcelId) === fold(text)

const addScores = (ranked: Omit<Ranked, 'score'>): Ranked => {
  let score = ranked.text
  for (const name of BONUS_NAMES) score += ranked.bonuses[name]
  return Object.assign(ranked, { score: Math.round(score * 1e6) / 1e6 })
}
