import { expandWord } from '../../query/address'

const ORDINAL = /^(\d+)(?:st|nd|rd|th)$/
/** Ordinals by their number. They are spelled out, because words can be misspelled. */
const ORDINALS = ' first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'.split(' ')

export const isOrdinal = (word: string): boolean => ORDINAL.test(word)

/** A word of a street's name, as names are compared. */
export const writeNameWord = (word: string): string => {
  const number = ORDINAL.exec(word)?.[1] ?? (/^\d+$/.test(word) ? word : null)
  return number === null ? expandWord(word) : (ORDINALS[Number(number)] ?? number)
}

/** How "3rd" is written in addresses, as patterns: "3rd", "3", "third". Null: the word is not an ordinal. */
export const spellOrdinal = (standard: string): string[] | null => {
  const number = ORDINAL.exec(standard)?.[1]
  if (number === undefined) return null
  const written = ORDINALS[Number(number)]
  return [standard, ` ${number} `, ...(written === undefined ? [] : [written])]
}
