import { isOrdinal, isStreetSuffix, standardizeWord } from './address'
import { splitAddress } from './text'

/** The streets of an intersection. `isSure`: the text says so. Otherwise they may also be two names: "main and vassar". */
export interface Crossing {
  streets: readonly [first: string, second: string]
  isSure: boolean
}

const CORNER_OF = /^\s*(?:the )?(?:corner|intersection) of\s+/i
const BETWEEN_STREETS = /\s+(?:and|at)\s+|\s*[&@/]\s*/i
const MAX_WORDS = 4

/** Null: the text is no intersection. "main st & vassar st" is one, and "smith john & mary" only if all words are streets. */
export const findCrossing = (text: string): Crossing | null => {
  const [first = '', second = '', ...others] = text.replace(CORNER_OF, '').split(BETWEEN_STREETS).map(dropCity)
  const streets = [first, second].map(splitAddress)
  if (others.length > 0 || !streets.every(mayBeStreet)) return null
  return { streets: [first, second], isSure: CORNER_OF.test(text) || streets.every(isWrittenAsStreet) }
}

/** "vassar st, cambridge" → "vassar st". A street that is still being typed stays. */
const dropCity = (street: string): string => {
  const words = splitAddress(street)
  const suffix = words.findLastIndex((word, place) => place > 0 && isStreetSuffix(word))
  return suffix < 0 || suffix === words.length - 1 ? street : `${words.slice(0, suffix + 1).join(' ')} `
}

/** It has no house number. */
const mayBeStreet = (words: readonly string[]): boolean =>
  words.length > 0 && words.length <= MAX_WORDS && words.every((word) => !/^\d/.test(word) || isOrdinal(word))

const isWrittenAsStreet = (words: readonly string[]): boolean => {
  const last = words.at(-1) ?? ''
  return words.length > 1 && (isStreetSuffix(last) || isOrdinal(standardizeWord(last)))
}
