import { isHouseNumber, isStreetSuffix, standardizeWord } from './address'
import type { SearchRequest } from './query'
import { trigramsOf } from './trigrams'

/** A reading of the query: its words (`index`), and each word's share of it. */
export interface Reading {
  spelling: readonly string[]
  words: { index: number; share: number }[]
  /** Factor for the text score: a corrected reading is worth less than a typed one. */
  worth: number
  /** Its words, if they differ from the typed ones. */
  correction: readonly string[] | null
}

export interface Readings {
  /** The distinct words of all readings, as trigrams. */
  trigrams: number[][]
  readings: Reading[]
  /** The house numbers among those words. */
  houseNumbers: { index: number; number: string }[]
}

const CORRECTION_PENALTY = 0.06
/** Minimum digits of a house number: shorter ones are similar to too many others. */
const MIN_DIGITS = 3

/** The query's words as typed, normalized as names and as addresses, and corrected. The reading that fits a candidate best counts. */
export const createReadings = (request: SearchRequest): Readings => {
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
        first !== undefined && number.length >= MIN_DIGITS && isHouseNumber(number)
          ? [{ index: first.index, number }]
          : [],
      )
  return { trigrams, readings, houseNumbers: [...new Map(houseNumbers.map((one) => [one.index, one])).values()] }
}

/**
 * The address with its final suffix treated as complete: "862 oak street" is most likely finished. Only a second
 * reading, because it may still become "862 oak streetside".
 */
export const completeSuffix = ({ addressWords, beginsWithHouseNumber }: SearchRequest): readonly string[] => {
  const last = addressWords.at(-1) ?? ''
  if (!beginsWithHouseNumber || addressWords.length < 3 || !isStreetSuffix(last)) return addressWords
  return [...addressWords.slice(0, -1), standardizeWord(last)]
}
