import type { Sql } from '../drizzle/database'
import { listOwnerMembers } from '../drizzle/queries/search-owner-members'
import { ServiceError } from '../src/service-error'
import { withSpan } from '../src/with-span'
import { correctQuery, toldCorrection } from './correct-query'
import type { Candidate, ParcelCandidate, SearchEngine } from './engine'
import { formatGroup, groupByOwner, listOwnersToGroup, MOST_MEMBERS } from './group'
import { type Annotate, createAnnotator, formatEntity, formatParcel, type SearchHit } from './hits'
import { connectMeilisearch, indexNames, type MeilisearchAddress } from './indexes'
import { createMeilisearchEngine } from './meilisearch'
import { createPostgresEngine, readParcelRow } from './postgres'
import { NETS, parseQuery, type SearchParams, type SearchRequest } from './query'
import { type Ranked, rankInTurns } from './rank'
import { splitWords } from './text'
import { takeTurn } from './turns'
import type { Vocabulary } from './vocabulary'
import { createVocabularyKeeper } from './vocabulary-keeper'
import { waitAtMost } from './wait-at-most'

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

/** A search is answered within this time, whatever the servers behind it do. */
const BUDGET_MS = 900
/** Postgres is asked too when Meilisearch has not answered by then; Meilisearch is waited for until its whole budget is spent. */
const PATIENCE_MS = 300
const MEILISEARCH_BUDGET_MS = 700
const POSTGRES_BUDGET_MS = 600
/** No wider net is cast after this time: weak hits at once are worth more than better ones late. */
const WIDENING_MS = 150
/** After a failure Meilisearch is left alone this long, then asked again by one search. */
const PAUSE_MS = 1_000

/** Search as the contract has it: parse → correct → retrieve → rank → group → format. */
export const createSearch = ({ sql, meili, indexPrefix = '', onHealthChange }: SearchDeps): Search => {
  const postgres = createPostgresEngine(sql)
  const engine =
    meili === null
      ? null
      : createMeilisearchEngine(connectMeilisearch(meili, MEILISEARCH_BUDGET_MS), indexNames(indexPrefix))
  const vocabulary = createVocabularyKeeper(sql)
  const retrieve = createRetrieval(engine, postgres, onHealthChange ?? (() => {}))

  /** Tries the readings of a query, in their order, with one net after the other. Null: nothing was found. */
  const find = async (params: SearchParams, startedAt: number): Promise<{ found: Found | null; degraded: boolean }> => {
    const left = () => startedAt + BUDGET_MS - performance.now()
    const readings = parseQuery(params)
    const caught = new Map<SearchRequest, Found>()
    let degraded = false
    for (const net of engine === null ? NETS.slice(0, 1) : NETS) {
      for (const reading of readings) {
        if (left() < SHORTEST_SEARCH_MS) break
        await takeTurn()
        const request = correct({ ...reading, net }, vocabulary.current())
        // The wait for a turn, while much else went on, may have taken the whole budget.
        const retrieved = await retrieve(request, Math.max(SHORTEST_SEARCH_MS, left()))
        degraded ||= retrieved.degraded
        const found = await rank(request, [...(caught.get(reading)?.candidates ?? []), ...retrieved.candidates])
        caught.set(reading, found)
        // A later reading counts only when those before it have found nothing.
        if (found.ranked.length > 0) break
      }
      const found = readings.map((reading) => caught.get(reading)).find((one) => (one?.ranked.length ?? 0) > 0) ?? null
      const isLate = performance.now() - startedAt > WIDENING_MS
      if (degraded || isLate || net === NETS.at(-1) || (found !== null && !isWeak(found)) || isShort(params.q)) {
        return { found, degraded }
      }
    }
    const found = [...caught.values()].find(({ ranked }) => ranked.length > 0) ?? null
    return { found, degraded }
  }

  return {
    search: (params) =>
      withSpan('search', {}, async (span) => {
        const startedAt = performance.now()
        const { found, degraded } = await find(params, startedAt)
        span.setAttribute('search.degraded', degraded)
        if (found === null) return { hits: [], degraded, corrected: null }
        const { request, ranked } = found
        await takeTurn()
        const annotate = createAnnotator(request, params)
        const hits =
          request.group === 'owner'
            ? await group(sql, request, ranked, annotate, startedAt + BUDGET_MS)
            : format(ranked, request.limit, annotate)
        const corrected = toldCorrection(request, ranked[0]?.correction ?? null, vocabulary.current())
        return { hits, degraded, corrected }
      }),
    refreshVocabulary: vocabulary.refresh,
  }
}

/** What one reading of a query has caught so far. */
interface Found {
  request: SearchRequest
  candidates: readonly Candidate[]
  ranked: readonly Ranked[]
}

const rank = async (request: SearchRequest, candidates: readonly Candidate[]): Promise<Found> => {
  const distinct = [...new Map(candidates.map((candidate) => [candidate.id, candidate])).values()]
  return { request, candidates: distinct, ranked: await rankInTurns(request, distinct) }
}

/** With less time than this there is nothing to be found any more. */
const SHORTEST_SEARCH_MS = 50
const MOST_CORRECTIONS = 6
const MOST_DOUBTS = 8

const correct = (request: SearchRequest, vocabulary: Vocabulary): SearchRequest => ({
  ...request,
  corrections: correctQuery(request, vocabulary, {
    limit: request.net === 'words' ? MOST_CORRECTIONS : MOST_DOUBTS,
    doubtAll: request.net !== 'words',
  }),
})

/** A best hit that has less of the query than this is worth a second look. */
const WEAK_COVERAGE = 0.8

const isWeak = ({ ranked: [best] }: Found): boolean =>
  best === undefined || (best.coverage < WEAK_COVERAGE && best.exactIdBonus === 0)

/** What is like three letters is like nothing. */
const isShort = (q: string): boolean => splitWords(q).join('').length < 4

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
  deadline: number,
): Promise<SearchHit[]> => {
  const owners = listOwnersToGroup(ranked, request.limit)
  const leftMs = Math.max(SHORTEST_SEARCH_MS, deadline - performance.now())
  const lookups =
    owners.length === 0 ? [] : await waitAtMost(leftMs, listOwnerMembers(sql, owners, request, MOST_MEMBERS))
  // Of groups that are not whole, the counts would be wrong.
  if (lookups === 'late') return format(ranked, request.limit, annotate)
  const members = (await rankInTurns(
    request,
    lookups.flatMap(({ parcels }) => parcels.map(readParcelRow)),
    { keepAll: true },
  )) as Ranked<ParcelCandidate>[]
  const rankedMembers = new Map(members.map((member) => [member.candidate.id, member]))
  const hits: SearchHit[] = []
  for (const entry of groupByOwner(ranked, lookups, rankedMembers, request.limit)) {
    // Marking up 50 members takes a turn of its own.
    await takeTurn()
    hits.push(...(entry.kind === 'group' ? [formatGroup(entry.group, annotate)] : format([entry.ranked], 1, annotate)))
  }
  return hits
}

type Retrieve = (request: SearchRequest, budgetMs: number) => Promise<{ candidates: Candidate[]; degraded: boolean }>

/** Asks Meilisearch, and Postgres when Meilisearch is away, busy or slow. */
const createRetrieval = (
  meilisearch: SearchEngine | null,
  postgres: SearchEngine,
  onHealthChange: NonNullable<SearchDeps['onHealthChange']>,
): Retrieve => {
  const askPostgres = (request: SearchRequest, budgetMs: number) =>
    postgres.findCandidates(request, Math.min(POSTGRES_BUDGET_MS, budgetMs))
  if (meilisearch === null) {
    return async (request, budgetMs) => ({ candidates: await askPostgres(request, budgetMs), degraded: false })
  }
  let healthy = true
  let pausedUntil = 0
  const report = (isHealthy: boolean, reason: string) => {
    if (healthy !== isHealthy) onHealthChange(isHealthy, reason)
    healthy = isHealthy
    pausedUntil = isHealthy ? 0 : Date.now() + PAUSE_MS
  }

  const askMeilisearch = async (request: SearchRequest, budgetMs: number): Promise<Candidate[] | null> => {
    try {
      const candidates = await meilisearch.findCandidates(request, Math.min(MEILISEARCH_BUDGET_MS, budgetMs))
      report(true, 'Meilisearch answers again')
      return candidates
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      report(false, error.cause instanceof Error ? error.cause.message : error.message)
      return null
    }
  }

  return async (request, budgetMs) => {
    const startedAt = performance.now()
    const left = () => Math.max(1, startedAt + budgetMs - performance.now())
    if (!healthy && Date.now() < pausedUntil) {
      return { candidates: await askPostgres(request, left()), degraded: true }
    }
    // The other searches of this moment do not wait for what this one finds out.
    if (!healthy) pausedUntil = Date.now() + PAUSE_MS
    const first = askMeilisearch(request, budgetMs)
    const outcome = await waitAtMost(PATIENCE_MS, first)
    if (outcome !== 'late') {
      if (outcome !== null) return { candidates: outcome, degraded: false }
      return { candidates: await askPostgres(request, left()), degraded: true }
    }
    const second = askPostgres(request, left())
    second.catch(() => {})
    const late = await first
    return late !== null ? { candidates: late, degraded: false } : { candidates: await second, degraded: true }
  }
}
