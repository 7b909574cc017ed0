import { yieldToOthers } from '../core/concurrency/yield-to-others'
import type { Budget } from './budget'
import type { Candidate } from './engine'
import type { MatchLevel, SearchRequest } from './query/query'
import { splitWords } from './query/text'
import type { Ranked } from './rank/rank'
import { SHORTEST_SEARCH_MS } from './retrieve/retrieve'

/** What the search has found so far for one reading of the query. */
export interface Results {
  request: SearchRequest
  candidates: readonly Candidate[]
  ranked: readonly Ranked[]
}

/** After this time the search stops widening: weak hits now are better than good hits late. */
export const WIDENING_MS = 150
/** If the best hit covers less of the query than this, the search goes on to the next level. */
const WEAK_COVERAGE = 0.8
/** Shorter queries match too much for trigrams to help. */
const MIN_LETTERS = 4

/**
 * Searches with each match level in turn, from strict to fuzzy, and at each level with the readings of the query in order. Stops when a
 * reading has a good hit or time runs out. A later reading counts only if all earlier ones found nothing. `found` is null if nothing was
 * found. `searchOnce` retrieves candidates for one reading at one level, and ranks them together with the reading's earlier candidates.
 */
export const widenSearch = async (
  q: string,
  {
    readings,
    levels,
    budget,
    wideningMs,
  }: { readings: readonly SearchRequest[]; levels: readonly MatchLevel[]; budget: Budget; wideningMs: number },
  searchOnce: (request: SearchRequest, earlier: readonly Candidate[]) => Promise<Results & { degraded: boolean }>,
): Promise<{ found: Results | null; degraded: boolean }> => {
  const startedAt = performance.now()
  const resultsOf = new Map<SearchRequest, Results>()
  let degraded = false
  let found: Results | null = null
  for (const matchLevel of levels) {
    for (const reading of readings) {
      if (degraded && budget.leftMs() < SHORTEST_SEARCH_MS) break
      await yieldToOthers()
      const results = await searchOnce({ ...reading, matchLevel }, resultsOf.get(reading)?.candidates ?? [])
      degraded ||= results.degraded
      resultsOf.set(reading, results)
      if (results.ranked.length > 0) break
    }
    found = readings.map((reading) => resultsOf.get(reading)).find((one) => (one?.ranked.length ?? 0) > 0) ?? null
    const isLate = performance.now() - startedAt > wideningMs
    if (degraded || isLate || (found !== null && !isWeak(found)) || isShort(q)) break
  }
  return { found, degraded }
}

const isWeak = ({ ranked: [best] }: Results): boolean =>
  best === undefined || (best.coverage < WEAK_COVERAGE && best.bonuses.exact_parcel_id === 0)

const isShort = (q: string): boolean => splitWords(q).join('').length < MIN_LETTERS
