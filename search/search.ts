import type { Sql } from '../drizzle/database'
import { listOwnerMembers } from '../drizzle/queries/search-owner-members'
import { ServiceError } from '../src/service-error'
import { correctWords } from './correct'
import type { Candidate, ParcelCandidate, SearchEngine } from './engine'
import { formatGroup, groupByOwner, listOwnersToGroup, MOST_MEMBERS } from './group'
import { type Annotate, createAnnotator, formatEntity, formatParcel, type SearchHit } from './hits'
import { connectMeilisearch, indexNames, type MeilisearchAddress } from './indexes'
import { createMeilisearchEngine } from './meilisearch'
import { createPostgresEngine, readParcelRow } from './postgres'
import { parseQuery, type SearchParams, type SearchRequest } from './query'
import { type Ranked, rankCandidates } from './rank'
import type { Vocabulary } from './vocabulary'
import { createVocabularyKeeper } from './vocabulary-keeper'

export interface SearchDeps {
  /** The pool that interactive queries use. */
  sql: Sql
  /** Null: there is none, and Postgres answers. */
  meili: MeilisearchAddress | null
  /** Index names begin with it. */
  indexPrefix?: string
  /** Told when Meilisearch stops answering searches and when it answers again. */
  onHealthChange?: (healthy: boolean, reason: string) => void
}

export interface SearchAnswer {
  hits: SearchHit[]
  /** Meilisearch did not answer: hits come from Postgres, whose candidates are fewer. False where there is no Meilisearch. */
  degraded: boolean
  /** The words as they were understood, when some of them are in no record; null when all are. */
  corrected: string | null
}

export interface Search {
  /** @throws ServiceError `search_unavailable` when neither engine answers. */
  search: (params: SearchParams) => Promise<SearchAnswer>
  /** Reads the words of all records anew. Happens by itself, in the background, when enough has changed. */
  refreshVocabulary: () => Promise<void>
}

/** Postgres is asked too when Meilisearch has not answered by then; Meilisearch is waited for until its whole budget is spent. */
const PATIENCE_MS = 300
const MEILISEARCH_BUDGET_MS = 700
const POSTGRES_BUDGET_MS = 600
/** After a failure Meilisearch is left alone this long, then asked again by one search. */
const PAUSE_MS = 1_000

/** Search as the contract has it: parse → correct → retrieve → rank → group → format. */
export const createSearch = ({ sql, meili, indexPrefix = '', onHealthChange }: SearchDeps): Search => {
  const postgres = createPostgresEngine(sql, POSTGRES_BUDGET_MS)
  const engine =
    meili === null
      ? null
      : createMeilisearchEngine(connectMeilisearch(meili, MEILISEARCH_BUDGET_MS), indexNames(indexPrefix))
  const vocabulary = createVocabularyKeeper(sql)
  const retrieve = createRetrieval(engine, postgres, onHealthChange ?? (() => {}))

  return {
    async search(params) {
      const startedAt = performance.now()
      let degraded = false
      for (const reading of parseQuery(params)) {
        let request = correct(reading, vocabulary.current())
        const retrieved = await retrieve(request)
        degraded ||= retrieved.degraded
        let ranked = rankCandidates(request, retrieved.candidates)
        const hasTime = performance.now() - startedAt < PATIENCE_MS
        if (!retrieved.degraded && engine !== null && hasTime && isWeak(request, ranked)) {
          request = widen(request, vocabulary.current())
          const more = await retrieve(request)
          degraded ||= more.degraded
          ranked = rankCandidates(request, mergeCandidates(retrieved.candidates, more.candidates))
        }
        if (ranked.length === 0) continue
        const annotate = createAnnotator(request, params)
        const hits =
          request.group === 'owner'
            ? await group(sql, request, ranked, annotate)
            : format(ranked, request.limit, annotate)
        return { hits, degraded, corrected: request.corrections[0]?.words.join(' ') ?? null }
      }
      return { hits: [], degraded, corrected: null }
    },
    refreshVocabulary: vocabulary.refresh,
  }
}

const MOST_CORRECTIONS = 6

const correct = (request: SearchRequest, vocabulary: Vocabulary): SearchRequest => ({
  ...request,
  corrections: correctWords(request.words, request.lastWordDone, vocabulary, { limit: MOST_CORRECTIONS }),
})

/** A best hit that has less of the query than this is worth a second look. */
const WEAK_COVERAGE = 0.8
const MOST_DOUBTS = 8

const isWeak = ({ words }: SearchRequest, ranked: readonly Ranked[]): boolean => {
  const best = ranked[0]
  if (words.join('').length < 4) return false
  return best === undefined || (best.coverage < WEAK_COVERAGE && best.exactIdBonus === 0)
}

const widen = (request: SearchRequest, vocabulary: Vocabulary): SearchRequest => ({
  ...request,
  widened: true,
  corrections: correctWords(request.words, request.lastWordDone, vocabulary, { limit: MOST_DOUBTS, doubtAll: true }),
})

const mergeCandidates = (first: readonly Candidate[], second: readonly Candidate[]): Candidate[] => [
  ...new Map([...first, ...second].map((candidate) => [candidate.id, candidate])).values(),
]

const format = (ranked: readonly Ranked[], limit: number, annotate: Annotate): SearchHit[] =>
  ranked.slice(0, limit).map(({ candidate, ...rest }) => {
    const annotations = annotate({ candidate, ...rest })
    return candidate.kind === 'parcel'
      ? formatParcel({ candidate, ...rest }, annotations)
      : formatEntity({ candidate, ...rest }, annotations)
  })

const group = async (
  sql: Sql,
  request: SearchRequest,
  ranked: readonly Ranked[],
  annotate: Annotate,
): Promise<SearchHit[]> => {
  const owners = listOwnersToGroup(ranked, request.limit)
  const lookups = owners.length === 0 ? [] : await listOwnerMembers(sql, owners, request, MOST_MEMBERS)
  const members = rankCandidates(
    request,
    lookups.flatMap(({ parcels }) => parcels.map(readParcelRow)),
    { keepAll: true },
  ) as Ranked<ParcelCandidate>[]
  const rankedMembers = new Map(members.map((member) => [member.candidate.id, member]))
  return groupByOwner(ranked, lookups, rankedMembers, request.limit).flatMap((entry) =>
    entry.kind === 'group' ? [formatGroup(entry.group, annotate)] : format([entry.ranked], 1, annotate),
  )
}

type Retrieve = (request: SearchRequest) => Promise<{ candidates: Candidate[]; degraded: boolean }>

/** Asks Meilisearch, and Postgres when Meilisearch is away, busy or slow. */
const createRetrieval = (
  meilisearch: SearchEngine | null,
  postgres: SearchEngine,
  onHealthChange: NonNullable<SearchDeps['onHealthChange']>,
): Retrieve => {
  const never = new AbortController().signal
  if (meilisearch === null) {
    return async (request) => ({ candidates: await postgres.findCandidates(request, never), degraded: false })
  }
  let healthy = true
  let pausedUntil = 0
  const report = (isHealthy: boolean, reason: string) => {
    if (healthy !== isHealthy) onHealthChange(isHealthy, reason)
    healthy = isHealthy
    pausedUntil = isHealthy ? 0 : Date.now() + PAUSE_MS
  }

  const askMeilisearch = async (request: SearchRequest): Promise<Candidate[] | null> => {
    try {
      const candidates = await meilisearch.findCandidates(request, AbortSignal.timeout(MEILISEARCH_BUDGET_MS))
      report(true, 'Meilisearch answers again')
      return candidates
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      report(false, error.cause instanceof Error ? error.cause.message : error.message)
      return null
    }
  }

  return async (request) => {
    if (!healthy && Date.now() < pausedUntil) {
      return { candidates: await postgres.findCandidates(request, never), degraded: true }
    }
    // The other searches of this moment do not wait for what this one finds out.
    if (!healthy) pausedUntil = Date.now() + PAUSE_MS
    const first = askMeilisearch(request)
    const outcome = await Promise.race([first, Bun.sleep(PATIENCE_MS).then(() => 'slow' as const)])
    if (outcome !== 'slow') {
      if (outcome !== null) return { candidates: outcome, degraded: false }
      return { candidates: await postgres.findCandidates(request, never), degraded: true }
    }
    const second = postgres.findCandidates(request, never)
    second.catch(() => {})
    const late = await first
    return late !== null ? { candidates: late, degraded: false } : { candidates: await second, degraded: true }
  }
}
