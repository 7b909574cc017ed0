/** How long the steps of a search may take, in ms. */
export interface TimeLimits {
  /** From the start of its turn, a search is answered within this time even if Meilisearch is down or stalls. */
  totalMs: number
  /**
   * After this time the search stops widening: weak hits now are better than good hits later. While it has no hit, it uses its whole
   * budget.
   */
  wideningMs: number
  /** Results that PostgreSQL has not returned by then are left out. */
  postgresMs: number
}

export const TIME_LIMITS: TimeLimits = { totalMs: 900, wideningMs: 150, postgresMs: 600 }

/** The time a search may take. */
export interface Budget {
  leftMs: () => number
  /** Adds time that the search spent in a queue. */
  extend: (ms: number) => void
}

export const createBudget = (totalMs = TIME_LIMITS.totalMs): Budget => {
  let endsAt = performance.now() + totalMs
  return {
    leftMs: () => endsAt - performance.now(),
    extend: (ms) => {
      endsAt += ms
    },
  }
}
