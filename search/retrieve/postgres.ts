import { createFairTurns } from '../../core/concurrency/fair-turns'
import { waitAtMost } from '../../core/concurrency/wait-at-most'
import type { Bbox } from '../../core/geometry/bbox'
import type { Transaction } from '../../core/postgres/database'
import type { Reader, Reads } from '../../core/postgres/replicas/reads'
import { isSessionRefused, isTransient } from '../../core/postgres/transient-errors'
import { ServiceError } from '../../core/service-error'
import type { StateSet } from '../../core/state-set'
import {
  type EntityTextColumn,
  listEntitiesByTrigram,
  listParcelsByAccountOwner,
  listParcelsByIdStart,
  listParcelsByKey,
  listParcelsByOwner,
  listParcelsByTrigram,
  listParcelsByWords,
  listParcelsByZip,
  MIN_INDEXED_LETTERS,
  type ParcelTextColumn,
  type PartialFilter,
  type TrigramMatch,
} from '../../drizzle/queries/search/search-by-trigram'
import type { EntitySearchRow, ParcelSearchRow } from '../../drizzle/queries/search/search-documents'
import type { Candidate, EntityCandidate, ParcelCandidate, Pool } from '../engine'
import { isZip, standardizeWord } from '../query/address'
import type { SearchRequest } from '../query/query'
import { completeStreet } from '../query/spellings'
import type { Wording } from '../query/wording'

const CANDIDATES = 200
const DEEP_CANDIDATES = 1_000
const KM_PER_DEGREE = 111.195
/** As many as the API has connections for slow queries. */
const QUERIES_AT_ONCE = 8
/** Callers take turns with whole searches (retrieve.ts). */
const EVERYBODY = { id: '' }
/** The message for callers. */
export const UNAVAILABLE = 'Search is not available at the moment. Try again in a few seconds.'

export interface PostgresEngine {
  /** As in `SearchEngine`. `within`: only parcels and entities in these states; null: in all states of the request. */
  findCandidates(request: SearchRequest, timeoutMs: number, within: StateSet | null, reader: Reader): Promise<Pool>
}

/** A request for the part of the states that PostgreSQL answers. */
type PartialRequest = Omit<SearchRequest, 'filter'> & { filter: PartialFilter }

export const readParcelRow = (row: ParcelSearchRow): ParcelCandidate => ({ kind: 'parcel', ...row })
const readEntityRow = (row: EntitySearchRow): EntityCandidate => ({ kind: 'entity', ...row })

/**
 * Candidates from the trigram indexes of PostgreSQL: the engine when Meilisearch is missing or down. Each index is queried separately.
 * Late results, because of a slow index or a busy pool, are dropped, so that the others are still returned.
 */
export const createPostgresEngine = (reads: Reads): PostgresEngine => {
  const turns = createFairTurns({ atOnce: QUERIES_AT_ONCE, perCaller: QUERIES_AT_ONCE, patienceMs: 15_000 })

  const findCandidates: PostgresEngine['findCandidates'] = async (request, timeoutMs, within, reader) => {
    const deadline = performance.now() + timeoutMs
    const candidates = new Map<string, Candidate>()
    const failures: unknown[] = []
    let answered = 0
    let cut = 0
    const limit = request.isDeep ? DEEP_CANDIDATES : CANDIDATES
    const asked = createQuestions({ ...request, filter: { ...request.filter, within } }, limit).map(async (ask) => {
      try {
        const found = await turns.run(EVERYBODY, async () => {
          // A query of an answered search is not sent. Otherwise those of many searches would wait for connections.
          if (performance.now() >= deadline) return null
          return reads.run(reader, (db) =>
            db.begin('read only', async (transaction) => {
              const leftMs = Math.floor(deadline - performance.now())
              // A statement timeout of 0 means no limit.
              if (leftMs < 1) return null
              await transaction`select set_config('statement_timeout', ${String(leftMs)}, true),
              set_config('pg_trgm.similarity_threshold', '0.3', true),
              set_config('pg_trgm.word_similarity_threshold', '0.5', true),
              set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`
              return ask(transaction)
            }),
          )
        })
        if (found === null) return
        answered++
        if (found.length >= limit) cut++
        for (const candidate of found) candidates.set(candidate.id, candidate)
      } catch (error) {
        if (!isTimeout(error)) failures.push(error)
      }
    })
    await waitAtMost(timeoutMs, Promise.all(asked))
    if (failures.length > 0) throw wrap(failures[0])
    if (answered === 0 && asked.length > 0) {
      const cause = new Error(`PostgreSQL found nothing within ${Math.round(timeoutMs)} ms`)
      throw new ServiceError('search_unavailable', UNAVAILABLE, { cause })
    }
    return { candidates: [...candidates.values()], isComplete: cut === 0 && answered === asked.length }
  }
  return { findCandidates }
}

const isTimeout = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '57014'

const wrap = (error: unknown): unknown =>
  isTransient(error) || isSessionRefused(error)
    ? new ServiceError('search_unavailable', UNAVAILABLE, { cause: error })
    : error

type Question = (db: Transaction) => Promise<Candidate[]>

const createQuestions = (request: PartialRequest, limit: number): Question[] => {
  const { filter, types } = request
  const names = distinctTexts(request, ({ words }) => words)
  const questions = types.includes('parcels')
    ? [...questionsOfIds(request, limit), ...(names.length === 0 ? [] : questionsOfParcels(request, limit))]
    : []
  if (!types.includes('entities')) return questions
  const askEntities =
    (column: EntityTextColumn, match: TrigramMatch, name: string): Question =>
    async (db) =>
      (await listEntitiesByTrigram(db, column, match, name, filter, limit)).map(readEntityRow)
  const entities = names.flatMap((name) =>
    isShort(name)
      ? [askEntities('name', 'begins', name)]
      : [askEntities('name', 'similar', name), askEntities('name', 'contains', name)],
  )
  const [typed = ''] = names
  return [
    ...questions,
    ...entities,
    ...(isShort(typed) ? [] : [askEntities('registered_agent_name', 'similar', typed)]),
  ]
}

/** Queries for parcels whose id equals the query or begins with it. */
const questionsOfIds = ({ parcelKeys, idSpellings: [start], filter }: PartialRequest, limit: number): Question[] => {
  const exact: Question = async (db) => (await listParcelsByKey(db, parcelKeys, filter, limit)).map(readParcelRow)
  if (start === undefined) return [exact]
  return [exact, async (db) => (await listParcelsByIdStart(db, start, filter, limit)).map(readParcelRow)]
}

const questionsOfParcels = (request: PartialRequest, limit: number): Question[] => {
  const { text, words, addressWords, beginsWithHouseNumber, filter, near } = request
  const questions: Question[] = [async (db) => (await listParcelsByOwner(db, text, filter, limit)).map(readParcelRow)]
  const askParcels = (column: ParcelTextColumn, match: TrigramMatch, of: string, box: Bbox | null) =>
    questions.push(async (db) =>
      (await listParcelsByTrigram(db, column, match, of, filter, box, limit)).map(readParcelRow),
    )
  const [name, address] = [words.join(' '), addressWords.join(' ')]
  for (const box of near === null ? [null] : [null, createBox(near)]) {
    for (const of of distinctTexts(request, (wording) => wording.words)) {
      askParcels('owner_name', isShort(of) ? 'begins' : 'similar', of, box)
    }
    for (const of of distinctTexts(request, completeStreet)) {
      askParcels('situs_address', isShort(of) ? 'begins' : 'similar', of, box)
    }
    if (!isShort(name)) askParcels('owner_name', 'contains', name, box)
    if (!isShort(name) && beginsWithHouseNumber) askParcels('situs_address', 'contains', address, box)
  }
  if (!isShort(name) && !beginsWithHouseNumber) {
    questions.push(async (db) => (await listParcelsByAccountOwner(db, name, filter, limit)).map(readParcelRow))
  }
  const zip = words.at(-1) ?? ''
  const streets = isZip(zip) ? [words, addressWords].map((spelled) => spelled.slice(0, -1).join(' ')) : []
  for (const street of new Set(streets)) {
    questions.push(async (db) => (await listParcelsByZip(db, zip, street, filter, limit)).map(readParcelRow))
  }
  return [...questions, ...questionsOfWords(request, limit)]
}

/**
 * Queries for parcels whose words are spread over owner, address and city ("smith oak portland"), so that the whole text is similar to
 * none of them. One query expects all longer words in the owner and address. Two queries expect only the first or last of them there,
 * because the others may be the city.
 */
const questionsOfWords = ({ words, corrections, filter }: PartialRequest, limit: number): Question[] => {
  const texts = new Map([words, corrections[0]?.words ?? []].map((text) => [text.join(' '), text] as const))
  return [...texts.values()].flatMap((text) => {
    const spelled = text.map((word) => [...new Set([word, standardizeWord(word)])])
    const long = spelled.flatMap((spellings, place) => (spellings.some(isTooShortToIndex) ? [] : [place]))
    // A single word is similar to an owner or address that has it, unless the address has another spelling ("second").
    const isOneSpelling = spelled.flat().length < 2
    if (isOneSpelling || long.length === 0) return []
    const choices = new Map([long, long.slice(0, 1), long.slice(-1)].map((indexed) => [indexed.join(), indexed]))
    return [...choices.values()].map((indexed): Question => {
      const searched = spelled.map((spellings, place) => ({ spellings, isIndexed: indexed.includes(place) }))
      return async (db) => (await listParcelsByWords(db, searched, filter, limit)).map(readParcelRow)
    })
  })
}

const isTooShortToIndex = (word: string): boolean => [...word].length < MIN_INDEXED_LETTERS

/** The texts of the query and of its other wordings. */
const distinctTexts = (request: PartialRequest, wordsOf: (wording: Wording) => readonly string[]): string[] => {
  const searched = request.otherWordings.filter(({ isSearchedLater }) => isSearchedLater !== true)
  return [...new Set([request, ...searched].map((wording) => wordsOf(wording).join(' ')).filter(Boolean))]
}

/** Too short for trigrams. */
const isShort = (text: string): boolean => [...text].length < 4

/** The box around a circle. Near a pole, the whole polar cap. */
const createBox = ({ lat, lon, proximityKm }: NonNullable<PartialRequest['near']>): Bbox => {
  const height = proximityKm / KM_PER_DEGREE
  const south = Math.max(-90, lat - height)
  const north = Math.min(90, lat + height)
  const widest = Math.cos(Math.min(89.999, Math.max(Math.abs(south), Math.abs(north))) * (Math.PI / 180))
  const width = north >= 90 || south <= -90 ? 180 : height / widest
  if (width >= 180) return [-180, south, 180, north]
  const wrapped = (degrees: number) => ((((degrees + 180) % 360) + 360) % 360) - 180
  return [wrapped(lon - width), south, wrapped(lon + width), north]
}
