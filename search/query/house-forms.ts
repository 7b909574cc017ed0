import { isDirectional, isHouseNumber, isOrdinal, isStreetSuffix, isUnit, writeOrdinals } from './address'
import { splitAddress } from './text'

/*
 * Other forms of a house number and its street: a number that is parted from its letter ("12-A oak st"), a number in words, and an address
 * within a longer text.
 */

/** A letter that is no direction: "12 e oak st" is 12 East Oak Street. */
const LETTER = '[a-df-mo-rt-vx-z]'
const PARTED = new RegExp(`^\\s*(\\d+)\\s+(${LETTER})[\\s,]+(?=\\p{L}{2}|\\d)(.*)$`, 'isu')
const HYPHENATED = /^\s*(\d+)\s*-\s*([a-z])[\s,]+(\S.*)$/is
const LETTER_LAST = new RegExp(`^\\s*(\\d+)\\s+(.*\\S)[\\s,]+(${LETTER})\\s*$`, 'is')
const REAR = /^\s*(\d+)\s*-?\s*rear\b(?: of)?[\s,]+(\S.*)$/is
const REAR_LAST = /^\s*(\d+)\s+(.*[^\s,(])[\s,(]+rear\)?\s*$/is

/** "12 a st" is on A Street, and "12 a park st" on Park Street. */
const isOnStreetOfLetter = (street: string): boolean => {
  const [first = '', second = ''] = splitAddress(street)
  return isStreetSuffix(first) && !isStreetSuffix(second)
}

/**
 * An address with its letter at the house number, where many rolls have it: "12-a oak st", "12 a oak st" and "12 oak st a" → "12a oak st";
 * "12 rear oak st" and "12 oak st rear" → "12r oak st". Null: there is no such letter.
 */
export const joinHouseLetter = (text: string): string | null => {
  const [, number, letter, street = ''] = HYPHENATED.exec(text) ?? PARTED.exec(text) ?? []
  if (number !== undefined) return isOnStreetOfLetter(street) ? null : `${number}${letter} ${street}`
  const [, ofRear, behind] = REAR.exec(text) ?? REAR_LAST.exec(text) ?? []
  if (ofRear !== undefined) return `${ofRear}r ${behind}`
  const [, first, named = '', last] = LETTER_LAST.exec(text) ?? []
  return first !== undefined && isStreetSuffix(splitAddress(named).at(-1) ?? '') ? `${first}${last} ${named} ` : null
}

const JOINED = /^\s*(\d{4,6})[\s,]+(?=\S)(.*)$/s

/**
 * An address with the hyphen that house numbers have in Queens ("35-12 82ND ST") and in Hawaii ("91-1234 OAK ST"), and that people leave out: "3512 82nd
 * st" → "35-12 82nd st". The block has two or three digits, and the house two to four.
 */
export const listHyphenated = (text: string): string[] => {
  const [, number = '', street = ''] = JOINED.exec(text) ?? []
  const places = { 4: [2], 5: [3, 2], 6: [2] }[number.length] ?? []
  return places.map((place) => `${number.slice(0, place)}-${number.slice(place)} ${street}`)
}

const PARTED_GRID = /^\s*([nsew])\s?(\d+)[\s,-]*([nsew])\s?(\d+)[\s,]+(?=\p{L})(.*)$/isu

/** A house number of a grid, as in Wisconsin, in one word: "n 56 w 12345 oak st" → "n56w12345 oak st". Null: there is none. */
export const joinGridNumber = (text: string): string | null => {
  const [, ...parts] = PARTED_GRID.exec(text) ?? []
  const street = parts.pop()
  return street === undefined ? null : `${parts.join('')} ${street}`
}

/** A street's name has at most this many words. */
const MAX_STREET_WORDS = 5

/** The place after the last word of a street that begins at `start`. Null: the words from there on are no street with a suffix. */
const findEndOfStreet = (words: readonly string[], start: number): number | null => {
  const name = start + (isDirectional(words[start] ?? '') ? 1 : 0)
  const isWord = (place: number) =>
    place < words.length && (!/^\d/.test(words[place] ?? '') || isOrdinal(words[place] ?? ''))
  if (!isWord(name)) return null
  for (let place = name + 1; place < name + MAX_STREET_WORDS && isWord(place); place++) {
    if (!isStreetSuffix(words[place] ?? '')) continue
    let end = place + 1
    // "town center dr", "oak st se"
    while (isStreetSuffix(words[end] ?? '')) end++
    return isDirectional(words[end] ?? '') ? end + 1 : end
  }
  return null
}

/** The first address with a street's suffix in a longer text: "i sold 12 oak st, salem" → "12 oak st", with its unit. Null: there is none, or it begins the text. */
export const findAddressWithin = (text: string): string | null => {
  if (!/\D\d/.test(text.trimStart())) return null
  const words = splitAddress(text)
  for (let place = 0; place < words.length - 2; place++) {
    if (!isHouseNumber(words[place] ?? '')) continue
    // "12-16 oak st"
    const isRange = /^\d+$/.test(words[place + 1] ?? '')
    const end = findEndOfStreet(words, place + 1) ?? (isRange ? findEndOfStreet(words, place + 2) : null)
    if (end === null) continue
    const hasUnit = isUnit(words[end] ?? '') && /\d|^\p{L}$/u.test(words[end + 1] ?? '')
    return place === 0 ? null : words.slice(place, hasUnit ? end + 2 : end).join(' ')
  }
  return null
}

const ONES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
const TEENS = [
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
]
const TENS = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const NUMBERS = new Map<string, number>([
  ...ONES.map((word, index) => [word, index + 1] as const),
  ...TEENS.map((word, index) => [word, index + 10] as const),
  ...TENS.map((word, index) => [word, 10 * index + 20] as const),
])

/** The number below 100 at a place of the text, and the number of its words. Null: there is none. */
const readBelowHundred = (words: readonly string[], start: number): { value: number; used: number } | null => {
  const value = NUMBERS.get(words[start] ?? '')
  if (value === undefined) return null
  const ones = NUMBERS.get(words[start + 1] ?? '') ?? 10
  return value >= 20 && ones < 10 ? { value: value + ones, used: 2 } : { value, used: 1 }
}

/** "three hundred (and) twenty five", "twelve hundred", "two thousand": what follows the first number. */
const readMultiple = (
  words: readonly string[],
  value: number,
  start: number,
): { value: number; used: number } | null => {
  const [unit, least] = words[start] === 'hundred' ? [100, 1] : words[start] === 'thousand' ? [1000, 1] : [0, 0]
  if (least === 0) return null
  const next = start + (words[start + 1] === 'and' ? 2 : 1)
  const rest = readBelowHundred(words, next)
  if (rest === null) return { value: value * unit, used: start + 1 }
  const hundreds = unit === 1000 && rest.value < 10 ? readMultiple(words, rest.value, next + rest.used) : null
  return { value: value * unit + (hundreds?.value ?? rest.value), used: hundreds?.used ?? next + rest.used }
}

/**
 * An address whose house number is in words, as people say it, with the number in digits: "forty two oak st" → "42 oak st", "twelve thirty four
 * oak st" → "1234 oak st". Null: the text does not begin with a number in words, or no street with a suffix follows.
 */
export const writeHouseNumber = (text: string): string | null => {
  const [said = ''] = /[a-z]+/i.exec(text) ?? []
  if (!NUMBERS.has(said.toLowerCase())) return null
  const words = splitAddress(writeOrdinals(text))
  const first = readBelowHundred(words, 0)
  if (first === null) return null
  const multiple = readMultiple(words, first.value, first.used)
  const zero = words[first.used] === 'oh' || words[first.used] === 'zero' ? 1 : 0
  const second = multiple === null ? readBelowHundred(words, first.used + zero) : null
  const isPair = second !== null && (zero === 1 ? second.value < 10 : second.value >= 10)
  const { value, used } =
    multiple ?? (isPair ? { value: 100 * first.value + second.value, used: first.used + zero + second.used } : first)
  return findEndOfStreet(words, used) === null ? null : [value, ...words.slice(used)].join(' ')
}
