import { isDirectional, isStreetSuffix } from '../../query/address'

/** The direction at the beginning of a street, and the first word after it. */
export const takeDirection = (words: readonly string[]): { direction: string; from: number } => {
  const [first = '', second = ''] = words
  if (!isDirectional(first) || words.length < 2) return { direction: '', from: 0 }
  if (/^[ns]$/.test(first) && /^[ew]$/.test(second) && words.length > 2) return { direction: first + second, from: 2 }
  // "n st" is a street named N.
  return words.length === 2 && isStreetSuffix(second) ? { direction: '', from: 0 } : { direction: first, from: 1 }
}
