import { isDirectional } from '../../query/address'
import { isLike } from './misspellings'
import type { Reading, Street } from './street'
import { takeDoor } from './unit'

/** The classes of numbered roads, and how they are written before "road" or "highway". */
const ROAD_CLASSES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    county: 'county co cnty',
    state: 'state st',
    us: 'us',
    township: 'township twp',
    old: 'old',
  }).flatMap(([road, spellings]) => spellings.split(' ').map((word) => [word, road] as const)),
)
/** Written before the number alone. */
const ROAD_ABBREVIATIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    cr: 'county',
    csah: 'county',
    sr: 'state',
    sh: 'state',
    us: 'us',
    fm: 'fm',
    rm: 'fm',
    i: 'us',
    ih: 'us',
  }),
)
const ROAD_WORDS: ReadonlySet<string> = new Set(['rd', 'hwy', 'rte'])
const ROAD_NUMBER = /^\d+[a-z]?$/

interface NumberedRoad {
  /** "county", "state", "us", or empty if unknown. */
  road: string
  number: string
  /** The first word after it. */
  end: number
}

/** "county rd 12", "cr 12", "st hwy 99", "hwy 99", "fm 1960 rd", "county rd b". Publication 28, Appendix F. */
export const findNumberedRoad = (words: readonly string[], from: number): NumberedRoad | null => {
  const found = findClassAndNumber(words, from)
  if (found === null) return null
  return ROAD_WORDS.has(words[found.end] ?? '') ? { ...found, end: found.end + 1 } : found
}

const findClassAndNumber = (words: readonly string[], from: number): NumberedRoad | null => {
  const [first = '', second = '', third = ''] = words.slice(from)
  const road = findRoadClass(first, second)
  const isNumber = ROAD_NUMBER.test(third) || (road === 'county' && /^[a-z]{1,2}$/.test(third))
  if (road !== undefined && isRoadWord(second) && isNumber) return { road, number: third, end: from + 3 }
  if (!ROAD_NUMBER.test(second)) return null
  const abbreviated = isRoadWord(first) ? '' : ROAD_ABBREVIATIONS.get(first)
  return abbreviated === undefined ? null : { road: abbreviated, number: second, end: from + 2 }
}

/** The class that a word names, perhaps misspelled. */
const findRoadClass = (word: string, next: string): string | undefined => {
  const road = ROAD_CLASSES.get(word)
  if (road !== undefined) return road
  if (next !== '' && isLike(word, 'county')) return 'county'
  return isLike(word, 'state') ? 'state' : undefined
}

const isRoadWord = (word: string): boolean =>
  ROAD_WORDS.has(word) || (word.length > 3 && ['road', 'highway', 'route'].some((name) => isLike(word, name)))

/** Its name is the number, and its suffix is the class. */
export const readNumberedRoad = (
  words: readonly string[],
  direction: string,
  { road, number, end }: NumberedRoad,
): Reading => {
  const hasPost = isDirectional(words[end] ?? '')
  const { door, rest } = takeDoor(words.slice(hasPost ? end + 1 : end))
  const postDirection = hasPost ? (words[end] ?? '') : ''
  return { name: `${ROAD_MARK}${number}`, direction, suffix: road, postDirection, rest, door }
}

/** Prefix for the names of numbered roads. No word contains it. */
const ROAD_MARK = '#'

export const isNumberedRoad = ({ name }: Street): boolean => name.startsWith(ROAD_MARK)
