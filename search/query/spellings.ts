import {
  findBoxNumber,
  isDirectional,
  isHouseNumber,
  isInitialAndName,
  isOrdinal,
  isStreet,
  isStreetSuffix,
  standardizeWord,
} from './address'
import type { SearchRequest, WordStatus } from './query'
import { isNameForm, standardizeName } from './text'
import { trigramsOf } from './trigrams'
import type { Wording } from './wording'

/** One spelling of the query. */
export interface Spelling {
  words: readonly string[]
  /** False: the last word is still being typed. */
  lastWordDone: boolean
  /** For each word, its index among the compared words, and its share of the spelling's trigrams. */
  compared: { index: number; share: number }[]
  beginsWithHouseNumber: boolean
  /** It begins with a direction or ends with a street's suffix. */
  isStreet: boolean
  /** The place of the street's suffix among the words: at the end, or before a direction or a place. Null: there is none. */
  suffixPlace: number | null
  /** Its words are far more often a street than a name. */
  isStreetName: boolean
  /** The number of a PO box, which only addresses have. */
  boxNumber: string | null
  /** The house number that it begins with. */
  houseNumber: string | null
  /** It is one street of an intersection. */
  isStreetOfCrossing: boolean
  /** Factor for the text score: a corrected spelling is worth less than a typed one. */
  worth: number
  /** The words as a person would write them, if this spelling is a correction. */
  correction: readonly string[] | null
}

/** The spellings of a query, and the distinct words in them, which are compared once each. */
export interface Spellings {
  /** The trigrams of each compared word. */
  trigrams: number[][]
  /** What is known of each compared word, as in `wordStatus` of the request. */
  statuses: (WordStatus | undefined)[]
  spellings: Spelling[]
  /** The house numbers among the compared words. */
  houseNumbers: { index: number; number: string }[]
}

const CORRECTION_PENALTY = 0.06
const MIN_WORTH = 0.5

/**
 * The spellings of the query and of its other wordings: as typed, normalized as names and as addresses, and corrected. The spelling that fits
 * a candidate best counts.
 */
export const createSpellings = (request: SearchRequest): Spellings => {
  const indexByWord = new Map<string, number>()
  const trigrams: number[][] = []
  const statuses: (WordStatus | undefined)[] = []
  /** The index of a word among the compared words. */
  const compareWord = (word: string, done: boolean): number => {
    const key = `${word}${done ? ' ' : ''}`
    const index = indexByWord.get(key)
    if (index !== undefined) return index
    indexByWord.set(key, trigrams.length)
    statuses.push(request.wordStatus.get(word))
    return trigrams.push(trigramsOf(word, done)) - 1
  }
  const spellings = listWordings(request).map(({ cost, ...wording }): Spelling => {
    const { words, typed, lastWordDone, beginsWithHouseNumber } = wording
    const boxNumber = findBoxNumber(words)
    const mayHaveInitials = !beginsWithHouseNumber && words.length > 1 && (!isStreet(words) || isInitialAndName(words))
    const indexes = words.map((word, place) => {
      const isInitial = mayHaveInitials && /^\p{L}$/u.test(word)
      // The number of a PO box is complete: box 12 is not the beginning of box 120.
      return compareWord(word, !isInitial && (lastWordDone || place < words.length - 1 || boxNumber !== null))
    })
    const sizeOf = (index: number) => trigrams[index]?.length ?? 0
    // As typed: as a name, "c st se" is "c saint se".
    const suffixPlace = findSuffixPlace(typed.length === words.length ? typed : words)
    const total = indexes.reduce((sum, index) => sum + sizeOf(index), 0)
    return {
      ...wording,
      compared: indexes.map((index) => ({ index, share: sizeOf(index) / total })),
      isStreet: isStreet(words) || suffixPlace !== null,
      suffixPlace,
      isStreetName: request.isStreetName && wording.correction === null,
      boxNumber,
      houseNumber: beginsWithHouseNumber ? (words[0] ?? null) : null,
      worth: Math.max(MIN_WORTH, 1 - CORRECTION_PENALTY * Math.max(0, cost)),
    }
  })
  const houseNumbers = spellings.flatMap(
    ({ beginsWithHouseNumber, words: [number = '', next = ''], compared: [first], worth }) => {
      // Nothing is near a house number with a hyphen that nobody typed.
      const isParted = worth < 1 && /^\d+$/.test(next)
      return beginsWithHouseNumber && first !== undefined && isHouseNumber(number) && !isParted
        ? [{ index: first.index, number }]
        : []
    },
  )
  return {
    trigrams,
    statuses,
    spellings,
    houseNumbers: [...new Map(houseNumbers.map((one) => [one.index, one])).values()],
  }
}

/** Suffixes that are hardly ever words of names or cities. */
const SUFFIXES_BEFORE_PLACE: ReadonlySet<string> = new Set(
  'ave avenue blvd boulevard cir circle ct dr drive ln lane pkwy parkway pl rd road ter terrace'.split(' '),
)

const findSuffixPlace = (words: readonly string[]): number | null => {
  const last = words.length - (isDirectional(words.at(-1) ?? '') ? 2 : 1)
  if (last > 0 && isStreetSuffix(words[last] ?? '')) return last
  const place = words.findIndex((word, at) => at > 0 && SUFFIXES_BEFORE_PLACE.has(word))
  return place < 0 ? null : place
}

/** The distinct words to compare. A typed spelling replaces an equal correction. */
const listWordings = (request: SearchRequest) => {
  const corrected = request.corrections.map(({ words, cost, unshortened = words }) => ({
    words,
    typed: words,
    lastWordDone: request.lastWordDone,
    beginsWithHouseNumber: words.length > 1 && isHouseNumber(words[0] ?? ''),
    isStreetOfCrossing: false,
    cost: cost + request.cost,
    correction: unshortened,
  }))
  const typed = [...request.otherWordings, request].flatMap((wording) =>
    [wording.words, wording.nameWords, completeForm(wording), wording.addressWords, completeStreet(wording)].map(
      (words) => ({
        words,
        typed: wording.words,
        lastWordDone: wording.lastWordDone,
        beginsWithHouseNumber: wording.beginsWithHouseNumber,
        isStreetOfCrossing: wording.isStreetOfCrossing === true,
        cost: wording.cost,
        correction: null,
      }),
    ),
  )
  const distinct = new Map(
    [...corrected, ...typed].map((one) => [`${one.words.join(' ')}${one.lastWordDone ? ' ' : ''}`, one]),
  )
  return [...distinct.values()]
}

/**
 * The address or street with its final suffix, ordinal, or direction after a suffix or number treated as complete: "862 oak street", "oak street",
 * "862 second", "862 oak st north" and "900 south" are most likely finished. It is compared in addition to the typed words, because the text may
 * still become "862 oak streetside".
 */
export const completeStreet = ({ addressWords, beginsWithHouseNumber }: Wording): readonly string[] => {
  const last = addressWords.at(-1) ?? ''
  const isSuffix = addressWords.length >= (beginsWithHouseNumber ? 3 : 2) && isStreetSuffix(last)
  const standard = standardizeWord(last)
  const before = addressWords.at(-2) ?? ''
  const isDirection = isDirectional(last) && (isStreetSuffix(before) || /^\d+$/.test(before))
  return isSuffix || isDirection || isOrdinal(standard) ? [...addressWords.slice(0, -1), standard] : addressWords
}

/** The name with its last word treated as complete: "acme l.l.c." may still become "acme l.l. cole". */
export const completeForm = ({ nameWords }: Wording): readonly string[] =>
  isNameForm(nameWords.at(-1) ?? '') ? standardizeName(nameWords) : nameWords
