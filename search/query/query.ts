import { hasParcelsOnly, type ParcelFilter } from '../../core/parcels/filter'
import { type Cursor, hashKey } from '../cursor'
import { isHouseNumber } from './address'
import type { Correction } from './correct'
import { findCrossing } from './crossing'
import { spellOutPeople } from './honored-people'
import { dropIdLabels, listIdsWithin, looksLikeId, spellId } from './parcel-id'
import { dropSurroundingWords, moveNumberFirst, moveUnitLast } from './surrounding-words'
import { parcelKey } from './text'
import { dropCountry, findTrailingState, listTokens } from './trailing-state'
import { createWording, listCrossing, listHouseForms, listShorterAddresses, listTrusts, type Wording } from './wording'

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

/**
 * A hash of everything that decides the hits and their order. A cursor is valid for searches with the same hash. It names a reading by its
 * position, so a version of the service that reads the query in another way rejects it: the page would be empty, or of other hits.
 */
export const hashSearch = (params: SearchParams, readings: readonly SearchRequest[] = parseQuery(params)): string => {
  const { q, types, filter, lat, lon, proximityKm, group } = params
  const read = readings.map(({ text, filter: { state } }) => [text, state])
  return hashKey(JSON.stringify([q, types, filter, lat, lon, proximityKm, group, read]))
}

/**
 * How loosely candidates match the query. The search goes to the next level only if the hits of the last one are weak: `strict`
 * requires every word, as typed or corrected; `relaxed` replaces or drops each word; `fuzzy` uses the engine's own typo tolerance.
 */
export const MATCH_LEVELS = ['strict', 'relaxed', 'fuzzy'] as const
export type MatchLevel = (typeof MATCH_LEVELS)[number]

export type WordStatus = 'known' | 'unknown'

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
  /**
   * Whether some record has a word of the query or of a correction (`known`), or none has it or a word that begins with it (`unknown`). Other
   * words may be either. Empty if the query has no unknown word, or no known one. Set together with the corrections.
   */
  wordStatus: ReadonlyMap<string, WordStatus>
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
  const params = { ...asked, q: simplify(asked.q) }
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

/** "½" and its like, which phones write for "1/2". */
const FRACTION = /[\u00bc-\u00be\u2150-\u215e]/g

/** Text with the wide letters and digits of East Asian keyboards as ordinary ones, and fractions as records have them: "25½" is "25 1/2". */
const simplify = (text: string): string =>
  text
    .replace(FULL_WIDTH, (wide) => String.fromCharCode(wide.charCodeAt(0) - FULL_WIDTH_OFFSET))
    .replace(FRACTION, (fraction) => ` ${fraction.normalize('NFKC').replace('\u2044', '/')}`)

const wordingsOf = ({
  words,
  lastWordDone,
  addressWords,
  nameWords,
  beginsWithHouseNumber,
  cost,
}: Wording): Wording[] => [{ words, lastWordDone, addressWords, nameWords, beginsWithHouseNumber, cost }]

/** The cost of reading "525 oregon" as number 525 in Oregon. */
const COST_OF_NUMBER_ALONE = 2
/** The cost of dropping words around the query that records may contain, and of writing a person's name in another way. */
const COST_OF_OTHER_WORDS = 0.5

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
    // The letters before an id may be a label that no table has.
    ...(unlabelled === null && (!looksLikeId(text) || /^\s*[a-z]{3}/i.test(text)) ? listIdsWithin(params.q) : []),
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
    wordStatus: new Map(),
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
