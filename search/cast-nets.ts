import { yieldToOthers } from '../core/yield-to-others'
import type { Budget } from './budget'
import type { Candidate } from './engine'
import type { Net, SearchRequest } from './query/query'
import { splitWords } from './query/text'
import type { Ranked } from './rank/rank'
import { SHORTEST_SEARCH_MS } from './retrieve/retrieve'

/** What one reading of a query has found so far. */
export interface Catch {
  request: SearchRequest
  candidates: readonly Candidate[]
  ranked: readonly Ranked[]
}

/** After this time the search stops widening: weak hits now are better than good hits late. */
const WIDENING_MS = 150
/** If the best hit covers less of the query than this, the search tries a wider net. */
const WEAK_COVERAGE = 0.8
/** Shorter queries match too much for trigrams to help. */
const FEWEST_LETTERS = 4

/**
 * Tries each net in turn, from narrow to wide, and with each net the readings of the query in order. Stops when a reading has a good
 * hit or time runs out. A later reading counts only when all earlier ones found nothing. Null: nothing was found.
 * `haul` retrieves candidates for one reading with one net, and ranks them together with the reading's earlier candidates.
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
