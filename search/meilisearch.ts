import { type Meilisearch, MeilisearchApiError, type MultiSearchQuery } from 'meilisearch'
import { ServiceError } from '../src/service-error'
import { isHouseNumber, standardizeWord } from './address'
import { cellsAround } from './cells'
import { type EntityAnswer, type ParcelAnswer, readEntityDocument, readParcelDocument } from './documents'
import type { Candidate, SearchEngine } from './engine'
import type { IndexNames } from './indexes'
import type { SearchRequest } from './query'

/**
 * Candidates of each search. A document costs Meilisearch 15 µs (200 take 3.9 ms, 20 take 0.8 ms), so few are asked for until
 * they turn out to be weak; an owner's parcels are many and make one entry.
 */
const CANDIDATES = 40
const WIDENED_CANDIDATES = 150
const GROUPED_CANDIDATES = 400
/** Meilisearch reads no more words than this of a query. */
const MOST_WORDS = 10

const PARCEL_FIELDS = [
  'id',
  'source',
  'source_parcel_id',
  'state',
  'county_name',
  'owner_name',
  'owner_mailing_address',
  'situs_address',
  'situs_city',
  'situs_state',
  'assessed_value',
  'lat',
  'lon',
]
const ENTITY_FIELDS = [
  'id',
  'jurisdiction',
  'registry_number',
  'name',
  'entity_type',
  'status',
  'registered_agent_name',
  'linked_parcel_count',
]

/** Candidates from Meilisearch, by one `/multi-search` a request. */
export const createMeilisearchEngine = (client: Meilisearch, indexes: IndexNames): SearchEngine => ({
  async findCandidates(request, signal) {
    const queries = createQueries(request, indexes)
    if (queries.length === 0) return []
    const { results } = await sendQueries(client, queries, signal)
    const candidates = new Map<string, Candidate>()
    for (const { indexUid, hits } of results) {
      for (const hit of hits) {
        const candidate =
          indexUid === indexes.entities
            ? readEntityDocument(hit as unknown as EntityAnswer)
            : readParcelDocument(hit as unknown as ParcelAnswer)
        candidates.set(candidate.id, candidate)
      }
    }
    return [...candidates.values()]
  },
})

/** Sends; a full queue (503) is worth a second try, everything else is for another engine. */
const sendQueries = async (client: Meilisearch, queries: MultiSearchQuery[], signal: AbortSignal) => {
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
const createQueries = (request: SearchRequest, indexes: IndexNames): MultiSearchQuery[] => {
  const texts = createTexts(request)
  const queries: MultiSearchQuery[] = []
  if (request.types.includes('parcels')) {
    const filter = createParcelFilter(request)
    const parcels = { indexUid: indexes.parcels, attributesToRetrieve: PARCEL_FIELDS, limit: countCandidates(request) }
    for (const q of texts) queries.push({ ...parcels, q, filter })
    for (const cells of nearCells(request)) {
      const near = `cells IN [${cells.map(quote).join(', ')}]`
      for (const q of texts) queries.push({ ...parcels, q, filter: [...filter, near] })
    }
    const parcelKeys = request.words.length === 1 ? request.parcelKeys : request.parcelKeys.filter(hasDigit)
    if (parcelKeys.length > 0) {
      const keys = parcelKeys.map((key) => `parcel_key = ${quote(key)}`)
      queries.push({ ...parcels, q: '', limit: Math.max(20, request.limit), filter: [...filter, keys] })
    }
  }
  if (request.types.includes('entities')) {
    const filter = request.state === null ? [] : [`jurisdiction = ${quote(request.state)}`]
    const entities = {
      indexUid: indexes.entities,
      attributesToRetrieve: ENTITY_FIELDS,
      limit: countCandidates({ ...request, group: null }),
    }
    for (const q of texts) queries.push({ ...entities, q, filter })
  }
  return queries
}

/** A place is searched in rings, so that where thousands match the nearest are among the candidates: shares of its radius. */
const RINGS = [1, 1 / 8, 1 / 64]

const nearCells = ({ near }: SearchRequest): string[][] =>
  near === null
    ? []
    : RINGS.map((share) => cellsAround(near, near.proximityKm * share)).filter((cells) => cells !== null)

const countCandidates = ({ widened, group, limit }: SearchRequest): number =>
  Math.max(limit + 20, group !== null ? GROUPED_CANDIDATES : widened ? WIDENED_CANDIDATES : CANDIDATES)

/**
 * What Meilisearch is asked for: names and addresses are spelled differently (often both spellings are one), and words that nobody
 * has are asked for as they may have been meant.
 */
const createTexts = (request: SearchRequest): string[] => {
  const { words, nameWords, addressWords, lastWordDone, beginsWithHouseNumber } = request
  // A word that is followed by a space is complete for Meilisearch, too.
  const spell = (spelled: readonly string[]) => spelled.slice(0, MOST_WORDS).join(' ') + (lastWordDone ? ' ' : '')
  const isStandard = words.join(' ') === addressWords.join(' ')
  const texts = beginsWithHouseNumber
    ? [spell(addressWords)]
    : isStandard
      ? [spell(nameWords)]
      : [spell(nameWords), spell(addressWords)]
  for (const correction of request.corrections) {
    texts.push(spell(beginsWithHouseNumber ? correction.words.map(standardizeWord) : correction.words))
  }
  if (isNameAndNumber(words)) texts.push([...words.slice(1), words[0]].join(' '))
  // Words are dropped from the end: each in turn goes there, so that the others are enough.
  if (request.widened && words.length > 1) {
    for (const [index, word] of nameWords.entries()) {
      texts.push(spell([...nameWords.filter((_, other) => other !== index), word]))
    }
  }
  return [...new Set(texts)].filter((text) => text.trim() !== '')
}

/** "smit 1064": a name, perhaps only begun, and a house number. Meilisearch completes the last word alone, so the name goes there. */
const isNameAndNumber = (words: readonly string[]): boolean =>
  words.length === 2 && /^\D/.test(words[0] ?? '') && isHouseNumber(words[1] ?? '')

const createParcelFilter = ({ state, source, zoning }: SearchRequest): (string | string[])[] => [
  ...(state === null ? [] : [`state = ${quote(state)}`]),
  ...(source === null ? [] : [`source = ${quote(source)}`]),
  ...(zoning === null
    ? []
    : [
        ['zoning_code', 'zoning_description', 'land_use_class'].map((field) => `${field} STARTS WITH ${quote(zoning)}`),
      ]),
]

/** Words without a digit are a name, not an id in pieces. */
const hasDigit = (key: string): boolean => /\d/.test(key)

/** A value in a filter expression, so that nothing in it is read as syntax. */
const quote = (value: string): string => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
