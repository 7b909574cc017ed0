import { yieldToOthers } from '../core/yield-to-others'
import type { Budget } from './budget'
import type { Candidate } from './engine'
import type { Net, SearchRequest } from './query/query'
import { splitWords } from './query/text'
import type { Ranked } from './rank/rank'
import { SHORTEST_SEARCH_MS } from './retrieve/retrieve'

/** What one reading of a query has caught so far. */
export interface Catch {
  request: SearchRequest
  candidates: readonly Candidate[]
  ranked: readonly Ranked[]
}

/** No wider net is cast after this time: weak hits now are worth more than better ones late. */
const WIDENING_MS = 150
/** A best hit that covers less of the query than this is worth a wider net. */
const WEAK_COVERAGE = 0.8
/** Queries of fewer letters match too much for trigrams to help. */
const FEWEST_LETTERS = 4

/**
 * Tries the readings of a query in their order, with one net after the other, each wider than the last, until a reading has a good hit
 * or time runs out. A later reading counts only when those before it found nothing. Null: nothing was found.
 * `haul` retrieves and ranks candidates of one reading with one net, with those that it caught before.
 */
export const castNets = async (
  q: string,
  { readings, nets, budget }: { readings: readonly SearchRequest[]; nets: readonly Net[]; budget: Budget },
  haul: (request: SearchRequest, caught: readonly Candidate[]) => Promise<Catch & { degraded: boolean }>,
): Promise<{ found: Catch | null; degraded: boolean }> => {
  const startedAt = performance.now()
  const caught = new Map<SearchRequest, Catch>()
  let degraded = false
  let found: Catch | null = null
  for (const net of nets) {
    for (const reading of readings) {
      if (degraded && budget.leftMs() < SHORTEST_SEARCH_MS) break
      await yieldToOthers()
      const hauled = await haul({ ...reading, net }, caught.get(reading)?.candidates ?? [])
      degraded ||= hauled.degraded
      caught.set(reading, hauled)
      if (hauled.ranked.length > 0) break
    }
    found = readings.map((reading) => caught.get(reading)).find((one) => (one?.ranked.length ?? 0) > 0) ?? null
    const isLate = performance.now() - startedAt > WIDENING_MS
    if (degraded || isLate || (found !== null && !isWeak(found)) || isShort(q)) break
  }
  return { found, degraded }
}

const isWeak = ({ ranked: [best] }: Catch): boolean =>
  best === undefined || (best.coverage < WEAK_COVERAGE && best.exactIdBonus === 0)

const isShort = (q: string): boolean => splitWords(q).join('').length < FEWEST_LETTERS
