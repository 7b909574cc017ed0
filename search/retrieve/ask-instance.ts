import { waitAtMost } from '../../core/concurrency/wait-at-most'
import { ServiceError } from '../../core/service-error'
import type { Pool } from '../engine'
import type { SearchRequest } from '../query/query'
import { lacksAttribute, type MeilisearchEngine } from './meilisearch'

/** If Meilisearch has not answered after this time, its health is checked. If it is not healthy, PostgreSQL is searched too. */
const PATIENCE_MS = 300
/** A healthy server answers a health check within this time, even under load. */
const HEALTH_PATIENCE_MS = 150
export const MEILISEARCH_BUDGET_MS = 700
/** How long to wait for a healthy but busy Meilisearch. Under load, PostgreSQL would take even longer. */
const BUSY_MEILISEARCH_BUDGET_MS = 5_000
/** How long to pause after Meilisearch has failed. Then one search tries it again. */
const PAUSE_MS = 1_000
/** After this time without a search, the last one that failed is repeated: operators must see that the instance answers again. */
const REPEAT_MS = 5_000
/** Why a request to Meilisearch is aborted before its budget is spent. */
const GIVEN_UP = 'PostgreSQL answers this search, or neither does'

/** `degraded`: Meilisearch did not answer, so PostgreSQL did. */
export type DegradedPool = Pool & { degraded: boolean }

export interface AskedInstance {
  /** The instance failed recently and gets no requests. Each second, one search gets false and tries it again. */
  isPaused: () => boolean
  /** Candidates from this instance, or from `askPostgres` if the instance is down or stalls. Waits for an instance that is only busy, or if PostgreSQL fails as well. */
  ask: (request: SearchRequest, askPostgres: () => Promise<Pool>) => Promise<DegradedPool>
  /** Candidates from this instance although it is paused; null if it does not answer within `MEILISEARCH_BUDGET_MS`. */
  askPaused: (request: SearchRequest) => Promise<Pool | null>
  /** The instance did not answer what had to be known before this search. */
  fail: (request: SearchRequest, error: unknown) => void
}

/** `onHealthChange` gets a message when the instance stops answering and when it answers again. */
export const createAskedInstance = (
  meilisearch: MeilisearchEngine,
  onHealthChange: (healthy: boolean, reason: string) => void,
): AskedInstance => {
  let healthy = true
  let pausedUntil = 0
  let repeating: Timer | undefined
  const report = (isHealthy: boolean, reason: string, request: SearchRequest) => {
    if (healthy !== isHealthy) onHealthChange(isHealthy, reason)
    healthy = isHealthy
    pausedUntil = isHealthy ? 0 : performance.now() + PAUSE_MS
    if (isHealthy) clearTimeout(repeating)
    else repeatLater(request)
  }
  const repeatLater = (request: SearchRequest) => {
    clearTimeout(repeating)
    repeating = setTimeout(async () => {
      const pool = await askMeilisearch(request, new AbortController())
      // Its index does not support this query yet, which says nothing about the instance.
      if (pool === null && !healthy) repeatLater(request)
    }, REPEAT_MS)
    repeating.unref()
  }

  /** Null: Meilisearch failed, took too long, or its index does not support this query yet. */
  const askMeilisearch = async (request: SearchRequest, stop: AbortController): Promise<Pool | null> => {
    try {
      const pool = await meilisearch.findCandidates(request, BUSY_MEILISEARCH_BUDGET_MS, stop)
      report(true, 'Meilisearch answers again', request)
      return pool
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      if (stop.signal.reason !== GIVEN_UP && !lacksAttribute(error))
        report(false, error.cause instanceof Error ? error.cause.message : error.message, request)
      return null
    }
  }

  return {
    isPaused() {
      if (healthy) return false
      if (performance.now() < pausedUntil) return true
      // Other searches do not wait for the result of this one.
      pausedUntil = performance.now() + PAUSE_MS
      return false
    },
    async ask(request, askPostgres) {
      const answerDegraded = async () => ({ ...(await askPostgres()), degraded: true })
      const stop = new AbortController()
      const first = askMeilisearch(request, stop)
      const soon = await waitAtMost(PATIENCE_MS, first)
      if (soon === null) return answerDegraded()
      if (soon !== 'late') return { ...soon, degraded: false }

      const wellness = meilisearch.isWell()
      const fromMeilisearch = async () => {
        const found = await first
        return found === null ? null : { ...found, degraded: false }
      }
      const waitForBusy = async () => (await fromMeilisearch()) ?? answerDegraded()
      if ((await waitAtMost(HEALTH_PATIENCE_MS, wellness)) === true) return waitForBusy()
      const second = answerDegraded()
      second.catch(() => {})
      const late = await waitAtMost(MEILISEARCH_BUDGET_MS - PATIENCE_MS - HEALTH_PATIENCE_MS, first)
      if (late === null) return second
      if (late !== 'late') return { ...late, degraded: false }
      // This process itself may have been busy, so the health result may have arrived late.
      if ((await waitAtMost(0, wellness)) === true) return waitForBusy()
      // On an overloaded machine, PostgreSQL may be late too. Then Meilisearch, which is only slow, still answers.
      const either = Promise.race([second, fromMeilisearch().then((pool) => pool ?? second)])
      const found = await either.catch((error) => {
        if (!(error instanceof ServiceError)) throw error
        return fromMeilisearch()
      })
      if (found === null) return second
      if (found.degraded) {
        stop.abort(GIVEN_UP)
        report(false, `Meilisearch has not answered within ${MEILISEARCH_BUDGET_MS} ms`, request)
      }
      return found
    },
    async askPaused(request) {
      const stop = new AbortController()
      const pool = await waitAtMost(MEILISEARCH_BUDGET_MS, askMeilisearch(request, stop))
      if (pool !== 'late') return pool
      stop.abort(GIVEN_UP)
      return null
    },
    fail: (request, error) => report(false, error instanceof Error ? error.message : String(error), request),
  }
}
