import { AsyncLocalStorage } from 'node:async_hooks'

/** A server that a request waits for: PostgreSQL or Meilisearch. */
export type Part = 'db' | 'search'
const PARTS: readonly Part[] = ['db', 'search']

/** How long each part of one request takes: the time during which at least one operation of the part runs. */
export interface RequestTimes {
  /** Returns a function that ends the operation. */
  begin: (part: Part) => () => void
  /** `db;dur=1.2, search;dur=3.4, `, in ms. Parts that were not used are missing. */
  describe: () => string
}

const storage = new AsyncLocalStorage<RequestTimes>()

interface PartTime {
  running: number
  since: number
  totalMs: number
}

export const createRequestTimes = (): RequestTimes => {
  const parts: Partial<Record<Part, PartTime>> = {}
  return {
    begin(part) {
      const state = parts[part] ?? { running: 0, since: 0, totalMs: 0 }
      parts[part] = state
      if (state.running++ === 0) state.since = performance.now()
      return () => {
        if (--state.running === 0) state.totalMs += performance.now() - state.since
      }
    },
    describe() {
      let text = ''
      for (const part of PARTS) {
        const time = parts[part]
        if (time !== undefined) text += `${part};dur=${time.totalMs.toFixed(1)}, `
      }
      return text
    },
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
