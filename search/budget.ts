/** Once it is its turn, a search is answered within this time where Meilisearch is away or stalls. */
const BUDGET_MS = 900

/** The time that a search may take. */
export interface Budget {
  leftMs: () => number
  /** Adds the time for which the search waited for its turn. */
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
