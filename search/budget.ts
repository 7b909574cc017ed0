/** From the start of its turn, a search is answered within this time even if Meilisearch is down or stalls. */
const BUDGET_MS = 900

/** The time a search may take. */
export interface Budget {
  leftMs: () => number
  /** Adds time that the search spent in a queue. */
  extend: (ms: number) => void
}

export const createBudget = (): Budget => {
  let endsAt = performance.now() + BUDGET_MS
  return {
    leftMs: () => endsAt - performance.now(),
    extend: (ms) => {
      endsAt += ms
    },
  }
}
