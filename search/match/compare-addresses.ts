import { isStreetSuffix } from '../query/address'
import { editDistance } from '../query/edit-distance'
import type { HouseNumber } from './address/house-number'
import { isNumberedRoad } from './address/numbered-roads'
import type { Street } from './address/street'

/**
 * The cost of each difference between two addresses. If the sum exceeds the limit in decide.ts, the addresses differ. A part that the
 * list omits costs less than the margin of a tie, because either parcel may be meant. A part that the parcel lacks costs more than both
 * together.
 */
const COST = {
  nameTypo: 0.08,
  shortNameTypo: 0.12,
  nameTwoTypos: 0.16,
  shortNameTwoTypos: 0.22,
  lacksSuffix: 0.03,
  addsSuffix: 0.095,
  otherSuffix: 0.1,
  lacksDirection: 0.04,
  addsDirection: 0.095,
  movedDirection: 0.02,
  lacksUnit: 0.03,
  addsUnit: 0.095,
  startOfRange: 0.06,
  endOfRange: 0.06,
  withinRange: 0.1,
  lacksLetter: 0.1,
  unknownWord: 0.06,
  extraSuffix: 0.2,
} as const

/** Lower costs are for parts that the list omits. */
export const LEAST_CONTRADICTION = 0.05

/** Maximum number of unknown words after the street that are charged. They may be the city. */
const MAX_UNKNOWN_WORDS = 2

/** The cost of a difference between two street names: equal, or one or two typos. */
export const nameCost = (distance: number, length: number): number => {
  if (distance === 0) return 0
  if (distance === 1) return length >= 6 ? COST.nameTypo : COST.shortNameTypo
  return length >= 9 ? COST.nameTwoTypos : COST.shortNameTwoTypos
}

/** How many typos a street name of this length can have. */
export const typosOf = (length: number): 0 | 1 | 2 => (length < 4 ? 0 : length < 7 ? 1 : 2)

/** Null: they are different houses. */
export const compareNumbers = (asked: HouseNumber, theirs: HouseNumber): number | null => {
  if (asked.text === theirs.text) return 0
  if (asked.base === '' || theirs.base === '') return null
  const [from, to] = [Number(theirs.base), theirs.last ?? Number(theirs.base)]
  const number = Number(asked.base)
  if (asked.base === theirs.base) {
    if (asked.last === null && theirs.last !== null) return COST.startOfRange
    if (asked.last !== null && theirs.last === null) return COST.startOfRange
    // 70 and 70.5 are different houses, and so are 42 and 42-15 in Queens.
    if (/[.-]/.test(asked.text) || /[.-]/.test(theirs.text))
      return asked.last !== null && asked.last === theirs.last ? 0 : null
    // "314" and "314r", but not "314a" and "314r".
    return asked.text === asked.base || theirs.text === theirs.base ? COST.lacksLetter : null
  }
  if (theirs.last === null || asked.last !== null || number > to || number < from) return null
  if (number === to) return COST.endOfRange
  return number % 2 === from % 2 ? COST.withinRange : null
}

/** Compares everything in two streets except their names. Null: they are different streets. */
export const compareStreets = (asked: Street, theirs: Street): number | null => {
  const suffix = compareSuffixes(asked, theirs)
  const direction = compareDirections(asked, theirs)
  if (suffix === null || direction === null) return null
  // "w b street" is not "avenue b".
  return asked.name.length === 1 && suffix === COST.otherSuffix && direction > 0 ? null : suffix + direction
}

const compareSuffixes = (asked: Street, theirs: Street): number | null => {
  if (asked.suffix === theirs.suffix) return 0
  if (asked.suffix === '') return COST.lacksSuffix
  if (theirs.suffix === '') return COST.addsSuffix
  // County road 12 and state highway 12 are different roads.
  return isNumberedRoad(asked) ? null : COST.otherSuffix
}

const compareDirections = (asked: Street, theirs: Street): number | null => {
  const [before, after] = [asked.direction, asked.postDirection]
  const [theirBefore, theirAfter] = [theirs.direction, theirs.postDirection]
  if (before === theirBefore && after === theirAfter) return 0
  const [ours, other] = [before + after, theirBefore + theirAfter]
  if (ours === '') return COST.lacksDirection
  if (other === '') return COST.addsDirection
  if (ours === other) return COST.movedDirection
  // "1234 n 500 w" has two directions, and each must agree.
  if (before !== '' && theirBefore !== '' && before !== theirBefore) return null
  if (after !== '' && theirAfter !== '' && after !== theirAfter) return null
  const isPart = (part: string, whole: string) => part === whole || part === ''
  if (isPart(before, theirBefore) && isPart(after, theirAfter)) return COST.lacksDirection
  if (isPart(theirBefore, before) && isPart(theirAfter, after)) return COST.addsDirection
  return null
}

/** Null: they are different units. */
export const compareUnits = (asked: string, theirs: string): number | null => {
  if (asked === theirs) return 0
  if (asked === '') return COST.lacksUnit
  if (theirs === '') return COST.addsUnit
  return null
}

/** The cost of words after the street that are not the parcel's city. With a suffix among them, it is another street: "pearl street place". */
export const costOfWords = (unknown: readonly string[]): number =>
  Math.min(unknown.length, MAX_UNKNOWN_WORDS) * COST.unknownWord + (unknown.some(isStreetSuffix) ? COST.extraSuffix : 0)

const digitsOf = (text: string): string => text.replace(/\D+/g, '')

/** The typos between two names of streets. Null: they are different streets. */
export const distanceOfNames = (asked: string, theirs: string): number | null => {
  if (asked === theirs) return 0
  const most = Math.min(typosOf(asked.length), typosOf(theirs.length))
  if (most === 0 || (/\d/.test(asked + theirs) && digitsOf(asked) !== digitsOf(theirs))) return null
  const distance = editDistance(asked, theirs, most)
  return distance > most ? null : distance
}
