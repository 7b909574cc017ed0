import { AsyncLocalStorage } from 'node:async_hooks'

/** What a request waits for: PostgreSQL, Meilisearch. */
export type Part = 'db' | 'search'

/** How long one request's parts take: the time in which at least one operation of the part is under way. */
export interface RequestTimes {
  /** Returns what ends it. */
  begin: (part: Part) => () => void
  /** In ms; parts that did not happen are missing. */
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

/** Runs `work`; what it does counts among `times`. */
export const countTimes = <Result>(times: RequestTimes, work: () => Result): Result => storage.run(times, work)

/** Those of the request that is being answered; undefined where none is, or nobody may be told. */
export const currentTimes = (): RequestTimes | undefined => storage.getStore()

export const timePart = async <Result>(part: Part, work: () => Promise<Result>): Promise<Result> => {
  const end = currentTimes()?.begin(part)
  try {
    return await work()
  } finally {
    end?.()
  }
}
