import { isHouseNumber, isStreetSuffix, standardizeWord } from './address'
import type { Candidate, EntityCandidate, ParcelCandidate } from './engine'
import { listNormalizations, type Normalization, type SearchRequest } from './query'
import { compareCodePoints, fold, normalizeName, parcelKey, splitAddress, splitWords } from './text'
import { eachTrigram, TRIGRAM_SPACE, trigramsOf } from './trigrams'
import { takeTurn } from './turns'
import { editDistance } from './vocabulary'

/** Field weights of the contract. The text part of a score is a weighted mean of similarities, so that it never exceeds the highest. */
export const WEIGHTS = { name: 3, nameNormalized: 2.5, address: 2, city: 1.5, agent: 1, mailing: 1 } as const
export type RankField = keyof typeof WEIGHTS | 'parcelId'

/** Of an id that is the whole query, with its punctuation. */
const LITERAL_ID_WEIGHT = WEIGHTS.name
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
  /** Share of the query, by trigrams, that the candidate has. */
  coverage: number
  prefixBonus: number
  exactIdBonus: number
  proximityBonus: number
  /** The words that it was compared with, where they are a correction of those typed. */
  correction: readonly string[] | null
}

/**
 * Scores and orders candidates: best first, those that match in nothing left out. Pure: the same request and candidates, in any
 * order, give the same answer. Proximity lifts, it never drops. `keepAll` keeps those that match in nothing, too.
 */
export const rankCandidates = (
  request: SearchRequest,
  candidates: readonly Candidate[],
  options: { keepAll?: boolean } = {},
): Ranked[] => createRanking(request, options)(candidates).sort(compareRanked)

/** Scores candidates, in their order, without those that match in nothing. */
const createRanking = (
  request: SearchRequest,
  options: { keepAll?: boolean },
): ((candidates: readonly Candidate[]) => Ranked[]) => {
  const score = createScorer(request, options.keepAll === true ? 0 : LEAST_COVERAGE)
  return (candidates) => candidates.map(score).filter((ranked): ranked is Ranked => ranked !== null)
}

/** Candidates ranked before others may have their turn: some 0.5 ms. */
const CANDIDATES_A_TURN = 40

/** The same for whom others wait: many candidates are ranked in several turns of the event loop. */
export const rankInTurns = async (
  request: SearchRequest,
  candidates: readonly Candidate[],
  options: { keepAll?: boolean } = {},
): Promise<Ranked[]> => {
  const ranked: Ranked[] = []
  const rank = createRanking(request, options)
  for (let start = 0; start < candidates.length; start += CANDIDATES_A_TURN) {
    await takeTurn()
    ranked.push(...rank(candidates.slice(start, start + CANDIDATES_A_TURN)))
  }
  return ranked.sort(compareRanked)
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
    const address = splitAddress(parcel.situsAddress ?? '')
    const fields = parcelFields(parcel, nameNormalized, address)
    const { text, coverage, reading } = compareText(readings, fields)
    const exactIdBonus = keys.has(parcelKey(parcel.sourceParcelId)) ? EXACT_ID_BONUS : 0
    // Of ids that differ in punctuation alone ("2-21", "22-1") the one that was typed comes first.
    const isLiteralId = exactIdBonus > 0 && isTyped(parcel.sourceParcelId, request)
    if (coverage < leastCoverage && exactIdBonus === 0) return null
    return sumUp(parcel, {
      ...(isLiteralId
        ? { text: LITERAL_ID_WEIGHT, coverage: 1, correction: null }
        : { text, coverage, correction: reading?.correction ?? null }),
      exactIdBonus,
      prefixBonus: prefixBonus(prefixes, fields[0]?.words ?? [], nameNormalized, address),
      proximityBonus: proximityBonus(request.near, parcel),
    })
  }

  const scoreEntity = (entity: EntityCandidate): Ranked | null => {
    const nameNormalized = normalizeName(entity.name)
    const fields = entityFields(entity, nameNormalized)
    const { text, coverage, reading } = compareText(readings, fields)
    if (coverage < leastCoverage) return null
    return sumUp(entity, {
      text,
      coverage,
      correction: reading?.correction ?? null,
      exactIdBonus: 0,
      prefixBonus: prefixBonus(prefixes, fields[0]?.words ?? [], nameNormalized, []),
      proximityBonus: 0,
    })
  }

  return (candidate) => (candidate.kind === 'parcel' ? scoreParcel(candidate) : scoreEntity(candidate))
}

/** Where a word of the query was found. In no field: `field` is null, similarity and weight are 0. */
export interface WordMatch {
  word: string
  field: RankField | null
  /** Share of the word's trigrams that the field has, 0 to 1. */
  similarity: number
  weight: number
  /** False: the word is still being typed. */
  done: boolean
}

/** The reading of the query that gave a candidate its text part, word by word. */
export interface Explanation {
  words: WordMatch[]
  normalizations: readonly Normalization[]
}

/** A function that says again, slowly, what `rankCandidates` found for one candidate of the same request. */
export const createExplainer = (request: SearchRequest): ((candidate: Candidate) => Explanation) => {
  const readings = createReadings(request)
  const known = new Map<Reading, readonly Normalization[]>()
  const normalizationsOf = (reading: Reading) => {
    const normalizations = known.get(reading) ?? listNormalizations(request.text, reading.spelling)
    known.set(reading, normalizations)
    return normalizations
  }
  const isDone = (place: number, count: number) => request.lastWordDone || place < count - 1

  return (candidate) => {
    if (candidate.kind === 'parcel' && isTyped(candidate.sourceParcelId, request)) {
      const id = {
        word: request.text,
        field: 'parcelId',
        similarity: 1,
        weight: LITERAL_ID_WEIGHT,
        done: true,
      } as const
      return { words: [id], normalizations: [] }
    }
    const fields = fieldsOf(candidate)
    const measures = measureFields(readings, fields)
    const { reading, left } = chooseReading(readings, fields, measures)
    if (reading === null) {
      const words = request.words.map((word, place, { length }) => ({
        word,
        field: null,
        similarity: 0,
        weight: 0,
        done: isDone(place, length),
      }))
      return { words, normalizations: [] }
    }
    const words = reading.words.map(({ index }, place, { length }) => {
      const f = chooseField(measures.similarity, fields, index, left)
      return {
        word: reading.spelling[place] ?? '',
        field: fields[f]?.field ?? null,
        similarity: f < 0 ? 0 : (measures.similarity[index * fields.length + f] ?? 0),
        weight: fields[f]?.weight ?? 0,
        done: isDone(place, length),
      }
    })
    return { words, normalizations: normalizationsOf(reading) }
  }
}

const isTyped = (sourceParcelId: string, { text }: SearchRequest): boolean => fold(sourceParcelId) === fold(text)

const sumUp = (
  candidate: Candidate,
  parts: Pick<Ranked, 'text' | 'coverage' | 'prefixBonus' | 'exactIdBonus' | 'proximityBonus' | 'correction'>,
): Ranked => {
  const score = parts.text + parts.prefixBonus + parts.exactIdBonus + parts.proximityBonus
  return { candidate, score: Math.round(score * 1e6) / 1e6, ...parts }
}

/** A way to read the query: which of its words (`index`) make it up, and what part of it each is. */
interface Reading {
  spelling: readonly string[]
  words: { index: number; share: number }[]
  /** What the text part keeps: a reading with other letters than those typed is worth less. */
  worth: number
  /** Its words, when they are not those typed. */
  correction: readonly string[] | null
}

interface Readings {
  /** The distinct words of all readings, as trigrams. */
  trigrams: number[][]
  readings: Reading[]
  /** The house numbers among those words. */
  houseNumbers: { index: number; number: string }[]
}

const CORRECTION_PENALTY = 0.06

/** The query's words as they are, as names are compared and as addresses are, and as they may be meant: the reading that fits a candidate best counts. */
const createReadings = (request: SearchRequest): Readings => {
  const typed = [request.words, request.nameWords, request.addressWords, completeSuffix(request)].map((words) => ({
    words,
    cost: 0,
    correction: null,
  }))
  const corrected = request.corrections.map(({ words, cost }) => ({ words, cost, correction: words }))
  const distinct = new Map([...corrected, ...typed].map((reading) => [reading.words.join(' '), reading] as const))
  const indexByWord = new Map<string, number>()
  const trigrams: number[][] = []
  const readings = [...distinct.values()].map(({ words, cost, correction }) => {
    const indexes = words.map((word, place) => {
      const done = request.lastWordDone || place < words.length - 1
      const key = `${word}${done ? ' ' : ''}`
      const index = indexByWord.get(key) ?? trigrams.push(trigramsOf(word, done)) - 1
      indexByWord.set(key, index)
      return index
    })
    const total = indexes.reduce((sum, index) => sum + (trigrams[index]?.length ?? 0), 0)
    return {
      spelling: words,
      words: indexes.map((index) => ({ index, share: (trigrams[index]?.length ?? 0) / total })),
      worth: Math.max(0.5, 1 - CORRECTION_PENALTY * Math.max(0, cost)),
      correction,
    }
  })
  const houseNumbers = !request.beginsWithHouseNumber
    ? []
    : readings.flatMap(({ spelling: [number = ''], words: [first] }) =>
        first !== undefined && number.length >= LEAST_DIGITS && isHouseNumber(number)
          ? [{ index: first.index, number }]
          : [],
      )
  return { trigrams, readings, houseNumbers: [...new Map(houseNumbers.map((one) => [one.index, one])).values()] }
}

/** Shorter numbers are near too many others. */
const LEAST_DIGITS = 3

/**
 * The address when its last word is a suffix already, spelled out: "862 oak street" is most likely complete. Only a second
 * reading: it may still become "862 oak streetside".
 */
const completeSuffix = ({ addressWords, beginsWithHouseNumber }: SearchRequest): readonly string[] => {
  const last = addressWords.at(-1) ?? ''
  if (!beginsWithHouseNumber || addressWords.length < 3 || !isStreetSuffix(last)) return addressWords
  return [...addressWords.slice(0, -1), standardizeWord(last)]
}

/** The words of an address and, where they differ, the way Publication 28 writes them. */
const withStandardWords = (words: readonly string[]): string[] => [
  ...new Set([...words, ...words.map(standardizeWord)]),
]

interface ComparedField {
  field: RankField
  weight: number
  words: readonly string[]
}

const parcelFields = (parcel: ParcelCandidate, nameNormalized: string, address: readonly string[]): ComparedField[] => [
  { field: 'name', weight: WEIGHTS.name, words: splitWords(parcel.ownerName ?? '') },
  { field: 'nameNormalized', weight: WEIGHTS.nameNormalized, words: nameNormalized.split(' ').filter(Boolean) },
  { field: 'address', weight: WEIGHTS.address, words: withStandardWords(address) },
  { field: 'city', weight: WEIGHTS.city, words: splitWords(parcel.situsCity ?? '') },
  {
    field: 'mailing',
    weight: WEIGHTS.mailing,
    words: withStandardWords(splitAddress(parcel.ownerMailingAddress ?? '')),
  },
]

const entityFields = (entity: EntityCandidate, nameNormalized: string): ComparedField[] => [
  { field: 'name', weight: WEIGHTS.name, words: splitWords(entity.name) },
  { field: 'nameNormalized', weight: WEIGHTS.nameNormalized, words: nameNormalized.split(' ').filter(Boolean) },
  { field: 'agent', weight: WEIGHTS.agent, words: splitWords(entity.registeredAgentName ?? '') },
]

const fieldsOf = (candidate: Candidate): ComparedField[] =>
  candidate.kind === 'parcel'
    ? parcelFields(candidate, normalizeName(candidate.ownerName ?? ''), splitAddress(candidate.situsAddress ?? ''))
    : entityFields(candidate, normalizeName(candidate.name))

/** Which field a trigram was last seen in: scratch memory of `measureFields`, never read across calls. */
const seenIn = new Int32Array(TRIGRAM_SPACE)
let mark = 0

/**
 * How well a query reads on a candidate. Each word of the query goes to the field that has most of its trigrams (weighted);
 * `coverage` is the share of the query's trigrams found that way. The text part is the mean weight of the fields that took part,
 * by share, times the square of the coverage (so that a candidate that answers the whole query stands above one that answers half
 * of it in a heavier field), times how much of those fields the query accounts for. The first two fields are one name in two
 * spellings: a reading takes one of them.
 */
const compareText = (readings: Readings, fields: ComparedField[]): ChosenReading =>
  chooseReading(readings, fields, measureFields(readings, fields))

interface Measures {
  /** Distinct trigrams of each field. */
  sizes: number[]
  /** Share of each word's trigrams that each field has: `word * fields.length + field`. */
  similarity: Float64Array
}

/** What a house number is worth that differs from the one typed in one digit: trigrams say as much of numbers that differ in more. */
const NEAR_NUMBER_SIMILARITY = 0.7

const measureFields = ({ trigrams, houseNumbers }: Readings, fields: readonly ComparedField[]): Measures => {
  const sizes = new Array<number>(fields.length).fill(0)
  const similarity = new Float64Array(trigrams.length * fields.length)
  for (const [f, { words }] of fields.entries()) {
    mark++
    let size = 0
    for (const word of words) {
      eachTrigram(word, true, (trigram) => {
        if (seenIn[trigram] === mark) return
        seenIn[trigram] = mark
        size++
      })
    }
    sizes[f] = size
    if (size === 0) continue
    for (const [w, ofWord] of trigrams.entries()) {
      let hits = 0
      for (const trigram of ofWord) if (seenIn[trigram] === mark) hits++
      similarity[w * fields.length + f] = hits / ofWord.length
    }
  }
  const a = fields.findIndex(({ field }) => field === 'address')
  const [houseNumber = ''] = fields[a]?.words ?? []
  for (const { index, number } of houseNumbers) {
    const place = index * fields.length + a
    if ((similarity[place] ?? 0) < NEAR_NUMBER_SIMILARITY && isHouseNumber(houseNumber)) {
      if (editDistance(number, houseNumber, 1) === 1) similarity[place] = NEAR_NUMBER_SIMILARITY
    }
  }
  // Marks are used up slowly, but a service runs for long.
  if (mark > 2 ** 30) {
    seenIn.fill(0)
    mark = 0
  }
  return { sizes, similarity }
}

/** The reading that fits best, and which of the two spellings of the name (`left`) it did without. Null: no word fits. */
interface ChosenReading {
  text: number
  coverage: number
  reading: Reading | null
  left: number
}

const chooseReading = (
  { trigrams, readings }: Readings,
  fields: ComparedField[],
  { sizes, similarity }: Measures,
): ChosenReading => {
  const [name, normalized] = fields
  const spellings = name !== undefined && isSame(name.words, normalized?.words ?? []) ? [1] : [1, 0]
  let best: ChosenReading = { text: 0, coverage: 0, reading: null, left: 1 }
  const matched = new Float64Array(fields.length)
  for (const reading of readings) {
    for (const left of spellings) {
      let coverage = 0
      let weighted = 0
      matched.fill(0)
      for (const { index, share } of reading.words) {
        const chosen = chooseField(similarity, fields, index, left)
        if (chosen < 0) continue
        const found = similarity[index * fields.length + chosen] ?? 0
        coverage += share * found
        weighted += share * found * (fields[chosen]?.weight ?? 0)
        matched[chosen] = (matched[chosen] ?? 0) + found * (trigrams[index]?.length ?? 0)
      }
      if (coverage === 0) continue
      let used = 0
      let filled = 0
      for (let f = 0; f < fields.length; f++) {
        if (matched[f] === 0) continue
        used += sizes[f] ?? 0
        filled += Math.min(matched[f] ?? 0, sizes[f] ?? 0)
      }
      const compactness = COMPACTNESS_SHARE * (filled / used) + (1 - COMPACTNESS_SHARE)
      const text = Math.min(3, (weighted / coverage) * coverage ** COVERAGE_POWER * compactness * reading.worth)
      if (text > best.text) best = { text, coverage: coverage * reading.worth, reading, left }
    }
  }
  return best
}

/** The field that has most of a word, weighted; -1 when none has any of it. */
const chooseField = (
  similarity: Float64Array,
  fields: readonly ComparedField[],
  index: number,
  left: number,
): number => {
  let chosen = -1
  let chosenValue = 0
  for (let f = 0; f < fields.length; f++) {
    if (f === left) continue
    const found = similarity[index * fields.length + f] ?? 0
    const value = found * found * (fields[f]?.weight ?? 0)
    if (value > chosenValue) {
      chosen = f
      chosenValue = value
    }
  }
  return chosen
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((word, index) => word === b[index])

const COVERAGE_POWER = 2.5
const COMPACTNESS_SHARE = 0.15

interface Prefixes {
  name: string
  nameNormalized: string
  address: readonly string[]
}

const createPrefixes = (request: SearchRequest): Prefixes => ({
  name: request.words.join(' '),
  nameNormalized: request.nameWords.join(' '),
  address: [
    ...new Set([request.words, request.addressWords, completeSuffix(request)].map((words) => words.join(' '))),
  ].filter(Boolean),
})

/** The highest bonus of the fields that begin with the query, word for word, the last as far as it is typed. */
const prefixBonus = (
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

/** The first letters are compared first: most candidates end there. */
const beginsWith = (words: readonly string[], prefix: string): boolean =>
  prefix !== '' && words[0]?.[0] === prefix[0] && words.join(' ').startsWith(prefix)

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
