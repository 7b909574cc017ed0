import {
  dropUnits,
  endsWithZipExtension,
  isHouseNumber,
  isPoBox,
  isStreetSuffix,
  isZip,
  standardizeWord,
} from './address'
import type { Crossing } from './crossing'
import { findAddressWithin, joinGridNumber, joinHouseLetter, listHyphenated, writeHouseNumber } from './house-forms'
import { listRoadForms } from './numbered-roads'
import { isNameForm, splitAddress, splitName, splitWords, standardizeName } from './text'

/** The words of a text. */
export interface Wording {
  /** Folded. The last one is still being typed unless `lastWordDone`. */
  words: readonly string[]
  lastWordDone: boolean
  /** The words in Publication 28's form and normalized as names; a word still being typed is unchanged. */
  addressWords: readonly string[]
  nameWords: readonly string[]
  beginsWithHouseNumber: boolean
  /** The cost of what this wording adds to the query or drops. 0: the caller typed exactly this, apart from the state. */
  cost: number
  /** Searched only if the hits of the level `strict` are weak, because it rarely finds more. Candidates are always compared with it. */
  isSearchedLater?: boolean
  /** One street of an intersection: compared with addresses only. */
  isStreetOfCrossing?: boolean
}

/**
 * Whether to look for names that begin with the text. Company names that begin with a digit are skipped, because too many addresses
 * begin with a house number.
 */
export const mayBeginName = ({ words: [first = ''] }: Wording): boolean => /^\p{L}/u.test(first)

/** Splits a text into words, in each form in which they are compared. A text that ends with a blank or a comma has no word still being typed. */
export const createWording = (text: string, cost: number): Wording => {
  const spelled = dropZipExtension(splitAddress(text), text)
  // "p o box 12" is not a name with initials.
  const words = isPoBox(spelled) ? spelled : dropZipExtension(splitWords(text), text)
  const lastWordDone = /[\s,]$/u.test(text)
  return {
    words,
    lastWordDone,
    addressWords: spelled.map((word, index) =>
      lastWordDone || index < spelled.length - 1 ? standardizeWord(word) : word,
    ),
    nameWords: isPoBox(spelled) ? spelled : dropZipExtension(nameWordsOf(text, lastWordDone), text),
    beginsWithHouseNumber: isHouseNumber(words[0] ?? '') && words.length > 1,
    cost,
  }
}

/** Drops the extension, because records have only the five digits of a ZIP code. */
const dropZipExtension = (words: readonly string[], text: string): readonly string[] =>
  endsWithZipExtension(text) ? words.slice(0, -1) : words

/** A record that contains the whole postal address, as a mailing address, must rank first. */
const COST_OF_SHORTER_ADDRESS = 9

/** The cost of dropping the unit: a house whose units are no parcels is a better hit than a mailing address with the unit. */
export const COST_OF_UNIT = 3

/**
 * "12 oak st apt 3 portland 97201" without the unit, without the ZIP code, and without everything after the street: not every record has them.
 * Without a ZIP code, the words after the street may still be part of it, so the street alone is searched later.
 */
export const listShorterAddresses = ({ words, addressWords, beginsWithHouseNumber }: Wording): Wording[] => {
  if (!beginsWithHouseNumber || words.length < 4) return []
  const house = dropUnits(addressWords)
  if (house.length < addressWords.length) {
    const ofHouse = createWording(`${house.join(' ')} `, COST_OF_UNIT)
    return [ofHouse, ...listShorterAddresses(ofHouse)]
  }
  const hasZip = isZip(words.at(-1) ?? '')
  const street = words.findLastIndex((word, place) => place > 1 && isStreetSuffix(word))
  const shorten = (end: number) => createWording(`${words.slice(0, end).join(' ')} `, COST_OF_SHORTER_ADDRESS)
  return [
    ...(hasZip ? [shorten(words.length - 1)] : []),
    ...(street > 0 && street < words.length - (hasZip ? 2 : 1)
      ? [{ ...shorten(street + 1), isSearchedLater: !hasZip }]
      : []),
  ]
}

/** A parcel that has the whole text must rank first. */
const COST_OF_OTHER_HOUSE_FORM = 1

/** So much that the hits are weak if they have only a near number. */
const COST_OF_NUMBER_IN_WORDS = 3
/** A house with a number near the typed one must rank before those with only some digits of a number with a hyphen. */
const COST_OF_GUESSED_HYPHEN = 3

/**
 * The address with its letter at the house number, with its number in digits or with a hyphen, on the same road by another name, and without the
 * text around it, as far as the text has them.
 */
export const listHouseForms = (text: string): Wording[] => {
  const joined = joinHouseLetter(text)
  const later = [
    [writeHouseNumber(text), COST_OF_NUMBER_IN_WORDS],
    [findAddressWithin(text), COST_OF_SHORTER_ADDRESS],
    [joinGridNumber(text), COST_OF_OTHER_HOUSE_FORM],
    ...listHyphenated(text).map((form) => [form, COST_OF_GUESSED_HYPHEN] as const),
    ...listRoadForms(text).map((form) => [form, COST_OF_OTHER_HOUSE_FORM] as const),
  ] as const
  return [
    ...(joined === null ? [] : [createWording(joined, COST_OF_OTHER_HOUSE_FORM)]),
    ...later.flatMap(([form, cost]) =>
      form === null ? [] : [{ ...createWording(`${form} `, cost), isSearchedLater: true }],
    ),
  ]
}

/** What rolls leave out, or have instead of each other: "juniper family trust" may be "JUNIPER LIVING TRUST". */
const KINDS_OF_TRUSTS = ['living', 'revocable', 'irrevocable', 'family']
const WORDS_OF_TRUSTS = [...KINDS_OF_TRUSTS, 'trust']
const COST_OF_OTHER_TRUST = 1

/** A trust without its kind: "juniper living trust" is "juniper trust", and so is "juniper revocable l", whose last word is still being typed. */
export const listTrusts = ({ nameWords, lastWordDone }: Wording): Wording[] => {
  const words = standardizeName(nameWords)
  const isOfTrust = (word: string, place: number) =>
    WORDS_OF_TRUSTS.includes(word) ||
    (!lastWordDone && place === words.length - 1 && WORDS_OF_TRUSTS.some((other) => other.startsWith(word)))
  const end = words.findLastIndex((word, place) => !isOfTrust(word, place)) + 1
  const name = words.slice(0, end).filter((word) => !KINDS_OF_TRUSTS.includes(word))
  const ofTrust = words.slice(end)
  // "the juniper family" are people.
  const isTrust = ofTrust.some((word) => word !== 'family' && WORDS_OF_TRUSTS.includes(word))
  const hasKind = words.some((word) => KINDS_OF_TRUSTS.includes(word))
  return name.length > 0 && isTrust && hasKind
    ? [{ ...createWording(`${name.join(' ')} trust `, COST_OF_OTHER_TRUST), isSearchedLater: true }]
    : []
}

/** A parcel is on one of the streets. One with both in its address must rank first. */
const COST_OF_ONE_STREET = 3

/** The streets of an intersection, each alone. */
export const listCrossing = ({ streets: [first, second] }: Crossing): Wording[] =>
  [`${first} `, second].map((street) => ({ ...createWording(street, COST_OF_ONE_STREET), isStreetOfCrossing: true }))

/**
 * "o'neil limited" → "oneil", "limited": the last word may still become "limitedbrands", so it is not shortened, nor are words before it
 * that may be one form with it: "limited liability company".
 */
const nameWordsOf = (text: string, lastWordDone: boolean): readonly string[] => {
  const words = splitName(text)
  if (lastWordDone) return standardizeName(words)
  const end = words.findLastIndex((word) => !isNameForm(word)) + 1
  const finished = Math.min(end, words.length - 1)
  return [...standardizeName(words.slice(0, finished)), ...words.slice(finished)]
}
