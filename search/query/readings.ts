import { isHouseNumber, isStreetSuffix, standardizeWord } from './address'
import type { SearchRequest } from './query'
import { trigramsOf } from './trigrams'

/** A way to read the query: which of its words (`index`) make it up, and what part of it each is. */
export interface Reading {
  spelling: readonly string[]
  words: { index: number; share: number }[]
  /** What the text part keeps: a reading with other letters than those typed is worth less. */
  worth: number
  /** Its words, when they are not those typed. */
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
/** Of a house number: shorter ones are near too many others. */
const LEAST_DIGITS = 3

/** The query's words as they are, as names are compared and as addresses are, and as they may be meant: the reading that fits a candidate best counts. */
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
        first !== undefined && number.length >= LEAST_DIGITS && isHouseNumber(number)
          ? [{ index: first.index, number }]
          : [],
      )
  return { trigrams, readings, houseNumbers: [...new Map(houseNumbers.map((one) => [one.index, one])).values()] }
}

/**
 * The address when its last word is a suffix already, spelled out: "862 oak street" is most likely complete. Only a second
 * reading: it may still become "862 oak streetside".
 */
export const completeSuffix = ({ addressWords, beginsWithHouseNumber }: SearchRequest): readonly string[] => {
  const last = addressWords.at(-1) ?? ''
  if (!beginsWithHouseNumber || addressWords.length < 3 || !isStreetSuffix(last)) return addressWords
  return [...addressWords.slice(0, -1), standardizeWord(last)]
}
