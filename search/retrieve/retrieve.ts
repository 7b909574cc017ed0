import { type Caller, createFairTurns } from '../../core/concurrency/fair-turns'
import { waitAtMost } from '../../core/concurrency/wait-at-most'
import { ServiceError } from '../../core/service-error'
import type { Budget } from '../budget'
import type { Pool, SearchEngine } from '../engine'
import type { SearchRequest } from '../query/query'
import { lacksAttribute, type MeilisearchEngine } from './meilisearch'

/** A search by trigrams needs several connections, each with a processor. */
const POSTGRES_TURNS = { atOnce: 2, perCaller: 2, patienceMs: 15_000 }
/** If Meilisearch has not answered after this time, its health is checked. If it is not healthy, Postgres is searched too. */
const PATIENCE_MS = 300
/** A healthy server answers a health check within this time, even under load. */
const HEALTH_PATIENCE_MS = 150
export const MEILISEARCH_BUDGET_MS = 700
/** How long to wait for a healthy but busy Meilisearch. Under load, Postgres would take even longer. */
const BUSY_MEILISEARCH_BUDGET_MS = 5_000
const POSTGRES_BUDGET_MS = 600
/** How long to pause after Meilisearch has failed. Then one search tries it again. */
const PAUSE_MS = 1_000
/** Why a request to Meilisearch is aborted before its budget is spent. */
const GIVEN_UP = 'Postgres answers this search'
/** With less time than this, a search finds nothing. */
export const SHORTEST_SEARCH_MS = 50

/** `degraded`: Meilisearch did not answer, so Postgres did. */
export type Retrieve = (request: SearchRequest, caller: Caller, budget: Budget) => Promise<Pool & { degraded: boolean }>

/**
 * Gets candidates from Meilisearch, or from Postgres while Meilisearch is down or stalls. Waits for Meilisearch if it is only busy. Retired
 * parcels are not in the index, so Postgres searches them.
 */
export const createRetrieval = (
  meilisearch: MeilisearchEngine | null,
  postgres: SearchEngine,
  onHealthChange: (healthy: boolean, reason: string) => void,
): Retrieve => {
  const postgresTurns = createFairTurns(POSTGRES_TURNS)
  const askPostgres = (request: SearchRequest, caller: Caller, budget: Budget): Promise<Pool> => {
    const askedAt = performance.now()
    return postgresTurns.run(caller, () => {
      budget.extend(performance.now() - askedAt)
      const leftMs = Math.max(SHORTEST_SEARCH_MS, budget.leftMs())
      return postgres.findCandidates(request, Math.min(POSTGRES_BUDGET_MS, leftMs))
    })
  }
  if (meilisearch === null) {
    return async (...search) => ({ ...(await askPostgres(...search)), degraded: false })
  }
  const answerDegraded = async (...search: Parameters<Retrieve>) => ({
    ...(await askPostgres(...search)),
    degraded: true,
  })
  let healthy = true
  let pausedUntil = 0
  const report = (isHealthy: boolean, reason: string) => {
    if (healthy !== isHealthy) onHealthChange(isHealthy, reason)
    healthy = isHealthy
    pausedUntil = isHealthy ? 0 : Date.now() + PAUSE_MS
  }

  /** Null: Meilisearch failed, took too long, or is not built for this query yet. */
  const askMeilisearch = async (request: SearchRequest, stop: AbortController): Promise<Pool | null> => {
    try {
      const pool = await meilisearch.findCandidates(request, BUSY_MEILISEARCH_BUDGET_MS, stop)
      report(true, 'Meilisearch answers again')
      return pool
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      if (stop.signal.reason !== GIVEN_UP && !lacksAttribute(error))
        report(false, error.cause instanceof Error ? error.cause.message : error.message)
      return null
    }
  }

  const askBoth: Retrieve = async (...search) => {
    if (!healthy && Date.now() < pausedUntil) return answerDegraded(...search)
    // Other searches do not wait for the result of this one.
    if (!healthy) pausedUntil = Date.now() + PAUSE_MS
    const [request] = search
    const stop = new AbortController()
    const first = askMeilisearch(request, stop)
    const soon = await waitAtMost(PATIENCE_MS, first)
    if (soon === null) return answerDegraded(...search)
    if (soon !== 'late') return { ...soon, degraded: false }

    const wellness = meilisearch.isWell()
    const waitForBusy = async () => {
      const found = await first
      return found === null ? answerDegraded(...search) : { ...found, degraded: false }
    }
    if ((await waitAtMost(HEALTH_PATIENCE_MS, wellness)) === true) return waitForBusy()
    const second = answerDegraded(...search)
    second.catch(() => {})
    const late = await waitAtMost(MEILISEARCH_BUDGET_MS - PATIENCE_MS - HEALTH_PATIENCE_MS, first)
    if (late === null) return second
    if (late !== 'late') return { ...late, degraded: false }
    // This process itself may have been busy, so the health result may have arrived late.
    if ((await waitAtMost(0, wellness)) === true) return waitForBusy()
    stop.abort(GIVEN_UP)
    report(false, `Meilisearch has not answered within ${MEILISEARCH_BUDGET_MS} ms`)
    return second
  }

  return async (request, caller, budget) => {
    const found = await askBoth(request, caller, budget)
    // A search by trigrams finds similar words at the first level already.
    const isLacking = request.filter.lifecycle === 'all' && !found.degraded && request.matchLevel === 'strict'
    if (!isLacking || !request.types.includes('parcels')) return found
    const retired = await askPostgres(
      { ...request, types: ['parcels'] as const, filter: { ...request.filter, lifecycle: 'retired' as const } },
      caller,
      budget,
    )
    return {
      ...found,
      candidates: [...found.candidates, ...retired.candidates],
      isComplete: found.isComplete && retired.isComplete,
    }
  }
}
