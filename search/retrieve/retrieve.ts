import { type Caller, createFairTurns } from '../../core/fair-turns'
import { ServiceError } from '../../core/service-error'
import { waitAtMost } from '../../core/wait-at-most'
import type { Budget } from '../budget'
import type { Candidate, SearchEngine } from '../engine'
import type { SearchRequest } from '../query/query'
import type { MeilisearchEngine } from './meilisearch'

/** Each search by trigrams needs several connections, and a processor for each. */
const POSTGRES_TURNS = { atOnce: 2, perCaller: 2, patienceMs: 15_000 }
/** If Meilisearch has not answered by then, its health is checked, and Postgres is searched too if it is not well. */
const PATIENCE_MS = 300
/** A server that is well says so within this time, however much it has to do. */
const HEALTH_PATIENCE_MS = 150
export const MEILISEARCH_BUDGET_MS = 700
/** A Meilisearch that is well is waited for: under load Postgres would take longer still. */
export const BUSY_MEILISEARCH_BUDGET_MS = 5_000
const POSTGRES_BUDGET_MS = 600
/** After a failure Meilisearch is left alone this long. Then one search tries it again. */
const PAUSE_MS = 1_000
/** With less time left than this, a search finds nothing. */
export const SHORTEST_SEARCH_MS = 50

/** `degraded`: Meilisearch did not answer, and Postgres did. */
export type Retrieve = (
  request: SearchRequest,
  caller: Caller,
  budget: Budget,
) => Promise<{ candidates: Candidate[]; degraded: boolean }>

/** Requests candidates from Meilisearch, and from Postgres when Meilisearch is away or stalls. A Meilisearch that is only busy is waited for. */
export const createRetrieval = (
  meilisearch: MeilisearchEngine | null,
  postgres: SearchEngine,
  onHealthChange: (healthy: boolean, reason: string) => void,
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
