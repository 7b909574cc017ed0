import { type Meilisearch, MeilisearchApiError, type MultiSearchQuery } from 'meilisearch'
import { setDeadline } from '../../core/concurrency/deadline'
import { yieldToOthers } from '../../core/concurrency/yield-to-others'
import { timePart } from '../../core/observe/request-times'
import { withSpan } from '../../core/observe/with-span'
import { ServiceError } from '../../core/service-error'
import type { Candidate, Pool, SearchEngine } from '../engine'
import { CANDIDATE_ATTRIBUTE, decodeEntity, decodeParcel } from '../index/candidates'
import type { IndexNames } from '../index/indexes'
import type { SearchRequest } from '../query/query'
import { createQueries, type Query } from './queries'

/** Deep requests: candidates per query (Meilisearch returns at most 1,000), and the total at which no more queries are sent. */
const MAX_DEPTH = 1_000
const MAX_POOL = 2_000

export interface MeilisearchEngine extends SearchEngine {
  /** Whether the server reports healthy. It does so even while searches wait in its queue. */
  isWell: () => Promise<boolean>
}

/**
 * Candidates from Meilisearch, with one `/multi-search` per request, or two. `client` must have no timeout of its own: an uncleared
 * timeout keeps the objects of its search in memory until it fires.
 */
export const createMeilisearchEngine = (
  client: Meilisearch,
  healthClient: Meilisearch,
  indexes: IndexNames,
): MeilisearchEngine => {
  const find = async (request: SearchRequest, queries: readonly Query[], signal: AbortSignal): Promise<Pool> => {
    const candidates = new Map<string, Candidate>()
    /** The number of documents that each query has found. */
    const counts = new Map<Query, number>()
    const findsAtLeast = (query: Query, count: number) => (counts.get(query) ?? 0) >= count
    /** Whether a query may match more documents than it has found. */
    const isCut = (query: Query) => !counts.has(query) || findsAtLeast(query, query.limit)
    const ask = async (asked: readonly Query[]): Promise<void> => {
      const sent = asked.map(({ within, isSpare, enough, ...query }) => query)
      const { results } = await sendQueries(client, sent, signal)
      for (const { indexUid, hits } of results) {
        if (hits.length === 0) continue
        // Several responses may arrive together.
        await yieldToOthers()
        const decode = indexUid === indexes.entities ? decodeEntity : decodeParcel
        for (const { [CANDIDATE_ATTRIBUTE]: text } of hits) {
          if (text === undefined)
            throw new ServiceError('search_unavailable', OTHER_VERSION.message, { cause: OTHER_VERSION })
          // Several queries find the same documents.
          if (!candidates.has(text)) candidates.set(text, decode(text))
        }
      }
      for (const [place, query] of asked.entries()) counts.set(query, results[place]?.hits.length ?? 0)
    }
    // A sorted query finds what the wider one does not return, and the wider one of a street is nearly always cut.
    const first = queries.filter((query) =>
      query.isSpare ? request.isDeep : isCutSurely(request) || query.sort !== undefined || !isWithin(query, queries),
    )
    await ask(first)
    const cutAtFirst = first.filter(isCut)
    const hasEnough = first.some((query) => query.enough !== undefined && findsAtLeast(query, query.enough))
    const missing = queries.filter(
      (query) => !first.includes(query) && (query.isSpare ? !hasEnough : isWithin(query, cutAtFirst)),
    )
    if (missing.length > 0) await ask(missing)
    // The other queries match subsets of these.
    const cut = queries.filter((query) => query.within === undefined && isCut(query))
    if (!request.isDeep) return { candidates: [...candidates.values()], isComplete: cut.length === 0 }

    let isComplete = true
    // One at a time, so that the event loop parses one answer at a time.
    for (const query of firstOfEachIndexFirst(cut)) {
      const isFull = candidates.size >= MAX_POOL
      const more = { ...query, offset: query.limit, limit: MAX_DEPTH - query.limit }
      if (!isFull) await ask([more])
      if (isCut(more)) isComplete = false
    }
    return { candidates: [...candidates.values()], isComplete }
  }

  return {
    isWell: () => healthClient.isHealthy(),
    async findCandidates(request, timeoutMs, stop = new AbortController()) {
      const queries = createQueries(request, indexes)
      if (queries.length === 0) return { candidates: [], isComplete: true }
      const cancelDeadline = setDeadline(timeoutMs, () => stop.abort())
      try {
        return await find(request, queries, stop.signal)
      } finally {
        cancelDeadline()
      }
    },
  }
}

/** A single word matches more than one query returns, so all queries are sent together. */
const isCutSurely = ({ words }: SearchRequest): boolean => words.length === 1

/** Whether one of the others matches everything that the query matches. */
const isWithin = ({ indexUid, within }: Query, others: readonly Query[]): boolean =>
  within !== undefined &&
  others.some((other) => other.within === undefined && other.indexUid === indexUid && other.q === within)

/** Otherwise many parcels would leave no room for entities. */
const firstOfEachIndexFirst = (queries: readonly Query[]): Query[] => {
  const first = [...new Map(queries.toReversed().map((query) => [query.indexUid, query])).values()]
  return [...first, ...queries.filter((query) => !first.includes(query))]
}

const sendQueries = (client: Meilisearch, queries: MultiSearchQuery[], signal: AbortSignal) =>
  withSpan('meilisearch', { 'db.system.name': 'meilisearch', 'db.operation.batch.size': queries.length }, () =>
    timePart('search', () => send(client, queries, signal)),
  )

const LACKING_ATTRIBUTE = new Set(['invalid_search_filter', 'invalid_search_distinct'])

const OTHER_VERSION = new Error('another version of the service has built the index')

/** The live index was built before an attribute of the query or the candidate existed, and is being rebuilt. */
export const lacksAttribute = ({ cause }: ServiceError): boolean =>
  cause === OTHER_VERSION || (cause instanceof MeilisearchApiError && LACKING_ATTRIBUTE.has(cause.cause?.code ?? ''))

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
