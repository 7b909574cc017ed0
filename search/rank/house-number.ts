import { isHouseNumber, isUnit, lastOfRange } from '../query/address'
import { editDistance } from '../query/edit-distance'

/** Of a range that contains the number: the house is most likely part of it. An address that has the number itself comes first. */
const WITHIN_SIMILARITY = 0.95
/** Of the next house, and of one whose number differs in one digit: the caller is about as likely to mean either. */
const NEAR_NUMBER_SIMILARITY = 0.69
/** Added by distance, so that of equally similar numbers the nearer one comes first. */
const NEARER_SIMILARITY = 0.05
/** Numbers that differ by this much are half as similar as the next ones. */
const HALF_DISTANCE = 100
/** Of the longer number. Shorter ones differ in one digit from too many others. */
const MIN_DIGITS = 3

/**
 * How similar a house number is to that of an address which does not have it, 0 to 1. Houses with a near number are in the same
 * place. By trigrams, 6039 would be more similar to 60 than 62 is. Null: the address does not begin with a number.
 */
export const compareHouseNumbers = (typed: string, address: readonly string[]): number | null => {
  const [own = '', end = ''] = address
  if (!isHouseNumber(own)) return null
  if (isWithinRange(typed, address)) return WITHIN_SIMILARITY
  const nearness = 1 / (1 + distanceOf(Number.parseInt(typed, 10), own, end) / HALF_DISTANCE)
  const isOneAway = Math.max(typed.length, own.length) >= MIN_DIGITS && editDistance(typed, own, 1) === 1
  return NEAR_NUMBER_SIMILARITY * (isOneAway ? 1 : nearness) + NEARER_SIMILARITY * nearness
}

/** Whether an address has a number, and not only as that of a unit: "242 MAIN ST UNIT 10" is no house 10. */
export const hasHouseNumber = (number: string, address: readonly string[]): boolean =>
  address.some((word, place) => word === number && !isUnit(address[place - 1] ?? ''))

/** Whether the address begins with a range that contains the number, on the same side of the street: "804-830 MAIN ST" and "804-30 MAIN ST" have 812. */
export const isWithinRange = (typed: string, [own = '', end = '']: readonly string[]): boolean => {
  if (!isWholeNumber(end) || !isWholeNumber(own) || !isWholeNumber(typed)) return false
  const [number, first, last] = [Number(typed), Number(own), lastOfRange(own, end)]
  if (last === null || number <= first || number > last) return false
  const isOneSided = (last - first) % 2 === 0
  return !isOneSided || (number - first) % 2 === 0
}

/** 0 if the number is between those of a range, on either side of the street. */
const distanceOf = (typed: number, own: string, end: string): number => {
  const first = Number.parseInt(own, 10)
  const last = (isWholeNumber(own) && isWholeNumber(end) ? lastOfRange(own, end) : null) ?? first
  return Math.max(first - typed, typed - last, 0)
}

const isWholeNumber = (word: string): boolean => /^\d+$/.test(word)
