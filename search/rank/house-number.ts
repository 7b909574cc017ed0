import { isHouseNumber } from '../query/address'
import { editDistance } from '../query/edit-distance'

/** Of the next house, and of one whose number differs in one digit: the caller is about as likely to mean either. */
const NEAR_NUMBER_SIMILARITY = 0.69
/** Added by distance, so that of equally similar numbers the nearer one comes first. */
const NEARER_SIMILARITY = 0.05
/** Numbers that differ by this much are half as similar as the next ones. */
const HALF_DISTANCE = 100
/** Of the longer number. Shorter ones differ in one digit from too many others. */
const MIN_DIGITS = 3

/**
 * How similar a house number is to that of an address which does not contain it, 0 to 1. Houses with a near number are in the same
 * place. By trigrams, 6039 would be more similar to 60 than 62 is. Null: the address does not begin with a number.
 */
export const compareHouseNumbers = (typed: string, address: readonly string[]): number | null => {
  const [own = '', end = ''] = address
  if (!isHouseNumber(own)) return null
  const nearness = 1 / (1 + distanceOf(Number.parseInt(typed, 10), own, end) / HALF_DISTANCE)
  const isOneAway = Math.max(typed.length, own.length) >= MIN_DIGITS && editDistance(typed, own, 1) === 1
  return NEAR_NUMBER_SIMILARITY * (isOneAway ? 1 : nearness) + NEARER_SIMILARITY * nearness
}

/** 0 if the number is within a range: 812 is in "804-830 MAIN ST". */
const distanceOf = (typed: number, own: string, end: string): number => {
  const first = Number.parseInt(own, 10)
  const last = isWholeNumber(end) ? Math.max(first, Number(end)) : first
  return Math.max(first - typed, typed - last, 0)
}

const isWholeNumber = (word: string): boolean => /^\d+$/.test(word)
