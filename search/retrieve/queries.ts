import type { MultiSearchQuery } from 'meilisearch'
import { cellsAround } from '../index/cells'
import type { IndexNames } from '../index/indexes'
import { indexedId } from '../query/parcel-id'
import type { SearchRequest } from '../query/query'
import { ownerKey } from '../query/text'
import { mayBeginName } from '../query/wording'
import { createParcelFilter, type MeilisearchFilter, quote } from './parcel-filter'
import { createTexts, few, fewer, isBeginningOfName, isOnePerOwner, textsNear, textsOfEntities } from './texts'

/**
 * Candidates per text. Each document takes Meilisearch about 10 µs, so few are requested when all of them contain every word.
 */
const CANDIDATES = 40
const ALIKE_CANDIDATES = 100
/** Near a place, an owner may have many parcels, which become one entry. */
const GROUPED_CANDIDATES = 400
/** The highest `limit` of a search. A deep request reads the same candidates whatever its limit is. */
const MAX_LIMIT = 100

export interface Query extends MultiSearchQuery {
  limit: number
  /** The `q` of another query of the same index that matches everything this one matches. */
  within?: string
  /** Sent only if no query with `enough` finds that many documents, which score higher. Deep requests always send it. */
  isSpare?: boolean
  enough?: number
}

/** The queries of one request: parcels by text, the same near a place, parcels by id, entities. */
export const createQueries = (request: SearchRequest, indexes: IndexNames): Query[] => {
  const limited = request.isDeep ? { ...request, limit: MAX_LIMIT } : request
  return [
    ...(request.types.includes('parcels') ? queriesOfParcels(limited, indexes.parcels) : []),
    ...(request.types.includes('entities') ? queriesOfEntities(limited, indexes.entities) : []),
  ]
}

const queriesOfParcels = (request: SearchRequest, indexUid: string): Query[] => {
  const filter = createParcelFilter(request.filter)
  const all = { indexUid, limit: countCandidates(request), filter }
  const parcels = isOnePerOwner(request) ? { ...all, distinct: 'owner_key' } : all
  const near = nearCells(request).flatMap((cells) => {
    const isNear = `cells IN [${cells.map(quote).join(', ')}]`
    // The rings overlap, and each contributes candidates.
    return textsNear(request).map((text) => ({
      ...parcels,
      ...text,
      ...fewer(request),
      filter: [...filter, isNear],
      within: text.q,
    }))
  })
  // With `distinct`, each match takes Meilisearch 1 to 2 µs: 9 ms for two letters at 100,000 parcels, instead of 0.7 ms.
  const matching = isBeginningOfName(request) ? all : parcels
  const texts = createTexts(request).flatMap(({ nearestTo, ...text }): Query[] =>
    nearestTo === undefined ? [{ ...matching, ...text }] : nearestTwice({ ...matching, ...text, filter }, nearestTo),
  )
  const withKeys = (parcelsOf: typeof all, keys: readonly string[]): Query[] =>
    keys.length === 0
      ? []
      : [{ ...parcelsOf, q: '', limit: Math.max(20, request.limit), filter: [...filter, [...keys]] }]
  const ids = idsToSearch(request)
  if (request.matchLevel === 'strict') {
    const exact = exactKeys(request).map((key) => `parcel_key = ${quote(key)}`)
    const beginnings = ids.map((spelling) => `id_spellings STARTS WITH ${quote(spelling)}`)
    const ofIds = [...withKeys(all, exact), ...withKeys(parcels, beginnings)]
    return [...texts, ...near, ...ofIds, ...queriesOfBeginnings(request, { ...all, within: texts[0]?.q ?? '' })]
  }
  if (request.matchLevel === 'fuzzy') return [...texts, ...near]
  // Ids with typos, or a single group of the id.
  const similar = ids.map((spelling) => ({
    ...parcels,
    q: indexedId(spelling),
    matchingStrategy: 'all' as const,
    ...fewer(request),
  }))
  return [...texts, ...near, ...similar]
}

/** The houses below a number, nearest first, and those from it on. Addresses without a number come last. */
const nearestTwice = (query: Query & { filter: MeilisearchFilter }, number: number): Query[] => {
  const isBelow = `house_number < ${number}`
  return [
    { ...query, filter: [...query.filter, isBelow], sort: ['house_number:desc'] },
    { ...query, filter: [...query.filter, `NOT ${isBelow}`], sort: ['house_number:asc'] },
  ]
}

/**
 * Queries for parcels whose address begins with the text, or for one parcel of each owner whose name does. Other queries find them too,
 * but among many that contain the words elsewhere.
 */
const queriesOfBeginnings = (
  request: SearchRequest,
  all: Omit<Query, 'q'> & { filter: MeilisearchFilter },
): Query[] => {
  const { text, words, addressWords, beginsWithHouseNumber, lastWordDone, largeOwners } = request
  const queryOf = (condition: string): Query => ({
    ...all,
    q: '',
    ...few(request),
    filter: [...all.filter, condition],
  })
  if (beginsWithHouseNumber && !lastWordDone) {
    const beginnings = new Set([words, addressWords].map((spelled) => spelled.join(' ')))
    return [...beginnings].map((beginning) => queryOf(`address STARTS WITH ${quote(beginning)}`))
  }
  if (!mayBeginName(request)) return []
  const largest = [...largeOwners.keys()].map(quote)
  return [
    `owner_key STARTS WITH ${quote(ownerKey(text))}`,
    ...(largest.length === 0 ? [] : [`owner_key IN [${largest.join(', ')}]`]),
  ].map((condition) => ({ ...queryOf(condition), distinct: 'owner_key', enough: few(request).limit }))
}

const queriesOfEntities = (request: SearchRequest, indexUid: string): Query[] => {
  const { state } = request.filter
  const filter = state === null ? [] : [`jurisdiction = ${quote(state)}`]
  const limit = countCandidates({ ...request, group: null })
  return textsOfEntities(request).map((text) => ({
    indexUid,
    limit,
    ...text,
    filter,
  }))
}

/**
 * The spellings of an id to search for. People who type some leading zeros type all of them, so that id is
 * searched with its digits only.
 */
const idsToSearch = ({ idSpellings: [whole, grouped, short] }: SearchRequest): string[] => {
  if (whole === undefined || grouped === undefined) return []
  return [...new Set(whole === short ? [grouped, whole] : [whole])]
}

/** The ids that the query may be. Separate words without a digit are a name, not an id in pieces. */
const exactKeys = ({ text, parcelKeys }: SearchRequest): readonly string[] =>
  /\s/.test(text) ? parcelKeys.filter((key) => /\d/.test(key)) : parcelKeys

/** A place is searched in rings, given as shares of its radius, so that the nearest are among the candidates even when thousands match. */
const RINGS = [1, 1 / 32]

const nearCells = ({ near }: SearchRequest): string[][] =>
  near === null
    ? []
    : RINGS.map((share) => cellsAround(near, near.proximityKm * share)).filter((cells) => cells !== null)

const countCandidates = (request: SearchRequest): number => {
  if (request.group !== null && !isOnePerOwner(request)) return Math.max(request.limit + 20, GROUPED_CANDIDATES)
  return Math.max(request.limit + 20, request.matchLevel === 'fuzzy' ? ALIKE_CANDIDATES : CANDIDATES)
}
