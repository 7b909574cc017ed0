import { standardizeWord } from './address'
import type { Candidate, EntityCandidate, ParcelCandidate } from './engine'
import type { SearchRequest } from './query'
import { compareCodePoints, normalizeName, parcelKey, splitWords } from './text'
import { eachTrigram, TRIGRAM_SPACE, trigramsOf } from './trigrams'

/** Field weights of the contract. The text part of a score is a weighted mean of similarities, so that it never exceeds the highest. */
export const WEIGHTS = { name: 3, nameNormalized: 2.5, address: 2, city: 1.5, agent: 1, mailing: 1 } as const
export type RankField = keyof typeof WEIGHTS

export const PREFIX_BONUS = { name: 0.5, nameNormalized: 0.4, address: 0.3 } as const
export const EXACT_ID_BONUS = 5
export const PROXIMITY_BONUS = 1.5
const EARTH_RADIUS_KM = 6371.0088

/**
 * Share of a query's trigrams that a candidate must have to be a hit at all. Below it words have little more in common than
 * their first letters.
 */
const LEAST_COVERAGE = 0.3

/** How a score came about. `score` is the sum of the text part and the bonuses, to 6 decimals. */
export interface Ranked<Kind extends Candidate = Candidate> {
  candidate: Kind
  score: number
  text: number
  prefixBonus: number
  exactIdBonus: number
  proximityBonus: number
}

/**
 * Scores and orders candidates: best first, those that match in nothing left out. Pure: the same request and candidates, in any
 * order, give the same answer. Proximity lifts, it never drops. `keepAll` keeps those that match in nothing, too.
 */
export const rankCandidates = (
  request: SearchRequest,
  candidates: readonly Candidate[],
  options: { keepAll?: boolean } = {},
): Ranked[] => {
  const score = createScorer(request, options.keepAll === true ? 0 : LEAST_COVERAGE)
  return candidates
    .map(score)
    .filter((ranked): ranked is Ranked => ranked !== null)
    .sort(compareRanked)
}

/** Higher scores first; then an exact parcel id, parcels before entities, source, and the id by code point. */
export const compareRanked = (a: Ranked, b: Ranked): number =>
  b.score - a.score ||
  b.exactIdBonus - a.exactIdBonus ||
  kindOrder(a) - kindOrder(b) ||
  compareCodePoints(sourceOf(a), sourceOf(b)) ||
  compareCodePoints(idOf(a), idOf(b))

const kindOrder = ({ candidate }: Ranked): number => (candidate.kind === 'parcel' ? 0 : 2)
const sourceOf = ({ candidate }: Ranked): string => (candidate.kind === 'parcel' ? candidate.source : '')
const idOf = ({ candidate }: Ranked): string => (candidate.kind === 'parcel' ? candidate.sourceParcelId : candidate.id)

/** A function that scores one candidate, or says null when it matches in nothing. What depends on the query alone is done once. */
const createScorer = (request: SearchRequest, leastCoverage: number): ((candidate: Candidate) => Ranked | null) => {
  const readings = createReadings(request)
  const prefixes = createPrefixes(request)
  const keys = new Set(request.parcelKeys)

  const scoreParcel = (parcel: ParcelCandidate): Ranked | null => {
    const nameNormalized = normalizeName(parcel.ownerName ?? '')
    const address = splitWords(parcel.situsAddress ?? '')
    const { text, coverage } = compareText(readings, [
      { weight: WEIGHTS.name, words: splitWords(parcel.ownerName ?? '') },
      { weight: WEIGHTS.nameNormalized, words: nameNormalized.split(' ') },
      { weight: WEIGHTS.address, words: withStandardWords(address) },
      { weight: WEIGHTS.city, words: splitWords(parcel.situsCity ?? '') },
      { weight: WEIGHTS.mailing, words: withStandardWords(splitWords(parcel.ownerMailingAddress ?? '')) },
    ])
    const exactIdBonus = keys.has(parcelKey(parcel.sourceParcelId)) ? EXACT_ID_BONUS : 0
    if (coverage < leastCoverage && exactIdBonus === 0) return null
    return sumUp(parcel, {
      text,
      exactIdBonus,
      prefixBonus: prefixBonus(prefixes, parcel.ownerName ?? '', nameNormalized, address),
      proximityBonus: proximityBonus(request.near, parcel),
    })
  }

  const scoreEntity = (entity: EntityCandidate): Ranked | null => {
    const nameNormalized = normalizeName(entity.name)
    const { text, coverage } = compareText(readings, [
      { weight: WEIGHTS.name, words: splitWords(entity.name) },
      { weight: WEIGHTS.nameNormalized, words: nameNormalized.split(' ') },
      { weight: WEIGHTS.agent, words: splitWords(entity.registeredAgentName ?? '') },
    ])
    if (coverage < leastCoverage) return null
    return sumUp(entity, {
      text,
      exactIdBonus: 0,
      prefixBonus: prefixBonus(prefixes, entity.name, nameNormalized, []),
      proximityBonus: 0,
    })
  }

  return (candidate) => (candidate.kind === 'parcel' ? scoreParcel(candidate) : scoreEntity(candidate))
}

const sumUp = (
  candidate: Candidate,
  parts: Pick<Ranked, 'text' | 'prefixBonus' | 'exactIdBonus' | 'proximityBonus'>,
): Ranked => {
  const score = parts.text + parts.prefixBonus + parts.exactIdBonus + parts.proximityBonus
  return { candidate, score: Math.round(score * 1e6) / 1e6, ...parts }
}

/** A word of the query: its trigrams, and its part of all the query's trigrams. */
interface ReadingWord {
  trigrams: readonly number[]
  share: number
}

/** The query's words as they are, as names are compared and as addresses are: the reading that fits a candidate best counts. */
const createReadings = (request: SearchRequest): ReadingWord[][] => {
  const distinct = new Map(
    [request.words, request.nameWords, request.addressWords].map((words) => [words.join(' '), words] as const),
  )
  return [...distinct.values()].map((words) => {
    const grams = words.map((word, index) => trigramsOf(word, request.lastWordDone || index < words.length - 1))
    const total = grams.reduce((sum, { length }) => sum + length, 0)
    return grams.map((trigrams) => ({ trigrams, share: trigrams.length / total }))
  })
}

/** The words of an address and, where they differ, the way Publication 28 writes them. */
const withStandardWords = (words: readonly string[]): string[] => [
  ...new Set([...words, ...words.map(standardizeWord)]),
]

interface ComparedField {
  weight: number
  words: readonly string[]
}

/** Which field a trigram was last seen in: scratch memory of `compareText`, never read across calls. */
const seenIn = new Int32Array(TRIGRAM_SPACE)
let mark = 0

/**
 * How well a query reads on a candidate. Each word of the query goes to the field that has most of its trigrams (weighted);
 * `coverage` is the share of the query's trigrams found that way. The text part is the mean weight of the fields that took part,
 * by share, times the square of the coverage (so that a candidate that answers the whole query stands above one that answers half
 * of it in a heavier field), times how much of those fields the query accounts for.
 */
const compareText = (readings: ReadingWord[][], fields: ComparedField[]): { text: number; coverage: number } => {
  let best = { text: 0, coverage: 0 }
  const present = fields.filter(({ words }) => words.length > 0 && words[0] !== '')
  const sizes: number[] = []
  const hitsByReading: number[][][] = readings.map((reading) => reading.map(() => []))
  for (const field of present) {
    mark++
    let size = 0
    for (const word of field.words) {
      eachTrigram(word, true, (trigram) => {
        if (seenIn[trigram] === mark) return
        seenIn[trigram] = mark
        size++
      })
    }
    sizes.push(size)
    for (const [r, reading] of readings.entries()) {
      for (const [w, word] of reading.entries()) {
        let hits = 0
        for (const trigram of word.trigrams) if (seenIn[trigram] === mark) hits++
        hitsByReading[r]?.[w]?.push(hits)
      }
    }
  }
  // Marks are used up slowly, but a service runs for long.
  if (mark > 2 ** 30) {
    seenIn.fill(0)
    mark = 0
  }

  for (const [r, reading] of readings.entries()) {
    let coverage = 0
    let weighted = 0
    const matched = present.map(() => 0)
    for (const [w, word] of reading.entries()) {
      const hits = hitsByReading[r]?.[w] ?? []
      let chosen = -1
      let chosenValue = 0
      for (const [f, field] of present.entries()) {
        const share = (hits[f] ?? 0) / word.trigrams.length
        const value = share * share * field.weight
        if (value > chosenValue) {
          chosen = f
          chosenValue = value
        }
      }
      if (chosen < 0) continue
      const found = word.share * ((hits[chosen] ?? 0) / word.trigrams.length)
      coverage += found
      weighted += found * (present[chosen]?.weight ?? 0)
      matched[chosen] = (matched[chosen] ?? 0) + (hits[chosen] ?? 0)
    }
    if (coverage === 0) continue
    let used = 0
    let filled = 0
    for (const [f, count] of matched.entries()) {
      if (count === 0) continue
      used += sizes[f] ?? 0
      filled += Math.min(count, sizes[f] ?? 0)
    }
    const compactness = COMPACTNESS_SHARE * (filled / used) + (1 - COMPACTNESS_SHARE)
    const text = Math.min(3, (weighted / coverage) * coverage ** COVERAGE_POWER * compactness)
    if (text > best.text) best = { text, coverage }
  }
  return best
}

const COVERAGE_POWER = 2
const COMPACTNESS_SHARE = 0.3

interface Prefixes {
  name: string
  nameNormalized: string
  address: readonly string[]
}

const createPrefixes = (request: SearchRequest): Prefixes => ({
  name: request.words.join(' '),
  nameNormalized: request.nameWords.join(' '),
  address: [...new Set([request.words.join(' '), request.addressWords.join(' ')])].filter(Boolean),
})

/** The highest bonus of the fields that begin with the query, word for word, the last as far as it is typed. */
const prefixBonus = (prefixes: Prefixes, name: string, nameNormalized: string, address: readonly string[]): number => {
  if (prefixes.name !== '' && splitWords(name).join(' ').startsWith(prefixes.name)) return PREFIX_BONUS.name
  if (prefixes.nameNormalized !== '' && nameNormalized.startsWith(prefixes.nameNormalized)) {
    return PREFIX_BONUS.nameNormalized
  }
  const spellings = [address.join(' '), address.map(standardizeWord).join(' ')]
  const begins = prefixes.address.some((prefix) => spellings.some((spelling) => spelling.startsWith(prefix)))
  return begins ? PREFIX_BONUS.address : 0
}

const proximityBonus = (near: SearchRequest['near'], { lat, lon }: ParcelCandidate): number => {
  if (near === null || lat === null || lon === null) return 0
  const share = 1 - distanceKm(near, { lat, lon }) / near.proximityKm
  return share > 0 ? PROXIMITY_BONUS * share : 0
}

interface Place {
  lat: number
  lon: number
}

/** Great-circle distance by the haversine formula, on a sphere of the Earth's mean radius. */
export const distanceKm = (a: Place, b: Place): number => {
  const radians = Math.PI / 180
  const sinLat = Math.sin(((b.lat - a.lat) * radians) / 2)
  const sinLon = Math.sin(((b.lon - a.lon) * radians) / 2)
  const chord = sinLat * sinLat + Math.cos(a.lat * radians) * Math.cos(b.lat * radians) * sinLon * sinLon
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord)))
}
