import { type Caller, createFairTurns } from '../core/fair-turns'
import type { Sql } from '../core/postgres/database'
import { ServiceError } from '../core/service-error'
import { waitAtMost } from '../core/wait-at-most'
import { withSpan } from '../core/with-span'
import { yieldToOthers } from '../core/yield-to-others'
import { listOwnerMembers } from '../drizzle/queries/search/search-owner-members'
import type { Candidate, ParcelCandidate, SearchEngine } from './engine'
import { type Annotate, createAnnotator, formatEntity, formatParcel, type SearchHit } from './hits'
import { connectMeilisearch, indexNames, type MeilisearchAddress } from './index/indexes'
import { correctQuery, toldCorrection } from './query/correct-query'
import { NETS, parseQuery, type SearchParams, type SearchRequest } from './query/query'
import { splitWords } from './query/text'
import type { Vocabulary } from './query/vocabulary'
import { createVocabularyKeeper } from './query/vocabulary-keeper'
import { formatGroup, groupByOwner, listOwnersToGroup, MOST_MEMBERS } from './rank/group'
import { type Ranked, rankInTurns } from './rank/rank'
import { createMeilisearchEngine, type MeilisearchEngine } from './retrieve/meilisearch'
import { createPostgresEngine, readParcelRow } from './retrieve/postgres'

export interface SearchDeps {
  /** The pool that interactive queries use. */
  sql: Sql
  /** The pool for searches that Meilisearch cannot answer: they keep their connections busy. The same one where it is not given. */
  heavySql?: Sql
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
  /**
   * Searches wait for their turn, round robin by caller.
   *
   * @throws ServiceError `search_unavailable` when neither engine answers, `busy`, `caller_gone`
   */
  search: (params: SearchParams, caller?: Caller) => Promise<SearchAnswer>
  /** Reads the words of all records anew. Happens by itself, in the background, when enough has changed. */
  refreshVocabulary: () => Promise<void>
}

/**
 * Searches of this process that are under way: enough to keep Meilisearch and the event loop at work. It answers those of one moment
 * in a few ms each, however many wait, and its own queue of 1,000 is never full.
 */
const TURNS = { atOnce: 8, perCaller: 6, patienceMs: 15_000 }
/** Each search by trigrams needs several connections, and a processor for each. */
const POSTGRES_TURNS = { atOnce: 2, perCaller: 2, patienceMs: 15_000 }
/** Once it is its turn, a search is answered within this time where Meilisearch is away or stalls. */
const BUDGET_MS = 900
/** Meilisearch has not answered by then: it is asked whether it is well, and Postgres is asked too if it is not. */
const PATIENCE_MS = 300
/** A server that is well says so within this time, however much it has to do. */
const HEALTH_PATIENCE_MS = 150
const MEILISEARCH_BUDGET_MS = 700
/** A Meilisearch that is well is waited for: under load Postgres would take longer still. */
const BUSY_MEILISEARCH_BUDGET_MS = 5_000
const POSTGRES_BUDGET_MS = 600
/** No wider net is cast after this time: weak hits at once are worth more than better ones late. */
const WIDENING_MS = 150
/** After a failure Meilisearch is left alone this long, then asked again by one search. */
const PAUSE_MS = 1_000

/** Search as the contract has it: parse → correct → retrieve → rank → group → format. */
export const createSearch = ({ sql, heavySql = sql, meili, indexPrefix = '', onHealthChange }: SearchDeps): Search => {
  const turns = createFairTurns(TURNS)
  const postgres = createPostgresEngine(heavySql)
  const engine =
    meili === null
      ? null
      : createMeilisearchEngine(
          connectMeilisearch(meili, BUSY_MEILISEARCH_BUDGET_MS),
          connectMeilisearch(meili, MEILISEARCH_BUDGET_MS),
          indexNames(indexPrefix),
        )
  const vocabulary = createVocabularyKeeper(sql)
  const retrieve = createRetrieval(engine, postgres, onHealthChange ?? (() => {}))

  /** Tries the readings of a query, in their order, with one net after the other. Null: nothing was found. */
  const find = async (
    params: SearchParams,
    caller: Caller,
    budget: Budget,
  ): Promise<{ found: Found | null; degraded: boolean }> => {
    const startedAt = performance.now()
    const readings = parseQuery(params)
    const caught = new Map<SearchRequest, Found>()
    let degraded = false
    for (const net of engine === null ? NETS.slice(0, 1) : NETS) {
      for (const reading of readings) {
        if (degraded && budget.leftMs() < SHORTEST_SEARCH_MS) break
        await yieldToOthers()
        const request = correct({ ...reading, net }, vocabulary.current())
        const retrieved = await retrieve(request, caller, budget)
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
    search: (params, caller = NOBODY) =>
      turns.run(caller, () =>
        withSpan('search', {}, async (span) => {
          const budget = createBudget()
          const { found, degraded } = await find(params, caller, budget)
          span.setAttribute('search.degraded', degraded)
          if (found === null) return { hits: [], degraded, corrected: null }
          const { request, ranked } = found
          await yieldToOthers()
          const annotate = createAnnotator(request, params)
          const hits =
            request.group === 'owner'
              ? await group(sql, request, ranked, annotate, Math.max(SHORTEST_GROUPING_MS, budget.leftMs()))
              : format(ranked, request.limit, annotate)
          const corrected = toldCorrection(request, ranked[0]?.correction ?? null, vocabulary.current())
          return { hits, degraded, corrected }
        }),
      ),
    refreshVocabulary: vocabulary.refresh,
  }
}

/** The caller of searches that come without an HTTP request: benches and tests. */
const NOBODY: Caller = { id: '' }

/** The time that a search may take. */
interface Budget {
  leftMs: () => number
  /** For the time in which the search waited for its turn. */
  extend: (ms: number) => void
}

const createBudget = (): Budget => {
  let endsAt = performance.now() + BUDGET_MS
  return {
    leftMs: () => endsAt - performance.now(),
    extend: (ms) => {
      endsAt += ms
    },
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
/** Groups cost a few ms. They are waited for a little, even at the end of the budget: their hits would come ungrouped. */
const SHORTEST_GROUPING_MS = 300
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
  timeoutMs: number,
): Promise<SearchHit[]> => {
  const owners = listOwnersToGroup(ranked, request.limit)
  const lookups =
    owners.length === 0 ? [] : await waitAtMost(timeoutMs, listOwnerMembers(sql, owners, request, MOST_MEMBERS))
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
    await yieldToOthers()
    hits.push(...(entry.kind === 'group' ? [formatGroup(entry.group, annotate)] : format([entry.ranked], 1, annotate)))
  }
  return hits
}

type Retrieve = (
  request: SearchRequest,
  caller: Caller,
  budget: Budget,
) => Promise<{ candidates: Candidate[]; degraded: boolean }>

/** Asks Meilisearch, and Postgres when Meilisearch is away or stalls. One that only has much to do is waited for. */
const createRetrieval = (
  meilisearch: MeilisearchEngine | null,
  postgres: SearchEngine,
  onHealthChange: NonNullable<SearchDeps['onHealthChange']>,
): Retrieve => {
  const postgresTurns = createFairTurns(POSTGRES_TURNS)
  const askPostgres = (request: SearchRequest, caller: Caller, budget: Budget): Promise<Candidate[]> => {
    const askedAt = performance.now()
    return postgresTurns.run(caller, () => {
      budget.extend(performance.now() - askedAt)
      const leftMs = Math.max(SHORTEST_SEARCH_MS, budget.leftMs())
      return postgres.findCandidates(request, Math.min(POSTGRES_BUDGET_MS, leftMs))
    })
  }
  if (meilisearch === null) {
    return async (...search) => ({ candidates: await askPostgres(...search), degraded: false })
  }
  const answerDegraded = async (...search: Parameters<Retrieve>) => ({
    candidates: await askPostgres(...search),
    degraded: true,
  })
  let healthy = true
  let pausedUntil = 0
  const report = (isHealthy: boolean, reason: string) => {
    if (healthy !== isHealthy) onHealthChange(isHealthy, reason)
    healthy = isHealthy
    pausedUntil = isHealthy ? 0 : Date.now() + PAUSE_MS
  }

  /** Null: it failed, or was given up. */
  const askMeilisearch = async (request: SearchRequest, givenUp: AbortSignal): Promise<Candidate[] | null> => {
    try {
      const candidates = await meilisearch.findCandidates(request, BUSY_MEILISEARCH_BUDGET_MS, givenUp)
      report(true, 'Meilisearch answers again')
      return candidates
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      if (!givenUp.aborted) report(false, error.cause instanceof Error ? error.cause.message : error.message)
      return null
    }
  }

  return async (...search) => {
    if (!healthy && Date.now() < pausedUntil) return answerDegraded(...search)
    // The other searches of this moment do not wait for what this one finds out.
    if (!healthy) pausedUntil = Date.now() + PAUSE_MS
    const [request] = search
    const giveUp = new AbortController()
    const first = askMeilisearch(request, giveUp.signal)
    const soon = await waitAtMost(PATIENCE_MS, first)
    if (soon === null) return answerDegraded(...search)
    if (soon !== 'late') return { candidates: soon, degraded: false }

    const wellness = meilisearch.isWell()
    const waitForBusy = async () => {
      const found = await first
      return found === null ? answerDegraded(...search) : { candidates: found, degraded: false }
    }
    if ((await waitAtMost(HEALTH_PATIENCE_MS, wellness)) === true) return waitForBusy()
    const second = answerDegraded(...search)
    second.catch(() => {})
    const late = await waitAtMost(MEILISEARCH_BUDGET_MS - PATIENCE_MS - HEALTH_PATIENCE_MS, first)
    if (late === null) return second
    if (late !== 'late') return { candidates: late, degraded: false }
    // This process may have been busy itself, and has heard of the server's health only now.
    if ((await waitAtMost(0, wellness)) === true) return waitForBusy()
    giveUp.abort()
    report(false, `Meilisearch has not answered within ${MEILISEARCH_BUDGET_MS} ms`)
    return second
  }
}
