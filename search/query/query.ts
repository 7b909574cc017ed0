import { hasParcelsOnly, type ParcelFilter } from '../../core/parcels/filter'
import { type Cursor, hashKey } from '../cursor'
import {
  dropUnits,
  endsWithZipExtension,
  isDirectional,
  isHouseNumber,
  isPoBox,
  isStreetSuffix,
  isZip,
  isZipCode,
  standardizeWord,
} from './address'
import type { Correction } from './correct'
import { type Crossing, findCrossing } from './crossing'
import { spellOutPeople } from './honored-people'
import { findAddressWithin, joinHouseLetter, writeHouseNumber } from './house-forms'
import { dropIdLabels, listIdsWithin, looksLikeId, spellId } from './parcel-id'
import { findStateByCode, findStateByName } from './states'
import { dropSurroundingWords, moveNumberFirst, moveUnitLast } from './surrounding-words'
import { fold, isNameForm, parcelKey, splitAddress, splitName, splitWords, standardizeName } from './text'

export type SearchType = 'parcels' | 'entities'

/** A validated search request: `q` has 2 characters, `lat` and `lon` appear together. */
export interface SearchParams {
  q: string
  limit: number
  types: readonly SearchType[]
  /** For entities, `state` filters the jurisdiction. With a condition that only parcels can meet, entities are not searched. */
  filter: ParcelFilter
  lat: number | null
  lon: number | null
  proximityKm: number
  group: 'owner' | null
  /** Where the page starts. Null or absent: at the first hit. */
  after?: Cursor | null
  /** Count all hits, up to 1,000. */
  counts?: boolean
  /** Include the parts of each score. */
  explain?: boolean
  /** Include the matching texts, highlighted. */
  highlight?: boolean
  /** Include the center of each parcel. */
  center?: boolean
}

/** A hash of everything that decides the hits and their order. A cursor is valid for searches with the same hash. */
export const hashSearch = ({ q, types, filter, lat, lon, proximityKm, group }: SearchParams): string =>
  hashKey(JSON.stringify([q, types, filter, lat, lon, proximityKm, group]))

/**
 * How loosely candidates match the query. The search goes to the next level only if the hits of the last one are weak: `strict`
 * requires every word, as typed or corrected; `relaxed` replaces or drops each word; `fuzzy` uses the engine's own typo tolerance.
 */
export const MATCH_LEVELS = ['strict', 'relaxed', 'fuzzy'] as const
export type MatchLevel = (typeof MATCH_LEVELS)[number]

/** The words of a text. */
export interface Wording {
  /** Folded. The last one is still being typed unless `lastWordDone`. */
  words: readonly string[]
  lastWordDone: boolean
  /** The words in Publication 28's form and normalized as names; a word still being typed is unchanged. */
  addressWords: readonly string[]
  nameWords: readonly string[]
  beginsWithHouseNumber: boolean
  /** The cost of what this wording adds to the query or drops. 0: the caller typed exactly this, apart from the state. */
  cost: number
  /** Searched only if the hits of the level `strict` are weak, because it rarely finds more. Candidates are always compared with it. */
  isSearchedLater?: boolean
  /** One street of an intersection: compared with addresses only. */
  isStreetOfCrossing?: boolean
}

/**
 * Whether to look for names that begin with the text. Company names that begin with a digit are skipped, because too many addresses
 * begin with a house number.
 */
export const mayBeginName = ({ words: [first = ''] }: Wording): boolean => /^\p{L}/u.test(first)

/** One interpretation of a query: the filters, and the words to compare. */
export interface SearchRequest extends Wording {
  /** The text to search for, without an extracted state and without words around it ("who owns"). */
  text: string
  /** Other wordings of the query, searched together with this one. */
  otherWordings: readonly Wording[]
  /** The streets, if the query may be an intersection. They are searched only if the vocabulary says so. */
  uncertainCrossing: readonly Wording[]
  /** Parcel ids, without punctuation, that the query may be: the whole query, and the query without a state. */
  parcelKeys: readonly string[]
  /** If true, an id with different punctuation than the text is not an exact match. */
  isPunctuationExact: boolean
  /** The spellings of the id that the text may be, the one with all digits first. Empty: it does not look like an id. */
  idSpellings: readonly string[]
  /** Other spellings of the words, likeliest first; set by `correctWords` when a vocabulary is available. */
  corrections: readonly Correction[]
  /** The words are far more often a street than a name. Set together with the corrections. */
  isStreetName: boolean
  /** Owners of many parcels whose names begin with the text: the number of parcels by `ownerKey`. Set together with the corrections. */
  largeOwners: ReadonlyMap<string, number>
  /**
   * What the vocabulary knows about the last word: `unfinished`, no record has it; `complete`, no record has a longer word that begins
   * with it.
   */
  lastWord: 'unfinished' | 'complete' | 'either'
  matchLevel: MatchLevel
  /** Whether to read all candidates, for counts and later pages, and not only enough for a first page. */
  isDeep: boolean
  types: readonly SearchType[]
  limit: number
  filter: ParcelFilter
  near: { lat: number; lon: number; proximityKm: number } | null
  group: 'owner' | null
}

/**
 * The readings of a query, in order: a later one is tried only when the earlier ones found nothing. There is more than one when the
 * query ends with a state, because that word may also be part of a street or a name.
 */
export const parseQuery = (asked: SearchParams): SearchRequest[] => {
  const params = { ...asked, q: narrow(asked.q) }
  const typed = dropCountry(params.q)
  const literal = createRequest(params, typed, params.filter.state)
  if (params.filter.state !== null) return [literal]
  const located = findTrailingState(listTokens(typed))
  if (located === null) return [literal]
  // "525 oregon" may be the beginning of an address in Oregon: in the state, the whole query is searched too.
  const within = createRequest(params, `${located.rest} `, located.state)
  // A street is likelier than any house with this number in the state, or an id that begins with it. "757 massachusetts" is also likelier than
  // parcel 75-7 in Massachusetts, but not than parcel 757.
  const number = isHouseNumber(located.rest)
    ? { cost: COST_OF_NUMBER_ALONE, idSpellings: [], isPunctuationExact: located.isName }
    : {}
  return [{ ...within, ...number, otherWordings: [...within.otherWordings, ...wordingsOf(literal)] }, literal]
}

const FULL_WIDTH = /[\uff01-\uff5e]/g
const FULL_WIDTH_OFFSET = 0xfee0

/** Text with the wide letters and digits of East Asian keyboards as ordinary ones. */
const narrow = (text: string): string =>
  text.replace(FULL_WIDTH, (wide) => String.fromCharCode(wide.charCodeAt(0) - FULL_WIDTH_OFFSET))

const wordingsOf = ({
  words,
  lastWordDone,
  addressWords,
  nameWords,
  beginsWithHouseNumber,
  cost,
}: Wording): Wording[] => [{ words, lastWordDone, addressWords, nameWords, beginsWithHouseNumber, cost }]

const listTokens = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)

const COUNTRY = /[\s,]+(?:usa|u\.s\.(?:a\.?)?|united states(?: of america)?)\s*$/i

/** An address or a place in a state without the country after it, which no record has: "12 oak st, salem, or, usa". */
const dropCountry = (q: string): string => {
  const place = q.replace(COUNTRY, '')
  if (place === q) return q
  const tokens = listTokens(place)
  const isAddress = tokens.length > 2 && isHouseNumber(tokens[0] ?? '')
  return isAddress || findTrailingState(tokens) !== null ? place : q
}

/** The state at the end of a query, or before its ZIP code. Null if too little remains. */
const findTrailingState = (tokens: readonly string[]): { state: string; rest: string; isName: boolean } | null => {
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

const createWording = (text: string, cost: number): Wording => {
  const spelled = dropZipExtension(splitAddress(text), text)
  // "p o box 12" is not a name with initials.
  const words = isPoBox(spelled) ? spelled : dropZipExtension(splitWords(text), text)
  const lastWordDone = /[\s,]$/u.test(text)
  return {
    words,
    lastWordDone,
    addressWords: spelled.map((word, index) =>
      lastWordDone || index < spelled.length - 1 ? standardizeWord(word) : word,
    ),
    nameWords: isPoBox(spelled) ? spelled : dropZipExtension(nameWordsOf(text, lastWordDone), text),
    beginsWithHouseNumber: isHouseNumber(words[0] ?? '') && words.length > 1,
    cost,
  }
}

/** Drops the extension, because records have only the five digits of a ZIP code. */
const dropZipExtension = (words: readonly string[], text: string): readonly string[] =>
  endsWithZipExtension(text) ? words.slice(0, -1) : words

/** The cost of reading "525 oregon" as number 525 in Oregon. */
const COST_OF_NUMBER_ALONE = 2
/** The cost of dropping words around the query that records may contain, and of writing a person's name in another way. */
const COST_OF_OTHER_WORDS = 0.5
/** A record that contains the whole postal address, as a mailing address, must rank first. */
const COST_OF_SHORTER_ADDRESS = 9

/** The cost of dropping the unit: a house whose units are no parcels is a better hit than a mailing address with the unit. */
export const COST_OF_UNIT = 3

/**
 * "12 oak st apt 3 portland 97201" without the unit, without the ZIP code, and without everything after the street: not every record has them.
 * Without a ZIP code, the words after the street may still be part of it, so the street alone is searched later.
 */
const listShorterAddresses = ({ words, addressWords, beginsWithHouseNumber }: Wording): Wording[] => {
  if (!beginsWithHouseNumber || words.length < 4) return []
  const house = dropUnits(addressWords)
  if (house.length < addressWords.length) {
    const ofHouse = createWording(`${house.join(' ')} `, COST_OF_UNIT)
    return [ofHouse, ...listShorterAddresses(ofHouse)]
  }
  const hasZip = isZip(words.at(-1) ?? '')
  const street = words.findLastIndex((word, place) => place > 1 && isStreetSuffix(word))
  const shorten = (end: number) => createWording(`${words.slice(0, end).join(' ')} `, COST_OF_SHORTER_ADDRESS)
  return [
    ...(hasZip ? [shorten(words.length - 1)] : []),
    ...(street > 0 && street < words.length - (hasZip ? 2 : 1)
      ? [{ ...shorten(street + 1), isSearchedLater: !hasZip }]
      : []),
  ]
}

/** A parcel that has the whole text must rank first. */
const COST_OF_OTHER_HOUSE_FORM = 1

/** So much that the hits are weak if they have only a near number. */
const COST_OF_NUMBER_IN_WORDS = 3

/** The address with its letter at the house number, with its number in digits, and without the text around it. Null forms are left out. */
const listHouseForms = (text: string): Wording[] => {
  const joined = joinHouseLetter(text)
  const later = [
    [writeHouseNumber(text), COST_OF_NUMBER_IN_WORDS],
    [findAddressWithin(text), COST_OF_SHORTER_ADDRESS],
  ] as const
  return [
    ...(joined === null ? [] : [createWording(joined, COST_OF_OTHER_HOUSE_FORM)]),
    ...later.flatMap(([form, cost]) =>
      form === null ? [] : [{ ...createWording(`${form} `, cost), isSearchedLater: true }],
    ),
  ]
}

/** What rolls leave out, or have instead of each other: "juniper family trust" may be "JUNIPER LIVING TRUST". */
const KINDS_OF_TRUSTS = ['living', 'revocable', 'irrevocable', 'family']
const WORDS_OF_TRUSTS = [...KINDS_OF_TRUSTS, 'trust']
const COST_OF_OTHER_TRUST = 1

/** A trust without its kind: "juniper living trust" is "juniper trust", and so is "juniper revocable l", whose last word is still being typed. */
const listTrusts = ({ nameWords, lastWordDone }: Wording): Wording[] => {
  const words = standardizeName(nameWords)
  const isOfTrust = (word: string, place: number) =>
    WORDS_OF_TRUSTS.includes(word) ||
    (!lastWordDone && place === words.length - 1 && WORDS_OF_TRUSTS.some((other) => other.startsWith(word)))
  const end = words.findLastIndex((word, place) => !isOfTrust(word, place)) + 1
  const name = words.slice(0, end).filter((word) => !KINDS_OF_TRUSTS.includes(word))
  const ofTrust = words.slice(end)
  // "the juniper family" are people.
  const isTrust = ofTrust.some((word) => word !== 'family' && WORDS_OF_TRUSTS.includes(word))
  const hasKind = words.some((word) => KINDS_OF_TRUSTS.includes(word))
  return name.length > 0 && isTrust && hasKind
    ? [{ ...createWording(`${name.join(' ')} trust `, COST_OF_OTHER_TRUST), isSearchedLater: true }]
    : []
}

/** A parcel is on one of the streets. One with both in its address must rank first. */
const COST_OF_ONE_STREET = 3

const listCrossing = ({ streets: [first, second] }: Crossing): Wording[] =>
  [`${first} `, second].map((street) => ({ ...createWording(street, COST_OF_ONE_STREET), isStreetOfCrossing: true }))

/** "1,370 oak st", as dictation writes it. */
const THOUSANDS = /^(\s*\d{1,2}),(\d{3})(?=\s+\p{L})/u

const createRequest = (params: SearchParams, query: string, state: string | null): SearchRequest => {
  const typed = moveUnitLast(query.replace(THOUSANDS, '$1$2'))
  const unlabelled = dropIdLabels(typed)
  const core = unlabelled ?? dropSurroundingWords(typed)
  const plain = unlabelled ?? moveNumberFirst(core ?? typed)
  const [text, ...abbreviated] = spellOutPeople(plain)
  const isAsTyped = core === null && text === plain
  const wording = createWording(text, isAsTyped ? 0 : COST_OF_OTHER_WORDS)
  const crossing = findCrossing(text)
  const streets = crossing === null ? [] : listCrossing(crossing)
  const keys = [
    parcelKey(params.q),
    parcelKey(text),
    ...(unlabelled === null && !looksLikeId(text) ? listIdsWithin(params.q) : []),
  ].filter(Boolean)
  return {
    ...wording,
    text: text.trim(),
    otherWordings: [
      ...(isAsTyped ? [] : [createWording(typed, 0)]),
      ...listShorterAddresses(wording),
      ...listHouseForms(text),
      ...listTrusts(wording),
      // Records use the first abbreviation far more often than the others.
      ...abbreviated.map((other, place) => ({
        ...createWording(other, COST_OF_OTHER_WORDS),
        isSearchedLater: place > 0,
      })),
      ...(crossing?.isSure === true ? streets : []),
    ],
    uncertainCrossing: crossing?.isSure === false ? streets : [],
    parcelKeys: [...new Set(keys)],
    isPunctuationExact: false,
    idSpellings: looksLikeId(text) ? spellId(text) : [],
    corrections: [],
    isStreetName: false,
    largeOwners: new Map(),
    lastWord: 'either',
    matchLevel: 'strict',
    isDeep: params.counts === true || (params.after ?? null) !== null,
    types: hasParcelsOnly(params.filter) ? params.types.filter((type) => type === 'parcels') : params.types,
    limit: params.limit,
    filter: { ...params.filter, state },
    near:
      params.lat === null || params.lon === null
        ? null
        : { lat: params.lat, lon: params.lon, proximityKm: params.proximityKm },
    group: params.group,
  }
}

/**
 * "o'neil limited" → "oneil", "limited": the last word may still become "limitedbrands", so it is not shortened, nor are words before it
 * that may be one form with it: "limited liability company".
 */
const nameWordsOf = (text: string, lastWordDone: boolean): readonly string[] => {
  const words = splitName(text)
  if (lastWordDone) return standardizeName(words)
  const end = words.findLastIndex((word) => !isNameForm(word)) + 1
  const finished = Math.min(end, words.length - 1)
  return [...standardizeName(words.slice(0, finished)), ...words.slice(finished)]
}

/** Words of a query that were replaced: "street" by "st", "jnuiper" by "juniper". */
export interface Normalization {
  from: string
  to: string
}

/** How far to search for the next equal word: a company form is three words, a correction joins or splits two. */
const MAX_DIFFERING = 12

/** The replacements between a text and the words of a reading, in order. Dropped punctuation is not listed. */
export const listNormalizations = (text: string, words: readonly string[]): Normalization[] => {
  const typed = fold(text).match(/[\p{L}\p{N}]+|[#&]/gu) ?? []
  const normalizations: Normalization[] = []
  let [t, w] = [0, 0]
  while (t < typed.length || w < words.length) {
    if (typed[t] === words[w]) {
      t++
      w++
      continue
    }
    const [nextT, nextW] = findNextEqual(typed, t, words, w)
    normalizations.push(...pairUp(typed.slice(t, nextT), words.slice(w, nextW)))
    t = nextT
    w = nextW
  }
  return normalizations
}

/** Where two lists of words that differ at `t` and `w` are equal again. */
const findNextEqual = (
  typed: readonly string[],
  t: number,
  words: readonly string[],
  w: number,
): [t: number, w: number] => {
  for (let skipped = 1; skipped <= MAX_DIFFERING; skipped++) {
    for (let ofTyped = 0; ofTyped <= skipped; ofTyped++) {
      const [nextT, nextW] = [t + ofTyped, w + skipped - ofTyped]
      if (nextT < typed.length && nextW < words.length && typed[nextT] === words[nextW]) return [nextT, nextW]
    }
  }
  return [typed.length, words.length]
}

const pairUp = (typed: readonly string[], words: readonly string[]): Normalization[] => {
  if (words.length === 0) return []
  const letters = typed.filter((token) => token !== '#' && token !== '&')
  const from = typed.length === words.length ? typed : letters
  return from.length === words.length
    ? words.map((to, index) => ({ from: from[index] ?? '', to })).filter(({ from, to }) => from !== to)
    : [{ from: from.join(' '), to: words.join(' ') }]
}
