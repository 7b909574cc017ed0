import { type Meilisearch, MeilisearchApiError, type MultiSearchQuery } from 'meilisearch'
import { timePart } from '../../core/request-times'
import { ServiceError } from '../../core/service-error'
import { withSpan } from '../../core/with-span'
import type { Candidate, SearchEngine } from '../engine'
import { cellsAround } from '../index/cells'
import {
  ENTITY_ATTRIBUTES,
  type EntityAnswer,
  PARCEL_ATTRIBUTES,
  type ParcelAnswer,
  readEntityDocument,
  readParcelDocument,
} from '../index/documents'
import type { IndexNames } from '../index/indexes'

import { isHouseNumber, isStreet, standardizeWord } from '../query/address'
import { indexedId } from '../query/parcel-id'
import type { SearchRequest, Wording } from '../query/query'
import { completeForm } from '../query/readings'
import { createParcelFilter, quote } from './parcel-filter'

/**
 * Candidates per text. A document costs Meilisearch 15 µs (200 take 3.9 ms, 20 take 0.8 ms), so few are requested when all
 * of them have every word; an owner's parcels are many and become one entry.
 */
const CANDIDATES = 40
const ALIKE_CANDIDATES = 100
const GROUPED_CANDIDATES = 400
/** The highest `limit` of a search. A deep request reads the same candidates whatever its limit is. */
const MAX_LIMIT = 100
/** Deep requests: candidates per text (Meilisearch returns at most 1,000), and in total, from when on no more texts are read. */
const MAX_DEPTH = 1_000
const MAX_POOL = 2_000
/** Meilisearch ignores further words of a query. */
const MAX_WORDS = 10
/** Near a place, only the likeliest texts are searched: each is searched once per ring. */
const MAX_CORRECTIONS_NEAR = 2

/** Entities are a tenth of all documents: the unlikelier spellings are searched only among parcels. */
const MAX_CORRECTIONS_OF_ENTITIES = 3

export interface MeilisearchEngine extends SearchEngine {
  /** Whether the server reports healthy. It does so even while searches wait in its queue. */
  isWell: () => Promise<boolean>
}

/** Candidates from Meilisearch, with one `/multi-search` per request. `healthClient` has the shorter timeout. */
export const createMeilisearchEngine = (
  client: Meilisearch,
  healthClient: Meilisearch,
  indexes: IndexNames,
): MeilisearchEngine => ({
  isWell: () => healthClient.isHealthy(),
  async findCandidates(request, timeoutMs, signal) {
    const queries = createQueries(request.isDeep ? { ...request, limit: MAX_LIMIT } : request, indexes)
    if (queries.length === 0) return { candidates: [], isComplete: true }
    const timeout = AbortSignal.timeout(timeoutMs)
    const candidates = new Map<string, Candidate>()
    /** Reads the answers into `candidates`. Returns the queries that may match more documents than their limit. */
    const ask = async (asked: readonly Query[]): Promise<Query[]> => {
      const sent = asked.map(({ isSubset, ...query }) => query)
      const { results } = await sendQueries(client, sent, signal ? AbortSignal.any([signal, timeout]) : timeout)
      for (const { indexUid, hits } of results) {
        for (const hit of hits) {
          const candidate =
            indexUid === indexes.entities
              ? readEntityDocument(hit as unknown as EntityAnswer)
              : readParcelDocument(hit as unknown as ParcelAnswer)
          candidates.set(candidate.id, candidate)
        }
      }
      return asked.filter(({ isSubset, limit }, place) => !isSubset && (results[place]?.hits.length ?? 0) >= limit)
    }
    const cut = await ask(queries)
    if (!request.isDeep) return { candidates: [...candidates.values()], isComplete: cut.length === 0 }

    let isComplete = true
    // One at a time, so that the event loop parses one answer at a time.
    for (const query of firstOfEachIndexFirst(cut)) {
      const isFull = candidates.size >= MAX_POOL
      const more = { ...query, offset: query.limit, limit: MAX_DEPTH - query.limit }
      if (isFull || (await ask([more])).length > 0) isComplete = false
    }
    return { candidates: [...candidates.values()], isComplete }
  },
})

interface Query extends MultiSearchQuery {
  limit: number
  /** Another query of the request matches everything that this one matches. */
  isSubset?: boolean
}

/** Otherwise many parcels would leave no room for entities. */
const firstOfEachIndexFirst = (queries: readonly Query[]): Query[] => {
  const first = [...new Map(queries.toReversed().map((query) => [query.indexUid, query])).values()]
  return [...first, ...queries.filter((query) => !first.includes(query))]
}

const sendQueries = (client: Meilisearch, queries: MultiSearchQuery[], signal: AbortSignal) =>
  withSpan('meilisearch', { 'db.system.name': 'meilisearch', 'db.operation.batch.size': queries.length }, () =>
    timePart('search', () => send(client, queries, signal)),
  )

/** The live index was built before the attribute of a filter existed. It is being rebuilt. */
export const lacksFilter = ({ cause }: ServiceError): boolean =>
  cause instanceof MeilisearchApiError && cause.cause?.code === 'invalid_search_filter'

/** Sends the queries. A full queue (503) is retried once; other errors go to another engine. */
const send = async (client: Meilisearch, queries: MultiSearchQuery[], signal: AbortSignal) => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.multiSearch({ queries }, { signal })
    } catch (error) {
      const isBusy = error instanceof MeilisearchApiError && error.response.status === 503
      if (isBusy && attempt === 1 && !signal.aborted) continue
      throw new ServiceError('search_unavailable', 'Meilisearch does not answer', { cause: error })
    }
  }
}

/** The searches of one request: parcels by text, the same near a place, parcels by exact id, entities. */
const createQueries = (request: SearchRequest, indexes: IndexNames): Query[] => {
  const texts = createTexts(request)
  const likeliest = { ...request, corrections: request.corrections.slice(0, MAX_CORRECTIONS_OF_ENTITIES) }
  const queries: Query[] = []
  if (request.types.includes('parcels')) {
    const filter = createParcelFilter(request.filter)
    const parcels = {
      indexUid: indexes.parcels,
      attributesToRetrieve: PARCEL_ATTRIBUTES,
      limit: countCandidates(request),
    }
    for (const text of texts) queries.push({ ...parcels, ...text, filter })
    for (const cells of nearCells(request)) {
      const near = `cells IN [${cells.map(quote).join(', ')}]`
      // The rings overlap, and each contributes candidates.
      for (const text of textsNear(request)) {
        queries.push({ ...parcels, ...text, ...fewer(request), filter: [...filter, near], isSubset: true })
      }
    }
    if (request.matchLevel === 'strict') {
      for (const spelling of new Set(request.idSpellings)) {
        queries.push({ ...parcels, q: indexedId(spelling), matchingStrategy: 'all', limit: request.limit, filter })
      }
    }
    const parcelKeys = /\s/.test(request.text) ? request.parcelKeys.filter(hasDigit) : request.parcelKeys
    if (request.matchLevel === 'strict' && parcelKeys.length > 0) {
      const keys = parcelKeys.map((key) => `parcel_key = ${quote(key)}`)
      queries.push({ ...parcels, q: '', limit: Math.max(20, request.limit), filter: [...filter, keys] })
    }
  }
  if (request.types.includes('entities')) {
    const { state } = request.filter
    const filter = state === null ? [] : [`jurisdiction = ${quote(state)}`]
    const entities = {
      indexUid: indexes.entities,
      attributesToRetrieve: ENTITY_ATTRIBUTES,
      limit: countCandidates({ ...request, group: null }),
    }
    const ofEntities = request.beginsWithHouseNumber ? textsOfHouse(likeliest, texts) : createTexts(likeliest)
    // Entities have no address.
    const ofNames = ofEntities.filter(({ attributesToSearchOn }) => attributesToSearchOn === undefined)
    for (const text of ofNames) queries.push({ ...entities, ...text, filter })
  }
  return queries
}

/** A place is searched in rings, given as shares of its radius, so that the nearest are among the candidates even when thousands match. */
const RINGS = [1, 1 / 32]

const nearCells = ({ near }: SearchRequest): string[][] =>
  near === null
    ? []
    : RINGS.map((share) => cellsAround(near, near.proximityKm * share)).filter((cells) => cells !== null)

const countCandidates = ({ matchLevel, group, limit }: SearchRequest): number =>
  Math.max(limit + 20, group !== null ? GROUPED_CANDIDATES : matchLevel === 'fuzzy' ? ALIKE_CANDIDATES : CANDIDATES)

/** Words to search for. `all`: every word is required; `last`: as many as possible, dropping words from the end. */
interface Text {
  q: string
  matchingStrategy: 'all' | 'last'
  /** A smaller limit than for other texts. */
  limit?: number
  /** Another text matches everything that this one matches. */
  isSubset?: boolean
  /** The fields to search. Default: all. */
  attributesToSearchOn?: string[]
}

/**
 * The texts to search for. Names and addresses are normalized differently (often with the same result). A quoted word is searched
 * exactly; an unquoted one is also searched with typos and, at the end, as a prefix, which costs five to ten times
 * as much.
 */
const createTexts = (request: SearchRequest): Text[] => {
  const texts = { strict: strictTexts, relaxed: relaxedTexts, fuzzy: fuzzyTexts }[request.matchLevel](request)
  return distinctTexts(texts)
}

const distinctTexts = (texts: readonly Text[]): Text[] => [
  ...new Map(
    texts
      .filter(({ q }) => q.trim() !== '')
      .map((text) => [`${text.q} in ${text.attributesToSearchOn?.join() ?? 'all'}`, text]),
  ).values(),
]

const strictTexts = (request: SearchRequest): Text[] => [
  ...textsOfWording(request, request),
  ...request.otherWordings.flatMap((wording) =>
    textsOfWording(request, wording).map((text) => ({ ...text, ...fewer(request) })),
  ),
  ...textsOfCorrections(request),
]

const textsOfWording = (request: SearchRequest, wording: Wording): Text[] => {
  const { words, lastWordDone, beginsWithHouseNumber } = wording
  const texts = spellings(wording).flatMap((spelled, place) => {
    const asTyped = exactly(spelled, lastWordDone)
    const isAddress = beginsWithHouseNumber || place > 0 || isStreet(spelled)
    // In all fields, an address would be lost among names and cities that have its words.
    const found = isAddress
      ? [asTyped, { ...asTyped, ...fewer(request), attributesToSearchOn: ADDRESS_FIELDS, isSubset: true }]
      : [asTyped]
    if (lastWordDone || spelled.join('').length < 3) return found
    // Otherwise exact matches of the last word would be lost among prefix matches.
    const exact = isAddress ? spelled.map(standardizeWord) : spelled
    const isSubset = exact.join(' ') === spelled.join(' ')
    return [...found, { ...exactly(exact, true), ...fewer(request), isSubset }]
  })
  const completed = completeForm(wording)
  if (completed !== wording.nameWords) texts.push({ ...exactly(completed, true), ...fewer(request) })
  if (isNameAndNumber(words)) texts.push(exactly(words.toReversed(), false))
  if (hasInitial(wording)) texts.push(completeInitial(wording))
  return texts
}

const ADDRESS_FIELDS = ['address', 'city']

/** "j smith": Meilisearch completes only the last word, so the initial is put there. */
const hasInitial = ({ nameWords, beginsWithHouseNumber }: Wording): boolean =>
  !beginsWithHouseNumber && !isStreet(nameWords) && nameWords.length > 1 && nameWords.slice(0, -1).some(isInitial)

const isInitial = (word: string): boolean => /^\p{L}$/u.test(word)

const completeInitial = ({ nameWords }: Wording): Text => {
  const others = nameWords.filter((word) => !isInitial(word))
  return exactly([...others, nameWords.find(isInitial) ?? ''], false)
}

/** Few companies have a house number in their name; those that do write the street as the registry does. */
const textsOfHouse = (request: SearchRequest, texts: readonly Text[]): readonly Text[] => {
  const { matchLevel, addressWords, nameWords, lastWordDone } = request
  if (matchLevel === 'relaxed') return []
  if (matchLevel === 'fuzzy') return texts.slice(0, 1)
  const asTyped = [addressWords, nameWords].map((spelled) => exactly(spelled, lastWordDone))
  return distinctTexts([...asTyped, ...textsOfCorrections(request)])
}

const textsOfCorrections = (request: SearchRequest): Text[] =>
  request.corrections.map(({ words, known = words }) => ({
    ...exactly(known, isLastDone(request, known)),
    // There are several alternatives, and one of them is meant.
    ...fewer(request),
  }))

/** As many as are shown, but many when grouping by owner. */
const fewer = ({ group, limit }: SearchRequest): Pick<Text, 'limit'> => (group === null ? { limit } : {})

const textsNear = (request: SearchRequest): Text[] => {
  const { lastWordDone, corrections } = request
  return [
    ...spellings(request).map((spelled) => exactly(spelled, lastWordDone)),
    ...corrections.slice(0, MAX_CORRECTIONS_NEAR).map(({ words }) => exactly(words, isLastDone(request, words))),
  ]
}

const relaxedTexts = (request: SearchRequest): Text[] => {
  const { beginsWithHouseNumber, lastWordDone } = request
  const texts = textsOfCorrections(request)
  const [spelled = []] = spellings(request)
  if (spelled.length < 2 || spelled.length > MAX_WORDS) return texts
  for (const [place, word] of spelled.entries()) {
    const others = spelled.filter((_, other) => other !== place)
    texts.push(exactly(others, lastWordDone || place === others.length))
    // A number has too many neighbors to list them all.
    if (place === 0 && beginsWithHouseNumber)
      texts.push({ q: `${word} ${quoteWords(others, true)}`, matchingStrategy: 'all' })
  }
  return texts
}

const fuzzyTexts = (request: SearchRequest): Text[] => {
  const { words, nameWords, lastWordDone, corrections } = request
  // For Meilisearch too, a word followed by a space is complete.
  const spell = (spelled: readonly string[]): Text => ({
    q: spelled.slice(0, MAX_WORDS).join(' ') + (lastWordDone ? ' ' : ''),
    matchingStrategy: 'last',
  })
  const texts = [...spellings(request), ...corrections.slice(0, 2).map((correction) => correction.words)].map(spell)
  // Meilisearch drops words from the end: put each word there in turn, so that the others suffice.
  if (words.length > 1) {
    for (const [index, word] of nameWords.entries()) {
      texts.push(spell([...nameWords.filter((_, other) => other !== index), word]))
    }
  }
  return texts
}

/** The words as typed, and normalized as names and as addresses. */
const spellings = ({ words, nameWords, addressWords, beginsWithHouseNumber }: Wording): (readonly string[])[] => {
  if (beginsWithHouseNumber) return [addressWords]
  return words.join(' ') === addressWords.join(' ') ? [nameWords] : [nameWords, addressWords]
}

const exactly = (words: readonly string[], lastWordDone: boolean): Text => ({
  q: quoteWords(words.slice(0, MAX_WORDS), lastWordDone || words.length > MAX_WORDS),
  matchingStrategy: 'all',
})

const quoteWords = (words: readonly string[], lastWordDone: boolean): string =>
  words.map((word, place) => (lastWordDone || place < words.length - 1 ? `"${word}"` : word)).join(' ')

/** A correction's last word is complete, unless it is the one still being typed. */
const isLastDone = ({ words, lastWordDone }: SearchRequest, corrected: readonly string[]): boolean =>
  lastWordDone || corrected.at(-1) !== words.at(-1)

/** "smit 1064": a name, perhaps unfinished, and a house number. Meilisearch completes only the last word, so the name is put there. */
const isNameAndNumber = (words: readonly string[]): boolean =>
  words.length === 2 && /^\D/.test(words[0] ?? '') && isHouseNumber(words[1] ?? '')

/** Separate words without a digit are a name, not an id in pieces. */
const hasDigit = (key: string): boolean => /\d/.test(key)
