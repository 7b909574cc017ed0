import { isHouseNumber, isPoBox, isStreet, isStreetSuffix, standardizeWord } from './address'
import type { SearchRequest, Wording } from './query'
import { isNameForm, standardizeName } from './text'
import { trigramsOf } from './trigrams'

/** A reading of the query: its words (`index`), and each word's share of it. */
export interface Reading {
  spelling: readonly string[]
  /** False: the last word is still being typed. */
  lastWordDone: boolean
  words: { index: number; share: number }[]
  beginsWithHouseNumber: boolean
  /** It begins with a direction or ends with a street's suffix. */
  isStreet: boolean
  /** It has a house number and a ZIP code. */
  isPostal: boolean
  /** Only addresses have it. */
  isPoBox: boolean
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

/**
 * The query's words as typed, normalized as names and as addresses, and corrected; and the same of its other wordings. The reading that
 * fits a candidate best counts.
 */
export const createReadings = (request: SearchRequest): Readings => {
  const corrected = request.corrections.map(({ words, cost }) => ({
    spelling: words,
    lastWordDone: request.lastWordDone,
    beginsWithHouseNumber: words.length > 1 && isHouseNumber(words[0] ?? ''),
    cost: cost + request.cost,
    correction: words,
  }))
  const typed = [...request.otherWordings, request].flatMap((wording) =>
    [wording.words, wording.nameWords, completeForm(wording), wording.addressWords, completeSuffix(wording)].map(
      (spelling) => ({
        spelling,
        lastWordDone: wording.lastWordDone,
        beginsWithHouseNumber: wording.beginsWithHouseNumber,
        cost: wording.cost,
        correction: null,
      }),
    ),
  )
  const distinct = new Map(
    [...corrected, ...typed].map((reading) => [
      `${reading.spelling.join(' ')}${reading.lastWordDone ? ' ' : ''}`,
      reading,
    ]),
  )
  const indexByWord = new Map<string, number>()
  const trigrams: number[][] = []
  const readings = [...distinct.values()].map(({ cost, ...reading }) => {
    const { spelling, lastWordDone, beginsWithHouseNumber } = reading
    const mayHaveInitials = !beginsWithHouseNumber && spelling.length > 1 && !isStreet(spelling)
    const indexes = spelling.map((word, place) => {
      const isInitial = mayHaveInitials && word.length === 1 && /\p{L}/u.test(word)
      const done = !isInitial && (lastWordDone || place < spelling.length - 1)
      const key = `${word}${done ? ' ' : ''}`
      const index = indexByWord.get(key) ?? trigrams.push(trigramsOf(word, done)) - 1
      indexByWord.set(key, index)
      return index
    })
    const total = indexes.reduce((sum, index) => sum + (trigrams[index]?.length ?? 0), 0)
    return {
      ...reading,
      isStreet: isStreet(spelling),
      isPostal: beginsWithHouseNumber && spelling.length > 3 && /^\d{5}$/.test(spelling.at(-1) ?? ''),
      isPoBox: isPoBox(spelling),
      words: indexes.map((index) => ({ index, share: (trigrams[index]?.length ?? 0) / total })),
      worth: Math.max(0.5, 1 - CORRECTION_PENALTY * Math.max(0, cost)),
    }
  })
  const houseNumbers = readings.flatMap(({ beginsWithHouseNumber, spelling: [number = ''], words: [first] }) =>
    beginsWithHouseNumber && first !== undefined && number.length >= MIN_DIGITS && isHouseNumber(number)
      ? [{ index: first.index, number }]
      : [],
  )
  return { trigrams, readings, houseNumbers: [...new Map(houseNumbers.map((one) => [one.index, one])).values()] }
}

/**
 * The address with its final suffix treated as complete: "862 oak street" is most likely finished. Only a second
 * reading, because it may still become "862 oak streetside".
 */
export const completeSuffix = ({ addressWords, beginsWithHouseNumber }: Wording): readonly string[] => {
  const last = addressWords.at(-1) ?? ''
  if (!beginsWithHouseNumber || addressWords.length < 3 || !isStreetSuffix(last)) return addressWords
  return [...addressWords.slice(0, -1), standardizeWord(last)]
}

/** The name with its last word treated as complete: "acme l.l.c." may still become "acme l.l. cole". */
export const completeForm = ({ nameWords }: Wording): readonly string[] =>
  isNameForm(nameWords.at(-1) ?? '') ? standardizeName(nameWords) : nameWords
