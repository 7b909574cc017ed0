import { isDirectional, isStreetSuffix, lastOfRange } from '../../query/address'
import { fold, splitAddress } from '../../query/text'

/** A house number. "74-92" has the base 74 and reaches to 92; "314R" has the base 314; "N123W456" is its own base. */
export interface HouseNumber {
  /** As written, in lower case. Empty: the address has no number. */
  text: string
  /** Its first digits. */
  base: string
  /** The last number of a range: 1298 of "1296-98". Null: it is not a range, such as "42-15" in Queens. */
  last: number | null
}

const NO_NUMBER: HouseNumber = { text: '', base: '', last: null }
const NUMBER = /^\s*(\d+(?:\.\d+)?(?:[\s-]?[a-z])?(?:\s?-\s?\d+[a-z]?)?(?:\s+\d\/\d)?)(?=[\s,]|$)/i
/** Wisconsin: "N7234", "W180 N1234". */
const GRID_NUMBER = /^\s*([nsew]\d{2,5}(?:\s?[nsew]\d{2,5})?)(?=\s+\S)/i

/** Takes the house number from the beginning of an address. */
export const readNumber = (text: string): { number: HouseNumber; after: string } => {
  const grid = GRID_NUMBER.exec(text)
  if (grid !== null) {
    const base = fold(grid[1] ?? '').replaceAll(' ', '')
    return { number: { text: base, base, last: null }, after: text.slice(grid[0].length) }
  }
  const found = NUMBER.exec(text)
  if (found === null) return { number: NO_NUMBER, after: text }
  const after = text.slice(found[0].length)
  const written = fold(found[1] ?? '')
    .replace(/\s*-\s*/, '-')
    .replace(/-(?=[a-z]$)/, '')
    .replace(/\s+1\/2/, '.5')
    .trim()
  // "100 e main st" has a direction and "100 b st" a street's name, but "100 b main st" is number 100b.
  const spaced = /^(\d+) ([a-z])$/.exec(written)
  const [next = '', ...others] = splitAddress(after)
  const isSuffixNext = isStreetSuffix(next) && !others.some(isStreetSuffix)
  const isStreetLetter = isSuffixNext || isDirectional(spaced?.[2] ?? '') || next === ''
  if (spaced !== null && isStreetLetter) return { number: numberOf(spaced[1] ?? ''), after: ` ${spaced[2]}${after}` }
  // "6 th ave" and "1 st": a number with nothing after it is not a house number.
  if (after.trim() === '') return { number: NO_NUMBER, after: text }
  return { number: numberOf(written), after }
}

const numberOf = (spaced: string): HouseNumber => {
  const written = spaced.replace(/^(\d+) (?=[a-z]$)/, '$1')
  const base = /^\d+/.exec(written)?.[0].replace(/^0+(?=\d)/, '') ?? ''
  return { text: written.replace(/^0+(?=\d)/, ''), base, last: lastOfRange(base, /-(\d+)/.exec(written)?.[1] ?? '') }
}
