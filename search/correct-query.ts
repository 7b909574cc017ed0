import { standardizeWord } from './address'
import { type Correction, correctWords } from './correct'
import type { SearchRequest } from './query'
import type { Vocabulary } from './vocabulary'

/**
 * Other ways to read a query, best first: its words spelled as the vocabulary has them, as names are compared or, with a house number,
 * as addresses are; and, where all is doubted, its house number with two digits swapped.
 */
export const correctQuery = (
  request: SearchRequest,
  vocabulary: Vocabulary,
  options: { limit: number; doubtAll: boolean },
): Correction[] => {
  const { nameWords, addressWords, lastWordDone, beginsWithHouseNumber } = request
  if (!beginsWithHouseNumber) return correctWords(nameWords, lastWordDone, vocabulary, options).flatMap(standardizeToo)
  const swapped = !options.doubtAll || addressWords.length < 3 ? [] : swapDigits(addressWords[0] ?? '')
  const corrected = correctWords(addressWords, lastWordDone, vocabulary, options)
  return [
    ...corrected.map(({ words, cost }) => ({ words: words.map(standardizeWord), cost })),
    ...swapped.map((number) => ({ words: [number, ...addressWords.slice(1)], cost: SWAPPED_DIGITS_COST })),
  ]
}

const SWAPPED_DIGITS_COST = 1.5

/** A correction and, where Publication 28 has other words for it, those too: it may be of an address. */
const standardizeToo = (correction: Correction): Correction[] => {
  const words = correction.words.map(standardizeWord)
  return words.some((word, place) => word !== correction.words[place])
    ? [correction, { words, cost: correction.cost }]
    : [correction]
}

/** "365" → "635", "356". */
const swapDigits = (number: string): string[] =>
  [...number].flatMap((digit, at) => {
    const before = number[at - 1]
    if (before === undefined || before === digit || !/\d\d/.test(before + digit)) return []
    return [number.slice(0, at - 1) + digit + before + number.slice(at + 1)]
  })
