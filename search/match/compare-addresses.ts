import { isStreetSuffix } from '../query/address'
import type { HouseNumber, Street } from './street-address'

/** What each difference between two addresses costs. A sum above the limit of match-list.ts means two addresses. */
const COST = {
  nameTypo: 0.08,
  shortNameTypo: 0.12,
  nameTwoTypos: 0.16,
  shortNameTwoTypos: 0.22,
  lacksSuffix: 0.03,
  otherSuffix: 0.07,
  lacksDirection: 0.04,
  movedDirection: 0.02,
  lacksUnit: 0.03,
  extraUnit: 0.05,
  startOfRange: 0.06,
  endOfRange: 0.06,
  withinRange: 0.1,
  lacksLetter: 0.1,
  unknownWord: 0.06,
  extraSuffix: 0.2,
} as const

/** Words after the street that may be the city: more of them cost no more. */
const MAX_UNKNOWN_WORDS = 2

/** A difference of the names of two streets: equal, or one or two typos. */
export const nameCost = (distance: number, length: number): number => {
  if (distance === 0) return 0
  if (distance === 1) return length >= 6 ? COST.nameTypo : COST.shortNameTypo
  return length >= 9 ? COST.nameTwoTypos : COST.shortNameTwoTypos
}

/** How many typos a street's name of this length may have. */
export const typosOf = (length: number): 0 | 1 | 2 => (length < 4 ? 0 : length < 7 ? 1 : 2)

/** Null: they are two houses. */
export const compareNumbers = (asked: HouseNumber, theirs: HouseNumber): number | null => {
  if (asked.text === theirs.text) return 0
  if (asked.base === '' || theirs.base === '') return null
  const [from, to] = [Number(theirs.base), theirs.last ?? Number(theirs.base)]
  const number = Number(asked.base)
  if (asked.base === theirs.base) {
    if (asked.last === null && theirs.last !== null) return COST.startOfRange
    if (asked.last !== null && theirs.last === null) return COST.startOfRange
    // 70 and 70.5 are two houses.
    if (asked.text.includes('.') || theirs.text.includes('.')) return null
    // "314" and "314r", but not "314a" and "314r".
    if (asked.text === asked.base || theirs.text === theirs.base) return COST.lacksLetter
    return asked.last !== null && asked.last === theirs.last ? 0 : null
  }
  if (theirs.last === null || asked.last !== null || number > to || number < from) return null
  if (number === to) return COST.endOfRange
  return number % 2 === from % 2 ? COST.withinRange : null
}

/** Compares all of a street but its name. Null: they are two streets. */
export const compareStreets = (asked: Street, theirs: Street): number | null => {
  let cost = 0
  if (asked.suffix !== theirs.suffix) {
    cost += asked.suffix === '' || theirs.suffix === '' ? COST.lacksSuffix : COST.otherSuffix
  }
  const [direction, other] = [asked.direction || asked.postDirection, theirs.direction || theirs.postDirection]
  if (asked.direction === theirs.direction && asked.postDirection === theirs.postDirection) return cost
  if (direction !== '' && other !== '' && direction !== other) return null
  const hasBoth = [asked, theirs].some((street) => street.direction !== '' && street.postDirection !== '')
  return cost + (direction === other && !hasBoth ? COST.movedDirection : COST.lacksDirection)
}

/** Null: they are two units. */
export const compareUnits = (asked: string, theirs: string): number | null => {
  if (asked === theirs) return 0
  if (asked === '') return COST.lacksUnit
  if (theirs === '') return COST.extraUnit
  return null
}

/** The cost of words after the street that are not the parcel's city. With a suffix among them, it is another street: "pearl street place". */
export const costOfWords = (unknown: readonly string[]): number =>
  Math.min(unknown.length, MAX_UNKNOWN_WORDS) * COST.unknownWord + (unknown.some(isStreetSuffix) ? COST.extraSuffix : 0)
