import { AsyncLocalStorage } from 'node:async_hooks'

/** A server that a request waits for: PostgreSQL or Meilisearch. */
export type Part = 'db' | 'search'

/** How long each part of one request takes: the time during which at least one operation of the part runs. */
export interface RequestTimes {
  /** Returns a function that ends the operation. */
  begin: (part: Part) => () => void
  /** In ms. Parts that were not used are missing. */
  read: () => Partial<Record<Part, number>>
}

const storage = new AsyncLocalStorage<RequestTimes>()

export const createRequestTimes = (): RequestTimes => {
  const parts = new Map<Part, { running: number; since: number; totalMs: number }>()
  return {
    begin(part) {
      const state = parts.get(part) ?? { running: 0, since: 0, totalMs: 0 }
      parts.set(part, state)
      if (state.running++ === 0) state.since = performance.now()
      return () => {
        if (--state.running === 0) state.totalMs += performance.now() - state.since
      }
    },
    read: () => Object.fromEntries([...parts].map(([part, { totalMs }]) => [part, totalMs])),
  }
}

/** Runs `work` and adds its operations to `times`. */
export const countTimes = <Result>(times: RequestTimes, work: () => Result): Result => storage.run(times, work)

/** The times of the current request; undefined outside a request, or when its caller may not see them. */
export const currentTimes = (): RequestTimes | undefined => storage.getStore()

export const timePart = async <Result>(part: Part, work: () => Promise<Result>): Promise<Result> => {
  const end = currentTimes()?.begin(part)
  try {
    return await work()
  } finally {
    end?.()
  }
}
