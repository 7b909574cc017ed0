import { isDirectional, isStreetSuffix, isZip } from '../../query/address'
import { findStateByCode, findStateByName } from '../../query/states'
import { takeDirection } from './direction'

/**
 * Removes "97006", "or 97006" and "oregon" from the end of the words after the street's comma (`place`), or of a whole address
 * (`line`). From a `street`, it removes only a ZIP code.
 */
export const takeZipAndState = (
  words: readonly string[],
  what: 'place' | 'line' | 'street',
): { zip: string; state: string; others: string[] } => {
  const others = [...words]
  if (others.at(-1) === 'usa' || others.at(-1) === 'us') others.pop()
  if (/^\d{4}$/.test(others.at(-1) ?? '') && isZip(others.at(-2) ?? '')) others.pop()
  const zip = others.length > 0 && isZip(others.at(-1) ?? '') ? (others.pop() ?? '') : ''
  if (what === 'street') return { zip, state: '', others }
  for (const count of [2, 1]) {
    const name = others.slice(-count).join(' ')
    const state = count === 1 && name.length === 2 ? findStateByCode(name) : findStateByName(name)
    if (state === null || (what === 'line' && (others.length < count + 2 || isPartOfStreet(others)))) continue
    return { zip, state, others: others.slice(0, -count) }
  }
  return { zip, state: '', others }
}

/** "oak ct" is a court and "ne town ne" in the northeast; "oak st ct" is in Connecticut. The first word of a name is never its suffix. */
const isPartOfStreet = (words: readonly string[]): boolean => {
  const last = words.at(-1) ?? ''
  const { from } = takeDirection(words)
  return (isStreetSuffix(last) || isDirectional(last)) && !words.slice(from + 1, -1).some(isStreetSuffix)
}
