import { expandWord, isDirectional, isStreetSuffix, standardizeWord } from '../query/address'
import { splitAddress } from '../query/text'
import { spellOrdinal } from './address/ordinals'
import type { RowQuery } from './row-query'

/** How an index finds the parcels that match a row exactly. */
export interface Probe {
  /** The id without punctuation (`parcel_key` of the database). */
  idKey: string | null
  /** Patterns of LIKE for the address: its house number and a word of its street, in all spellings. At most three. */
  addressPatterns: readonly string[]
}

/** Shorter words have too few trigrams. */
const MIN_WORD = 4

export const probeOf = ({ idSpellings, address, row }: RowQuery): Probe => {
  const number = address?.number
  const isPlain = number !== undefined && number.text === number.base && /^\d+$/.test(number.base)
  return {
    idKey: idSpellings?.[0] ?? null,
    addressPatterns: isPlain ? spellStreet(row.address ?? '').map((word) => `${number.base} %${word}%`) : [],
  }
}

/** The spellings of one word of a street name. Empty: each word is too short or has several spellings. */
const spellStreet = (address: string): string[] => {
  const [line = ''] = address.split(',')
  const words = splitAddress(line).slice(1)
  const ordinal = words.map((word) => spellOrdinal(standardizeWord(word))).find((spelled) => spelled !== null)
  if (ordinal !== undefined) return ordinal
  // The first long word belongs to the street. A word after it may belong to a city.
  const word = words.find((one) => one.length >= MIN_WORD && /^[a-z]+$/.test(one) && isOneSpelling(one))
  return word === undefined ? [] : [word]
}

/** "north", "saint" and "main street" have several spellings, "main" has one. */
const isOneSpelling = (word: string): boolean =>
  standardizeWord(word) === word && expandWord(word) === word && !isStreetSuffix(word) && !isDirectional(word)
