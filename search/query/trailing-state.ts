import { isDirectional, isHouseNumber, isStreetSuffix, isZipCode } from './address'
import { findStateByCode, findStateByName } from './states'

/** The words of a query as typed, without the blanks and commas between them. */
export const listTokens = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)

const COUNTRY = /[\s,]+(?:usa|u\.s\.(?:a\.?)?|united states(?: of america)?)\s*$/i

/** An address or a place in a state without the country after it, which no record has: "12 oak st, salem, or, usa". */
export const dropCountry = (q: string): string => {
  const place = q.replace(COUNTRY, '')
  if (place === q) return q
  const tokens = listTokens(place)
  const isAddress = tokens.length > 2 && isHouseNumber(tokens[0] ?? '')
  return isAddress || findTrailingState(tokens) !== null ? place : q
}

/** The state at the end of a query, or before its ZIP code. Null if too little remains. */
export const findTrailingState = (
  tokens: readonly string[],
): { state: string; rest: string; isName: boolean } | null => {
  const hasZip = tokens.length > 2 && isZipCode(tokens.at(-1) ?? '')
  const zip = hasZip ? [tokens.at(-1) ?? ''] : []
  const others = hasZip ? tokens.slice(0, -1) : tokens
  const name = findTrailingStateName(others)
  const found = name ?? findTrailingStateCode(others)
  if (found === null || found.rest === null) return null
  return { state: found.state, rest: [found.rest, ...zip].join(' '), isName: name !== null }
}

/** The longest state name of one to three words at the end of the query. `rest` is null when too little remains. */
const findTrailingStateName = (tokens: readonly string[]): { state: string; rest: string | null } | null => {
  for (const count of [3, 2, 1]) {
    if (tokens.length < count) continue
    const name = tokens
      .slice(-count)
      .map((token) => token.replaceAll('.', ''))
      .join(' ')
    const state = findStateByName(name)
    if (state === null) continue
    const rest = tokens.slice(0, -count).join(' ')
    return { state, rest: isLongEnough(rest) ? rest : null }
  }
  return null
}

const findTrailingStateCode = (tokens: readonly string[]): { state: string; rest: string } | null => {
  const last = tokens.at(-1) ?? ''
  const state = last.length === 2 ? findStateByCode(last) : null
  const rest = tokens.slice(0, -1).join(' ')
  if (state === null || !isLongEnough(rest) || isSuffixOfStreet(tokens)) return null
  return { state, rest }
}

const isLongEnough = (text: string): boolean => [...text].length >= 2

/** State codes that are also street suffixes: Court, Key, Mount. */
const CODES_THAT_END_STREETS = new Set(['ct', 'ky', 'mt'])

/**
 * "123 oak ct" is a court; "123 oak st ct" and "123 oak st hartford ct" are in Connecticut, because their street already has a
 * suffix. The first word of a street's name is never its suffix: "100 lake ct".
 */
const isSuffixOfStreet = (tokens: readonly string[]): boolean => {
  const words = tokens.map((token) => token.toLowerCase().replace(/[^\p{L}\p{N}-]/gu, ''))
  const [first = '', ...others] = words
  const last = others.pop() ?? ''
  if (!CODES_THAT_END_STREETS.has(last) || !isHouseNumber(first)) return false
  const street = others.length > 1 && isDirectional(others[0] ?? '') ? others.slice(1) : others
  return street.length > 0 && !street.slice(1).some(isStreetSuffix)
}
