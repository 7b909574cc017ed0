import { isDirectional, isStreetSuffix } from '../../query/address'
import { takeDirection } from './direction'
import { isLike, isMisspelledSuffix } from './misspellings'
import { findNumberedRoad, readNumberedRoad } from './numbered-roads'
import { writeNameWord } from './ordinals'
import type { Reading } from './street'
import { isDoor, takeDoor } from './unit'

/** The readings of the words of a street. `isLineAlone`: no city can follow it. */
export const listStreets = (words: readonly string[], isLineAlone: boolean): Reading[] => {
  const { direction, from } = takeDirection(words)
  const road = findNumberedRoad(words, from)
  if (road !== null) return [readNumberedRoad(words, direction, road)]
  // "avenue b" is "b avenue".
  if ((words[from] === 'ave' || isLike(words[from] ?? '', 'avenue')) && /^[a-z]$/.test(words[from + 1] ?? '')) {
    return listStreets([...words.slice(0, from), words[from + 1] ?? '', 'ave', ...words.slice(from + 2)], isLineAlone)
  }
  const read = (end: number, suffix: string) => createReading(words, { direction, from, end, suffix })
  const readings: Reading[] = []
  for (let at = words.length - 1; at > from; at--) {
    const word = words[at] ?? ''
    if (!isStreetSuffix(word)) continue
    readings.push(read(at, word))
    // "park ave" has its suffix at the end; "park" in "12 park ave" is a name.
    if (isLineAlone && words.slice(at + 1).every((one) => isDirectional(one) || isDoor(one))) break
  }
  const length = words.length - from
  const hasSuffix = readings.length > 0
  const isSuffixLast = isStreetSuffix(words.at(-1) ?? '')
  // "cedar falls" may lack the suffix of "cedar falls loop".
  if (!hasSuffix || isSuffixLast) readings.push(read(endOfName(words, from), ''))
  // "se pine" may lack its suffix, and "n st" has one.
  if (from === 0 && words.length === 2 && isDirectional(words[0] ?? '')) {
    readings.push(createReading(words, { direction: words[0] ?? '', from: 1, end: 2, suffix: '' }))
  }
  if (!hasSuffix && length > 1) {
    const last = read(words.length - 1, '')
    if (isMisspelledSuffix(words.at(-1) ?? '')) readings.push({ ...last, rest: [] })
    else if (!isLineAlone) readings.push(last)
    if (!isLineAlone && length > 2) readings.push(read(words.length - 2, ''))
  }
  // "100 main oak park": the last word of the city looks like a suffix.
  if (isSuffixLast && !isLineAlone && length > 2) readings.push(read(from + 1, ''))
  return readings
}

/** Where the name ends if no suffix follows it: before a direction at the end. */
const endOfName = (words: readonly string[], from: number): number =>
  words.length - from > 1 && isDirectional(words.at(-1) ?? '') ? words.length - 1 : words.length

const createReading = (
  words: readonly string[],
  { direction, from, end, suffix }: { direction: string; from: number; end: number; suffix: string },
): Reading => {
  let next = suffix === '' ? end : end + 1
  let postDirection = ''
  if (isDirectional(words[next] ?? '')) postDirection = words[next++] ?? ''
  const after = words.slice(next)
  const { door, rest } = suffix === '' ? { door: '', rest: after } : takeDoor(after)
  const name = words.slice(from, end).map(writeNameWord).join('')
  return { name, direction, suffix, postDirection, rest, door }
}
