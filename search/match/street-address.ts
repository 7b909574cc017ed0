import { expandWord, isDirectional, isHouseNumber, isStreetSuffix, isZip, standardizeWord } from '../query/address'
import { editDistance } from '../query/edit-distance'
import { findStateByCode, findStateByName } from '../query/states'
import { fold, splitAddress } from '../query/text'

/** A house number. "74-92" has the base 74 and reaches to 92; "314R" has the base 314; "N123W456" is its own base. */
export interface HouseNumber {
  /** As written, in lower case. Empty: the address has no number. */
  text: string
  /** Its first digits. */
  base: string
  /** The last number of a range: 1298 of "1296-98". Null: it is not a range, such as "42-15" in Queens. */
  last: number | null
}

/** One reading of the words after the house number. */
export interface Street {
  /** The words of the name without spaces. "6th" and "6" are "sixth", and "21st" is "21". */
  name: string
  /** The direction before the name, then the one after it. Empty: none. */
  direction: string
  suffix: string
  postDirection: string
  /** Words after the street, except unit, state and ZIP code: most likely a city. */
  rest: readonly string[]
}

/** An address in parts. All texts are folded and in the form of Publication 28. */
export interface StreetAddress {
  number: HouseNumber
  /** The likeliest reading first. Never empty. */
  streets: readonly Street[]
  /** Without the designator: "apt 4b" is "4b". Empty: none. */
  unit: string
  /** The ZIP code in the address itself. Empty: none. */
  zip: string
  state: string
}

const NO_NUMBER: HouseNumber = { text: '', base: '', last: null }
const NUMBER = /^\s*(\d+(?:\.\d+)?(?:[\s-]?[a-z])?(?:\s?-\s?\d+[a-z]?)?(?:\s+\d\/\d)?)(?=[\s,]|$)/i
/** Wisconsin: "N7234", "W180 N1234". */
const GRID_NUMBER = /^\s*([nsew]\d{2,5}(?:\s?[nsew]\d{2,5})?)(?=\s+\S)/i
const UNIT_DESIGNATORS: ReadonlySet<string> = new Set(['unit', 'bldg', 'fl', 'dept', 'ph', 'hngr', 'lot', 'trlr'])
/** A door without a designator: "4", "4b", "b4". A ZIP code has five digits. */
const DOOR = /^(?:\d{1,4}[a-z]{0,2}|[a-z]{1,2}\d{1,3}|[a-z])$/
const ORDINAL = /^(\d+)(?:st|nd|rd|th)$/
/** Ordinals by their number. They are spelled out, because words can be misspelled. */
const ORDINALS = ' first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'.split(' ')
/** Longer names are cut: no street has more words. */
const MAX_WORDS = 12

/** Splits an address into its parts. `hasCity`: the city may be in it, without a comma. Null: no words are left. */
export const readAddress = (text: string, hasCity: boolean): StreetAddress | null => {
  const { number, after } = readNumber(text)
  const comma = after.indexOf(',')
  const line = comma < 0 ? after : after.slice(0, comma)
  const words = splitAddress(line).map(standardizeWord).slice(0, MAX_WORDS)
  const place = comma < 0 ? [] : splitAddress(after.slice(comma + 1)).map(standardizeWord)
  const { unit: unitOfPlace, others: placeWords } = takeUnit(place, 0)
  const { zip, state, others: located } = takeZipAndState(placeWords, 'place')
  const own = comma < 0 ? takeZipAndState(words, hasCity ? 'line' : 'street') : { zip: '', state: '', others: words }
  const { unit, others } = takeUnit(own.others, 1)
  if (others.length === 0) return null
  const streets = listStreets(others, comma >= 0 || !hasCity)
  const door = unit === '' && unitOfPlace === '' ? (streets[0]?.door ?? '') : ''
  return {
    number,
    streets: streets.map(({ door: _, rest, ...street }) => ({ ...street, rest: [...rest, ...located] })),
    unit: unit || unitOfPlace || door,
    zip: own.zip || zip,
    state: own.state || state,
  }
}

const readNumber = (text: string): { number: HouseNumber; after: string } => {
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
  return { text: written.replace(/^0+(?=\d)/, ''), base, last: lastOf(base, /-(\d+)/.exec(written)?.[1] ?? '') }
}

const lastOf = (base: string, written: string): number | null => {
  const last = written.length < base.length ? base.slice(0, base.length - written.length) + written : written
  return written !== '' && Number(last) > Number(base) ? Number(last) : null
}

/**
 * Removes "97006", "or 97006" and "oregon" from the end of the words after the street's comma (`place`), or of a whole address
 * (`line`). From a `street`, it removes only a ZIP code.
 */
const takeZipAndState = (
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

/** Removes "unit 4b" and "bldg 2 unit 4" from the words from `least` on. The other words stay in order. */
const takeUnit = (words: readonly string[], least: number): { unit: string; others: string[] } => {
  const unit: string[] = []
  const others: string[] = []
  for (let place = 0; place < words.length; place++) {
    const word = words[place] ?? ''
    const next = words[place + 1]
    const isUnit =
      place >= least && UNIT_DESIGNATORS.has(word) && next !== undefined && (DOOR.test(next) || /\d/.test(next))
    if (word === 'unit' && next === 'unit') continue
    if (!isUnit) others.push(word)
    else {
      unit.push(next)
      place++
    }
  }
  return { unit: unit.map((part) => part.replace(/^0+(?=.)/, '')).join('-'), others }
}

type Reading = Street & { door: string }

/** The readings of the words of a street. `isLineAlone`: no city can follow it. */
const listStreets = (words: readonly string[], isLineAlone: boolean): Reading[] => {
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
    if (isLineAlone && words.slice(at + 1).every((one) => isDirectional(one) || DOOR.test(one))) break
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

const SUFFIX_NAMES =
  'street avenue road drive lane court place boulevard circle terrace parkway highway square trail loop'.split(' ')
const SHORT_SUFFIXES = 'st ave rd dr ln ct pl cir ter blvd pkwy hwy'.split(' ')

/** Whether a word may be a misspelled suffix: "stret", "avenus", "dt". "sol" and "b" are names. */
const isMisspelledSuffix = (word: string): boolean =>
  /^\p{L}{2,}$/u.test(word) &&
  ((word.length <= 4 &&
    SHORT_SUFFIXES.some((suffix) => suffix[0] === word[0] && editDistance(word, suffix, 1) === 1)) ||
    (word.length > 3 &&
      SUFFIX_NAMES.some((name) => editDistance(word, name, name.length < 6 ? 1 : 2) <= 2 - Number(name.length < 6))))

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
const findNumberedRoad = (words: readonly string[], from: number): NumberedRoad | null => {
  const [first = '', second = '', third = ''] = words.slice(from)
  const road =
    ROAD_CLASSES.get(first) ??
    (second !== '' && isLike(first, 'county') ? 'county' : isLike(first, 'state') ? 'state' : undefined)
  const isNumber = (word: string) => ROAD_NUMBER.test(word) || (road === 'county' && /^[a-z]{1,2}$/.test(word))
  const found =
    road !== undefined && isRoadWord(second) && isNumber(third)
      ? { road, number: third, end: from + 3 }
      : isRoadWord(first) && ROAD_NUMBER.test(second)
        ? { road: '', number: second, end: from + 2 }
        : ROAD_ABBREVIATIONS.has(first) && ROAD_NUMBER.test(second)
          ? { road: ROAD_ABBREVIATIONS.get(first) ?? '', number: second, end: from + 2 }
          : null
  if (found === null) return null
  return ROAD_WORDS.has(words[found.end] ?? '') ? { ...found, end: found.end + 1 } : found
}

const isLike = (word: string, name: string): boolean => word.length > 3 && editDistance(word, name, 1) <= 1

const isRoadWord = (word: string): boolean =>
  ROAD_WORDS.has(word) || (word.length > 3 && ['road', 'highway', 'route'].some((name) => isLike(word, name)))

/** Its name is the number, and its suffix is the class. */
const readNumberedRoad = (
  words: readonly string[],
  direction: string,
  { road, number, end }: NumberedRoad,
): Reading => {
  const hasPost = isDirectional(words[end] ?? '')
  const next = hasPost ? end + 1 : end
  const [door = ''] = words.slice(next)
  const hasDoor = DOOR.test(door)
  return {
    name: `${ROAD_MARK}${number}`,
    direction,
    suffix: road,
    postDirection: hasPost ? (words[end] ?? '') : '',
    rest: words.slice(hasDoor ? next + 1 : next),
    door: hasDoor ? door.replace(/^0+(?=.)/, '') : '',
  }
}

/** Prefix for the names of numbered roads. No word contains it. */
const ROAD_MARK = '#'

export const isNumberedRoad = ({ name }: Street): boolean => name.startsWith(ROAD_MARK)

const takeDirection = (words: readonly string[]): { direction: string; from: number } => {
  const [first = '', second = ''] = words
  if (!isDirectional(first) || words.length < 2) return { direction: '', from: 0 }
  if (/^[ns]$/.test(first) && /^[ew]$/.test(second) && words.length > 2) return { direction: first + second, from: 2 }
  // "n st" is a street named N.
  return words.length === 2 && isStreetSuffix(second) ? { direction: '', from: 0 } : { direction: first, from: 1 }
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
  const [door = ''] = words.slice(next)
  const hasDoor = suffix !== '' && DOOR.test(door)
  if (hasDoor) next++
  return {
    name: words.slice(from, end).map(writeNameWord).join(''),
    direction,
    suffix,
    postDirection,
    rest: words.slice(next),
    door: hasDoor ? door.replace(/^0+(?=.)/, '') : '',
  }
}

const writeNameWord = (word: string): string => {
  const number = ORDINAL.exec(word)?.[1] ?? (/^\d+$/.test(word) ? word : null)
  return number === null ? expandWord(word) : (ORDINALS[Number(number)] ?? number)
}

/** How "3rd" is written in addresses, as patterns: "3rd", "3", "third". Null: the word is not an ordinal. */
export const spellOrdinal = (standard: string): string[] | null => {
  const number = ORDINAL.exec(standard)?.[1]
  if (number === undefined) return null
  const written = ORDINALS[Number(number)]
  return [standard, ` ${number} `, ...(written === undefined ? [] : [written])]
}

/** Whether a text is written like a street address: a house number, and a word with letters or a direction after it. */
export const looksLikeAddress = (text: string): boolean => {
  const [first = '', ...others] = splitAddress(text)
  if (!isHouseNumber(first)) return false
  // "1234 n 500 w"
  return others.some(
    (word) => /^\p{L}{2,}$/u.test(word) || ORDINAL.test(word) || (isDirectional(word) && others.length > 1),
  )
}
