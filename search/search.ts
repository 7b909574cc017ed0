import { type Caller, createFairTurns } from '../core/concurrency/fair-turns'
import { yieldToOthers } from '../core/concurrency/yield-to-others'
import { withSpan } from '../core/observe/with-span'
import type { Sql } from '../core/postgres/database'
import { type Reader, type Reads, readPrimary } from '../core/postgres/replicas/reads'
import { NO_STATES, uniteStates } from '../core/state-set'
import { createBudget, TIME_LIMITS, type TimeLimits } from './budget'
import { encodeCursor, isMembersCursor } from './cursor'
import type { Candidate } from './engine'
import { createAnnotator, formatHits, type SearchHit } from './hits'
import { connectMeilisearch, indexNames } from './index/indexes'
import { listInstances, type Meilisearches } from './index/instances'
import { COMPLETE, followLiveStates } from './index/live-states'
import { cursorOfMembers, listMembers } from './members'
import { correct, reportedCorrection } from './query/correct-query'
import { hashSearch, MATCH_LEVELS, parseQuery, type SearchParams } from './query/query'
import { createVocabularyKeeper } from './query/vocabulary-keeper'
import { group, type OwnerGroup, ungrouped } from './rank/group'
import { listEntries, MAX_HITS, takePage } from './rank/page'
import { rankInTurns as rank } from './rank/rank'
import { MEILISEARCH_BUDGET_MS } from './retrieve/ask-instance'
import { createMeilisearchEngine } from './retrieve/meilisearch'
import { createPostgresEngine } from './retrieve/postgres'
import { createRetrieval, type OnHealthChange } from './retrieve/retrieve'
import { widenSearch } from './widen-search'

export interface SearchDeps {
  sql: Sql
  /** For short reads. Default: from `sql`. */
  reads?: Reads
  /** For slow searches, which PostgreSQL answers while Meilisearch is unavailable. Default: `reads`. */
  heavyReads?: Reads
  /** For the vocabulary, which takes minutes to read from a large database. Default: `heavyReads`. */
  vocabularyReads?: Reads
  /** Null: there is no Meilisearch, and PostgreSQL answers every search. */
  meili: Meilisearches | null
  /** Prefix of all index names. */
  indexPrefix?: string
  /** Default: `TIME_LIMITS`. Tests that check hits use longer limits, so that the result does not depend on the load of the machine. */
  limits?: TimeLimits
  onHealthChange?: OnHealthChange
}

export interface SearchAnswer {
  hits: SearchHit[]
  /**
   * Number of hits on all pages, at most 1,000, where a group counts as one. On pages of an owner's parcels, the number of all these
   * parcels.
   */
  total: number
  /** False: there may be more. */
  isTotalExact: boolean
  /** The cursor of the next page. Null on the last page. */
  next: string | null
  /** A Meilisearch instance did not answer, so PostgreSQL did, with fewer candidates. Always false in a setup without Meilisearch. */
  degraded: boolean
  /** The query with corrected spelling. Null when every word of the query occurs in some record. */
  corrected: string | null
}

export interface Search {
  /**
   * Searches queue fairly: round robin by caller.
   *
   * @throws ServiceError `search_unavailable` when neither engine answers, `busy`, `caller_gone`
   */
  search: (params: SearchParams, caller?: Caller & Reader) => Promise<SearchAnswer>
  /** Reloads the vocabulary from all records. This also happens in the background when enough records have changed. */
  refreshVocabulary: () => Promise<void>
}

/** The answer to a search that finds nothing. */
const NOTHING: SearchAnswer = {
  hits: [],
  total: 0,
  isTotalExact: true,
  next: null,
  degraded: false,
  corrected: null,
}

/**
 * Limits on concurrent searches in this process. They keep Meilisearch and the event loop busy. Each search still takes a few ms
 * however long the queue is, and Meilisearch's queue of 1,000 never fills up.
 */
const TURNS = { atOnce: 8, perCaller: 6, patienceMs: 15_000 }
/** Grouping takes a few ms. It gets at least this much time, even with no budget left, because otherwise hits would not be grouped. */
const SHORTEST_GROUPING_MS = 300

/** Search as the API contract defines it: parse → correct → retrieve → rank → group → format. */
export const createSearch = ({
  sql,
  reads = readPrimary(sql),
  heavyReads = reads,
  vocabularyReads = heavyReads,
  meili,
  indexPrefix = '',
  limits = TIME_LIMITS,
  onHealthChange,
}: SearchDeps): Search => {
  const turns = createFairTurns(TURNS)
  const indexes = indexNames(indexPrefix)
  const searched = listInstances(meili ?? []).map((instance) => ({
    instance,
    engine: createMeilisearchEngine(
      connectMeilisearch(instance),
      connectMeilisearch(instance, MEILISEARCH_BUDGET_MS),
      indexes,
    ),
    live: meili !== null && 'url' in meili ? async () => COMPLETE : followLiveStates(instance, indexes),
  }))
  const levels = meili === null ? MATCH_LEVELS.slice(0, 1) : MATCH_LEVELS
  const vocabulary = createVocabularyKeeper(vocabularyReads)
  const retrieve = createRetrieval(searched, createPostgresEngine(heavyReads), {
    postgresMs: limits.postgresMs,
    onHealthChange: onHealthChange ?? (() => {}),
  })

  const answer = async (params: SearchParams, caller: Caller & Reader): Promise<SearchAnswer> => {
    const budget = createBudget(limits.totalMs)
    const readings = parseQuery(params)
    const after = params.after ?? null
    if (after !== null && isMembersCursor(after)) {
      const reading = readings[after.reading]
      if (reading === undefined) return NOTHING
      const request = correct(reading, vocabulary.current())
      return { ...NOTHING, ...(await reads.run(caller, (db) => listMembers(db, request, params, after))) }
    }
    const { found, degraded } = await widenSearch(
      params.q,
      {
        readings: after === null ? readings : readings.slice(after.reading, after.reading + 1),
        levels: after === null ? levels : levels.slice(0, after.level + 1),
        budget,
        wideningMs: limits.wideningMs,
        isFixed: after !== null,
      },
      async (reading, earlier) => {
        const request = correct(reading, vocabulary.current())
        const { isExhausted, ...pool } = await retrieve(request, caller, budget, earlier?.degraded)
        const candidates = distinct([...(earlier?.candidates ?? []), ...pool.candidates])
        const isComplete = (earlier?.isComplete ?? true) && pool.isComplete
        const degraded = uniteStates(earlier?.degraded ?? NO_STATES, pool.degraded)
        return { request, candidates, ranked: await rank(request, candidates), degraded, isExhausted, isComplete }
      },
    )
    if (found === null) return { ...NOTHING, degraded }
    const { request, ranked, isComplete } = found
    await yieldToOthers()
    const all = listEntries(ranked, request.group)
    const page = takePage(all, { after, limit: request.limit, isDeep: request.isDeep || isComplete })
    const timeoutMs = Math.max(SHORTEST_GROUPING_MS, budget.leftMs())
    const grouped = await group((query) => reads.run(caller, query), request, ranked, page.entries, timeoutMs)
    const search = hashSearch(params, readings)
    const reading = after?.reading ?? found.reading
    const nextMembersOf = (owners: OwnerGroup) => cursorOfMembers(owners, { search, reading })
    const isLate = grouped === 'late'
    const entries = isLate ? ungrouped(page.entries) : grouped
    const hits = await formatHits(entries, createAnnotator(request, params), nextMembersOf)
    const level = MATCH_LEVELS.indexOf(request.matchLevel)
    return {
      hits,
      total: page.total,
      isTotalExact: isComplete && all.length <= MAX_HITS,
      next: page.next === null ? null : encodeCursor({ search, reading, level, ...page.next }),
      degraded: degraded || isLate,
      corrected: reportedCorrection(request, ranked[0]?.correction ?? null, vocabulary.current()),
    }
  }

  return {
    search: (params, caller = NOBODY) =>
      turns.run(caller, () =>
        withSpan('search', {}, async (span) => {
          const answered = await answer(params, caller)
          span.setAttribute('search.degraded', answered.degraded)
          return answered
        }),
      ),
    refreshVocabulary: vocabulary.refresh,
  }
}

const distinct = (candidates: readonly Candidate[]): Candidate[] => [
  ...new Map(candidates.map((candidate) => [candidate.id, candidate])).values(),
]

/** The caller of searches made without an HTTP request, in benches and tests. */
const NOBODY: Caller & Reader = { id: '' }
