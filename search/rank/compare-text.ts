import { findBoxNumber } from '../query/address'
import type { Spelling, Spellings } from '../query/spellings'
import { isSame } from '../query/text'
import { TrigramSet } from '../query/trigrams'
import { type ComparedField, fieldBits, MAX_FIELDS, type RankField } from './compared-fields'
import { compareHouseNumbers, hasHouseNumber, isWithinRange } from './house-number'

const COVERAGE_POWER = 2.5
/** Scores that differ by less are equal. */
const ROUNDING = 1e-9
/**
 * A match that is spread over a name and an address is worse than one within either of them. The factors are for a query that begins
 * with a house number, for one that looks like a street, and for others.
 */
const SPREAD_WORTH = { house: 0.7, street: 0.65, other: 0.88 } as const

/**
 * When words are far more often a street than a name, names that contain them get this factor: a name that begins with them then
 * scores, with its bonus, like the street. A name without other words keeps its score.
 */
const NAME_LIKE_STREET_WORTH = 0.5

/** "alder st" is more likely a street than a name that contains "alder" and only letters of "st", or "st" elsewhere: "ST JOHN ALDER". */
const NAME_WITHOUT_SUFFIX_WORTH = 0.75

/**
 * An address with another house or PO box number is another address, however similar the rest is. By trigrams, box 128 in 97012
 * contains all of "box 12".
 */
const OTHER_NUMBER_WORTH = 0.75
/** The number is not the typed one, and words were found in the owner's name: an owner with the name of the street. */
const NAMESAKE_OF_STREET_WORTH = 0.5

/**
 * The least share of a word's trigrams with which a field matches it, in a query with known and unknown words. A word that records have is hardly
 * misspelled beside an unknown one, so "RICHARD" does not match "harvard". The unknown one may be.
 */
const LEAST_SIMILARITY = { known: 0.6, unknown: 0.45 } as const
/** When a candidate lacks a word that other records have, its other words match by accident if they are only similar: "COLLEEN" for "college smith". */
const ACCIDENT_WORTH = 0.5
/** A word that neither the candidate nor any other record has says little about which one is meant, so it counts as a shorter one. */
const UNKNOWN_SHARE = 0.5

/** Groups of fields that belong together. A place belongs to each of them. */
const WHOLES = [fieldBits('name', 'nameNormalized', 'agent'), fieldBits('address'), fieldBits('mailing')]
const NAMES = fieldBits('name', 'nameNormalized')
const PLACE = fieldBits('city')
const ADDRESSES = fieldBits('address', 'mailing')
/** All fields but one of the two forms of a name: words are compared with one form at a time. */
const AS_WRITTEN = ~fieldBits('nameNormalized')
const NORMALIZED = ~fieldBits('name')
const ONE_FORM = [AS_WRITTEN]
const BOTH_FORMS = [AS_WRITTEN, NORMALIZED]

/** The best spelling, and the fields that it is compared with, as bits. Null: no word matches. */
export interface ChosenSpelling {
  text: number
  coverage: number
  /** The highest coverage of any spelling, not only the chosen one. Unlike `coverage`, it does not depend on a place. */
  highestCoverage: number
  spelling: Spelling | null
  allowed: number
  /** Share of the matched fields that the query covers, to order hits with equal scores. */
  compactness: number
}

/**
 * How well a query matches a candidate. Each word goes to the field that has most of its trigrams (weighted);
 * `coverage` is the share of the query's trigrams found that way. The text score is the mean weight of the matched fields,
 * by share, times a power of the coverage (so that a candidate with the whole query ranks above one with half
 * of it in a heavier field). If the words are spread over a name and addresses, the score is lower, and each of these is also compared by itself.
 */
export const compareText = (spellings: Spellings, fields: readonly ComparedField[]): ChosenSpelling =>
  chooseSpelling(spellings, fields, measureFields(spellings, fields))

/** Where a word was found. If in no field, `field` is null, and similarity and weight are 0. */
export interface FieldMatch {
  field: RankField | null
  /** Share of the word's trigrams in the field, 0 to 1. */
  similarity: number
  weight: number
}

/** Slower, with more detail: the best spelling, and where each word was found. Null: no word matches. */
export const matchWords = (
  spellings: Spellings,
  fields: readonly ComparedField[],
): { spelling: Spelling; text: number; matches: FieldMatch[] } | null => {
  const measures = measureFields(spellings, fields)
  const { spelling, text, allowed } = chooseSpelling(spellings, fields, measures)
  if (spelling === null) return null
  const matches = spelling.compared.map(({ index }) => {
    const f = chooseField(measures.similarity, fields, index, allowed)
    const { field, weight } = fields[f] ?? { field: null, weight: 0 }
    return { field, similarity: f < 0 ? 0 : (measures.similarity[index * fields.length + f] ?? 0), weight }
  })
  return { spelling, text, matches }
}

interface Measures {
  /** Distinct trigrams of each field. */
  sizes: Float64Array
  /** Share of each word's trigrams in each field: `word * fields.length + field`. */
  similarity: Float64Array
}

/** Buffers for the last candidate and for `chooseSpelling`, reused because hundreds of candidates a second would fill the memory. */
const sizes = new Float64Array(MAX_FIELDS)
const matched = new Float64Array(MAX_FIELDS)
let similarity = new Float64Array(256)

/** The trigrams of one field at a time. */
const ofField = new TrigramSet()

/** The result is valid until the next call. */
const measureFields = ({ trigrams, statuses, houseNumbers }: Spellings, fields: readonly ComparedField[]): Measures => {
  const width = fields.length
  if (similarity.length < trigrams.length * width) similarity = new Float64Array(2 * trigrams.length * width)
  for (let f = 0; f < width; f++) {
    const { words } = fields[f] as ComparedField
    if (f > 0 && words === (fields[f - 1] as ComparedField).words) {
      sizes[f] = sizes[f - 1] ?? 0
      for (let at = f; at < trigrams.length * width; at += width) similarity[at] = similarity[at - 1] ?? 0
      continue
    }
    ofField.fill(words)
    sizes[f] = ofField.size
    for (let w = 0; w < trigrams.length; w++) {
      const ofWord = trigrams[w] as number[]
      const similar = ofField.count(ofWord) / ofWord.length
      const status = statuses[w]
      similarity[w * width + f] = status !== undefined && similar < LEAST_SIMILARITY[status] ? 0 : similar
    }
  }
  const a = fields.findIndex(({ field }) => field === 'address')
  const address = fields[a]?.words ?? []
  for (const { index, number } of houseNumbers) {
    const similar = hasHouseNumber(number, address) ? null : compareHouseNumbers(number, address)
    if (similar !== null) similarity[index * width + a] = similar
  }
  return { sizes, similarity }
}

const chooseSpelling = (
  { trigrams, statuses, spellings }: Spellings,
  fields: readonly ComparedField[],
  { sizes, similarity }: Measures,
): ChosenSpelling => {
  const [name, normalized] = fields
  const names = name?.words === normalized?.words ? ONE_FORM : BOTH_FORMS
  let best = { text: 0, coverage: 0, spelling: null as Spelling | null, allowed: AS_WRITTEN, compactness: 0 }
  let highestCoverage = 0

  /**
   * Compares a spelling with some of the fields. Returns the groups of `WHOLES` that its words are spread over; 0 if one group has them
   * all.
   */
  const compare = (spelling: Spelling, allowed: number): number => {
    let coverage = 0
    let weighted = 0
    let found = 0
    let lacksSuffix = spelling.suffixPlace !== null
    let before = -1
    let lacksKnown = false
    let expected = 1
    let isSimilar = spelling.correction !== null
    matched.fill(0)
    for (let place = 0; place < spelling.compared.length; place++) {
      const { index, share } = spelling.compared[place] as Spelling['compared'][number]
      const chosen = chooseField(similarity, fields, index, allowed)
      const isOfSame = chosen === before
      before = chosen
      if (chosen < 0) {
        if (statuses[index] === 'known') lacksKnown = true
        if (statuses[index] === 'unknown' && !spelling.beginsWithHouseNumber) expected -= share * (1 - UNKNOWN_SHARE)
        continue
      }
      const { weight, bit, words } = fields[chosen] as ComparedField
      const similar = similarity[index * fields.length + chosen] ?? 0
      if (similar < 1) isSimilar = true
      coverage += share * similar
      weighted += share * similar * weight
      matched[chosen] = (matched[chosen] ?? 0) + similar * (trigrams[index] as number[]).length
      found |= bit
      if (place === spelling.suffixPlace && similar === 1 && isOfSame) {
        lacksSuffix = (bit & NAMES) !== 0 && !isStreetIn(words, spelling, place)
      }
    }
    if (coverage === 0) return 0
    coverage /= expected
    weighted /= expected
    let used = 0
    let filled = 0
    for (let f = 0; f < fields.length; f++) {
      if (matched[f] === 0) continue
      used += sizes[f] ?? 0
      filled += Math.min(matched[f] ?? 0, sizes[f] ?? 0)
    }
    const compactness = filled / used
    let wholes = 0
    for (const whole of WHOLES) if ((found & whole) !== 0) wholes++
    const isSpread = wholes > 1
    const { beginsWithHouseNumber, isStreet } = spelling
    const spread = isSpread ? SPREAD_WORTH[beginsWithHouseNumber ? 'house' : isStreet ? 'street' : 'other'] : 1
    const otherName =
      spelling.isStreetName && (found & NAMES) !== 0 && !isName(fields, spelling.words) ? NAME_LIKE_STREET_WORTH : 1
    const halfStreet = lacksSuffix && (found & NAMES) !== 0 ? NAME_WITHOUT_SUFFIX_WORTH : 1
    const otherNumber = (found & NAMES) === 0 ? OTHER_NUMBER_WORTH : NAMESAKE_OF_STREET_WORTH
    const number = hasNumber(fields, spelling) ? 1 : otherNumber
    const accident = lacksKnown && isSimilar ? ACCIDENT_WORTH : 1
    const worth = spelling.worth * spread * otherName * halfStreet * number * accident
    const text = Math.min(3, (weighted / coverage) * coverage ** COVERAGE_POWER * worth)
    // A house number with a name is not an address, so the search continues. "ada juniper alder st" is an owner and a street.
    const counted = coverage * spelling.worth * (beginsWithHouseNumber ? spread : 1)
    if (counted > highestCoverage) highestCoverage = counted
    const more = text - best.text
    if (more > ROUNDING || (more > -ROUNDING && compactness > best.compactness)) {
      best = { text, coverage: counted, spelling, allowed, compactness }
    }
    return isSpread ? found : 0
  }

  for (const spelling of spellings) {
    if (spelling.boxNumber !== null || spelling.isStreetOfCrossing) {
      compare(spelling, ADDRESSES)
      continue
    }
    if (spelling.isStreetName) compare(spelling, ADDRESSES)
    for (const allowed of names) {
      const found = compare(spelling, allowed)
      if (found === 0) continue
      for (const whole of WHOLES) if ((found & whole) !== 0) compare(spelling, allowed & (whole | PLACE))
    }
  }
  return { ...best, highestCoverage }
}

/** Whether a name has the suffix of a street after the word before it. */
const isStreetIn = (name: readonly string[], { words }: Spelling, place: number): boolean =>
  name.some((own, at) => at > 0 && own.startsWith(words[place] ?? '') && name[at - 1] === words[place - 1])

const isName = (fields: readonly ComparedField[], typed: readonly string[]): boolean =>
  fields.some(({ bit, words }) => (bit & NAMES) !== 0 && isSame(words, typed))

/** Whether a candidate contains the spelling's PO box or house number, if there is one, or a range with the house number. Some company names contain house numbers. */
const hasNumber = (fields: readonly ComparedField[], { boxNumber, houseNumber }: Spelling): boolean => {
  if (boxNumber === null && houseNumber === null) return true
  for (const { bit, words } of fields) {
    if (boxNumber === null) {
      const number = houseNumber as string
      const isAddress = (bit & ADDRESSES) !== 0
      if (isAddress ? hasHouseNumber(number, words) || isWithinRange(number, words) : words.includes(number))
        return true
    } else if ((bit & ADDRESSES) !== 0 && findBoxNumber(words) === boxNumber) return true
  }
  return false
}

/** The field that contains most of a word, weighted; -1 when no field contains any of it. */
const chooseField = (
  similarity: Float64Array,
  fields: readonly ComparedField[],
  index: number,
  allowed: number,
): number => {
  let chosen = -1
  let chosenValue = 0
  for (let f = 0; f < fields.length; f++) {
    const { bit, weight } = fields[f] as ComparedField
    if ((allowed & bit) === 0) continue
    const found = similarity[index * fields.length + f] ?? 0
    const value = found * found * weight
    if (value > chosenValue) {
      chosen = f
      chosenValue = value
    }
  }
  return chosen
}
