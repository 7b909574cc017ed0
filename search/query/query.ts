import { hasParcelsOnly, type ParcelFilter } from '../../core/parcel-filter'
import { type Cursor, hashKey } from '../cursor'
import { isDirectional, isHouseNumber, isStreetSuffix, standardizeWord } from './address'
import type { Correction } from './correct'
import { findStateByCode, findStateByName } from './states'
import { fold, normalizeName, parcelKey, splitAddress, splitWords } from './text'

export const SEARCH_TYPES = ['parcels', 'entities'] as const
export type SearchType = (typeof SEARCH_TYPES)[number]

/** A validated search request: `q` has 2 characters, `lat` and `lon` appear together. */
export interface SearchParams {
  q: string
  limit: number
  types: readonly SearchType[]
  /** Of entities it filters the jurisdiction, by `state`. With a condition that only parcels can meet, no entity is searched. */
  filter: ParcelFilter
  lat: number | null
  lon: number | null
  proximityKm: number
  group: 'owner' | null
  /** Where a page starts. Null or absent: with the first hit. */
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

/** A hash of everything that decides which hits there are, and their order. A cursor is valid for searches with the same hash. */
export const hashSearch = ({ q, types, filter, lat, lon, proximityKm, group }: SearchParams): string =>
  hashKey(JSON.stringify([q, types, filter, lat, lon, proximityKm, group]))

/**
 * How loosely candidates match the query. The search goes on to the next level only if the hits of the last one are weak: `strict`
 * requires every word, as typed or corrected; `relaxed` replaces or drops each word; `fuzzy` uses the engine's own typo tolerance.
 */
export const MATCH_LEVELS = ['strict', 'relaxed', 'fuzzy'] as const
export type MatchLevel = (typeof MATCH_LEVELS)[number]

/** One interpretation of a query: the filters, and the words to compare. */
export interface SearchRequest {
  /** The text to search for, without an extracted state. */
  text: string
  /** Its words, folded. The last one is still being typed unless `lastWordDone`. */
  words: readonly string[]
  lastWordDone: boolean
  /** The words in Publication 28's form and normalized as names; a word still being typed is unchanged. */
  addressWords: readonly string[]
  nameWords: readonly string[]
  /** Parcel ids, without punctuation, that the query may be: the whole query, and the query without a state. */
  parcelKeys: readonly string[]
  beginsWithHouseNumber: boolean
  /** Other spellings of the words, likeliest first; set by `correctWords` when a vocabulary is available. */
  corrections: readonly Correction[]
  matchLevel: MatchLevel
  /** Whether all candidates are wanted, for counts and later pages, not only enough for a first page. */
  isDeep: boolean
  types: readonly SearchType[]
  limit: number
  filter: ParcelFilter
  near: { lat: number; lon: number; proximityKm: number } | null
  group: 'owner' | null
}

/**
 * The readings of a query, in order: a later one is tried only when the earlier ones found nothing.
 * There is more than one when a trailing 2-letter code may be a state or a word.
 */
export const parseQuery = (params: SearchParams): SearchRequest[] => {
  const literal = createRequest(params, params.q, params.filter.state)
  if (params.filter.state !== null) return [literal]
  const tokens = params.q.split(/[\s,]+/).filter(Boolean)

  const named = findTrailingStateName(tokens)
  if (named !== null) {
    return named.rest === null ? [literal] : [createRequest(params, `${named.rest} `, named.state)]
  }
  const coded = findTrailingStateCode(tokens)
  return coded === null ? [literal] : [createRequest(params, `${coded.rest} `, coded.state), literal]
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

const createRequest = (params: SearchParams, text: string, state: string | null): SearchRequest => {
  const words = splitWords(text)
  const spelled = splitAddress(text)
  const lastWordDone = /[\s,]$/u.test(text)
  const keys = [parcelKey(params.q), parcelKey(text)].filter(Boolean)
  return {
    text: text.trim(),
    words,
    lastWordDone,
    addressWords: spelled.map((word, index) =>
      lastWordDone || index < spelled.length - 1 ? standardizeWord(word) : word,
    ),
    nameWords: nameWordsOf(text, lastWordDone),
    parcelKeys: [...new Set(keys)],
    beginsWithHouseNumber: isHouseNumber(words[0] ?? '') && words.length > 1,
    corrections: [],
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

/** "o'neil limited" → "oneil", "limited": the last word may still become "limitedbrands", so it is not shortened. */
const nameWordsOf = (text: string, lastWordDone: boolean): string[] => {
  if (lastWordDone) return normalizeName(text).split(' ').filter(Boolean)
  const end = text.search(/\S+$/u)
  const unfinished = fold(text.slice(end))
    .replace(/[.'’`]/g, '')
    .replaceAll('&', ' and ')
  return [...normalizeName(text.slice(0, end)).split(' '), ...splitWords(unfinished)].filter(Boolean)
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
