import { yieldToOthers } from '../core/concurrency/yield-to-others'
import { hasNoStates, type StateSet } from '../core/state-set'
import type { Budget } from './budget'
import type { Candidate } from './engine'
import type { MatchLevel, SearchRequest } from './query/query'
import { splitWords } from './query/text'
import type { Ranked } from './rank/ranked'
import { SHORTEST_SEARCH_MS } from './retrieve/retrieve'

/** What the search has found so far for one reading of the query. */
export interface Results {
  request: SearchRequest
  candidates: readonly Candidate[]
  ranked: readonly Ranked[]
  /** `Results` has all candidates of the levels so far. */
  isComplete: boolean
  /** The states that PostgreSQL answered. */
  degraded: StateSet
}

/**
 * If the best hit covers less of the query than this, the search goes on to the next level. In an address, a wrong digit is a small
 * share of the query but means another house. Searching with typos in every word takes longest, and helps only if little of the query
 * was found.
 */
const WEAK_COVERAGE: Record<MatchLevel, { address: number; other: number }> = {
  strict: { address: 0.93, other: 0.8 },
  relaxed: { address: 0.65, other: 0.7 },
  fuzzy: { address: 0, other: 0 },
}
/** Shorter queries match too much for trigrams to help. */
const MIN_LETTERS = 4

/** The results of one reading. `reading` is its index among the readings. */
type Found = Results & { reading: number }

interface Steps {
  readings: readonly SearchRequest[]
  levels: readonly MatchLevel[]
  budget: Budget
  /** As in `TimeLimits`. */
  wideningMs: number
  /** Search at every level, because an earlier page of the same search did. */
  isFixed: boolean
}

/**
 * Searches with each match level in turn, from strict to fuzzy, and at each level with the readings of the query in order. Stops when a
 * reading has a good hit or time runs out. A later reading counts only if all earlier ones found nothing. `found` is null if nothing was
 * found. `searchOnce` retrieves candidates for one reading at one level, and ranks them together with the reading's earlier candidates.
 * `isExhausted`: the next level would find the same.
 */
export const widenSearch = async (
  q: string,
  { readings, levels, budget, wideningMs, isFixed }: Steps,
  searchOnce: (request: SearchRequest, earlier: Results | null) => Promise<Results & { isExhausted: boolean }>,
): Promise<{ found: Found | null; degraded: boolean }> => {
  const startedAt = performance.now()
  const resultsOf = new Map<SearchRequest, Results>()
  let degraded = false
  let found: Found | null = null
  for (const matchLevel of levels) {
    let isExhausted = true
    for (const reading of readings) {
      if (degraded && budget.leftMs() < SHORTEST_SEARCH_MS) break
      await yieldToOthers()
      const results = await searchOnce({ ...reading, matchLevel }, resultsOf.get(reading) ?? null)
      degraded ||= !hasNoStates(results.degraded)
      isExhausted &&= results.isExhausted
      resultsOf.set(reading, results)
      if (results.ranked.length > 0) break
    }
    found =
      readings
        .map((one, reading) => ({ reading, results: resultsOf.get(one) }))
        .flatMap(({ reading, results }) => (results?.ranked.length ? [{ ...results, reading }] : []))[0] ?? null
    if (isFixed && !isExhausted) continue
    // The instances that answer are searched as thoroughly as usual, although waiting for PostgreSQL took longer.
    const isLate =
      found === null || degraded ? budget.leftMs() < SHORTEST_SEARCH_MS : performance.now() - startedAt > wideningMs
    if (isExhausted || isLate || (found !== null && !isWeak(found)) || isShort(q)) break
  }
  return { found, degraded }
}

const isWeak = ({ request, ranked: [best] }: Results): boolean => {
  const weak = WEAK_COVERAGE[request.matchLevel][request.beginsWithHouseNumber ? 'address' : 'other']
  return best === undefined || (best.bonuses.exact_parcel_id === 0 && best.coverage < weak)
}

const isShort = (q: string): boolean => splitWords(q).join('').length < MIN_LETTERS
