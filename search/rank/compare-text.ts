import { isHouseNumber } from '../query/address'
import type { Reading, Readings } from '../query/readings'
import { eachTrigram, TRIGRAM_SPACE } from '../query/trigrams'
import { editDistance } from '../query/vocabulary'
import type { ComparedField, RankField } from './compared-fields'

const COVERAGE_POWER = 2.5
const COMPACTNESS_SHARE = 0.15
/** The similarity of a house number that differs from the typed one in one digit: by trigrams, numbers that differ in more digits would be as similar. */
const NEAR_NUMBER_SIMILARITY = 0.7

/**
 * A reading whose words are in the name and in an address explains the query worse than one whose words are in one of them: by these
 * factors for a query that begins with a house number, for one that is written like a street, and for others.
 */
const SCATTERED_WORTH = { house: 0.7, street: 0.75, other: 0.88 } as const

/** A postal address with another house number is worth less, so that the mailing address that has all of it comes first. */
const OTHER_HOUSE_WORTH = 0.55

/** The fields that belong together. The others are a place, which goes with each of them. */
const WHOLES: readonly (readonly RankField[])[] = [['name', 'nameNormalized', 'agent'], ['address'], ['mailing']]

/** The best reading, and the fields that it uses, as bits. Null: no word matches. */
export interface ChosenReading {
  text: number
  coverage: number
  reading: Reading | null
  allowed: number
}

/**
 * How well a query matches a candidate. Each word goes to the field that has most of its trigrams (weighted);
 * `coverage` is the share of the query's trigrams found that way. The text score is the mean weight of the matched fields,
 * by share, times a power of the coverage (so that a candidate with the whole query ranks above one with half
 * of it in a heavier field), times the share of those fields that the query covers. The first two fields are two spellings
 * of one name: a reading uses one of them. A reading that scatters the query over a name and addresses is worth less, and is
 * compared with readings that use one of them.
 */
export const compareText = (readings: Readings, fields: readonly ComparedField[]): ChosenReading =>
  chooseReading(readings, fields, measureFields(readings, fields))

/** Where a word was found. In no field: `field` is null, similarity and weight are 0. */
export interface FieldMatch {
  field: RankField | null
  /** Share of the word's trigrams in the field, 0 to 1. */
  similarity: number
  weight: number
}

/** The same in more detail, slower: the best reading, and where each word was found. Null: no word matches. */
export const matchWords = (
  readings: Readings,
  fields: readonly ComparedField[],
): { reading: Reading; text: number; matches: FieldMatch[] } | null => {
  const measures = measureFields(readings, fields)
  const { reading, text, allowed } = chooseReading(readings, fields, measures)
  if (reading === null) return null
  const matches = reading.words.map(({ index }) => {
    const f = chooseField(measures.similarity, fields, index, allowed)
    const { field, weight } = fields[f] ?? { field: null, weight: 0 }
    return { field, similarity: f < 0 ? 0 : (measures.similarity[index * fields.length + f] ?? 0), weight }
  })
  return { reading, text, matches }
}

interface Measures {
  /** Distinct trigrams of each field. */
  sizes: number[]
  /** Share of each word's trigrams in each field: `word * fields.length + field`. */
  similarity: Float64Array
}

/** The field in which each trigram was last seen: scratch memory of `measureFields`, valid only within a call. */
const seenIn = new Int32Array(TRIGRAM_SPACE)
let mark = 0

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
  // The marks increase slowly, but a service runs for a long time.
  if (mark > 2 ** 30) {
    seenIn.fill(0)
    mark = 0
  }
  return { sizes, similarity }
}

const chooseReading = (
  { trigrams, readings }: Readings,
  fields: readonly ComparedField[],
  { sizes, similarity }: Measures,
): ChosenReading => {
  const [name, normalized] = fields
  const all = (1 << fields.length) - 1
  const spellings =
    name !== undefined && isSame(name.words, normalized?.words ?? []) ? [all & ~2] : [all & ~2, all & ~1]
  const wholes = WHOLES.map((names) => bitsOf(fields, names))
  const places = all & ~wholes.reduce((bits, whole) => bits | whole, 0)
  let best: ChosenReading = { text: 0, coverage: 0, reading: null, allowed: all & ~2 }
  const matched = new Float64Array(fields.length)

  /** Compares one reading with some of the fields. Returns those that have one of its words. */
  const compare = (reading: Reading, allowed: number): number => {
    let coverage = 0
    let weighted = 0
    let found = 0
    let isOtherHouse = reading.isPostal
    matched.fill(0)
    for (const [place, { index, share }] of reading.words.entries()) {
      const chosen = chooseField(similarity, fields, index, allowed)
      if (chosen < 0) continue
      const similar = similarity[index * fields.length + chosen] ?? 0
      if (place === 0 && similar === 1) isOtherHouse = false
      coverage += share * similar
      weighted += share * similar * (fields[chosen]?.weight ?? 0)
      matched[chosen] = (matched[chosen] ?? 0) + similar * (trigrams[index]?.length ?? 0)
      found |= 1 << chosen
    }
    if (coverage === 0) return 0
    let used = 0
    let filled = 0
    for (let f = 0; f < fields.length; f++) {
      if (matched[f] === 0) continue
      used += sizes[f] ?? 0
      filled += Math.min(matched[f] ?? 0, sizes[f] ?? 0)
    }
    const compactness = COMPACTNESS_SHARE * (filled / used) + (1 - COMPACTNESS_SHARE)
    const isScattered = wholes.filter((whole) => (found & whole) !== 0).length > 1
    const { beginsWithHouseNumber, isStreet } = reading
    const worth = reading.worth * (isOtherHouse ? OTHER_HOUSE_WORTH : 1)
    const whole = isScattered ? SCATTERED_WORTH[beginsWithHouseNumber ? 'house' : isStreet ? 'street' : 'other'] : 1
    const text = Math.min(3, (weighted / coverage) * coverage ** COVERAGE_POWER * compactness * worth * whole)
    // A house number and a name are no address, so the search goes on. "ada juniper alder st" is an owner and a street.
    if (text > best.text)
      best = { text, coverage: coverage * worth * (beginsWithHouseNumber ? whole : 1), reading, allowed }
    return isScattered ? found : 0
  }

  const addresses = bitsOf(fields, ['address', 'mailing'])
  for (const reading of readings) {
    if (reading.isPoBox) {
      compare(reading, addresses)
      continue
    }
    for (const allowed of spellings) {
      const scattered = compare(reading, allowed)
      if (scattered === 0) continue
      for (const whole of wholes) if ((scattered & whole) !== 0) compare(reading, allowed & (whole | places))
    }
  }
  return best
}

const bitsOf = (fields: readonly ComparedField[], names: readonly RankField[]): number =>
  fields.reduce((bits, { field }, f) => (names.includes(field) ? bits | (1 << f) : bits), 0)

/** The field that has most of a word, weighted; -1 when no field has any of it. */
const chooseField = (
  similarity: Float64Array,
  fields: readonly ComparedField[],
  index: number,
  allowed: number,
): number => {
  let chosen = -1
  let chosenValue = 0
  for (let f = 0; f < fields.length; f++) {
    if ((allowed & (1 << f)) === 0) continue
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
