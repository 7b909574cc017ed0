import {
  MutationCache,
  notifyManager,
  type Query,
  QueryCache,
  type QueryCacheNotifyEvent,
  QueryClient,
  useQueryClient,
} from '@tanstack/react-query'
import { useState, useSyncExternalStore } from 'react'
import { Refusal } from './api'

const REPEAT_FAILED_MS = 5_000

// The library's own scheduler is a timer, and the second click of a double click could be handled before it: the button was not disabled yet.
notifyManager.setScheduler(queueMicrotask)

/** Whether the trouble can end by itself: there was no response, or the service is busy or waits for one of its servers. */
export const canEnd = (error: Error): boolean =>
  !(error instanceof Refusal) || error.status === 0 || error.status === 503

/** Repeats a query that has failed, as long as the trouble can end by itself. For `refetchInterval`. */
export const repeatFailed = ({ state: { error } }: Pick<Query, 'state'>): number | false =>
  error !== null && canEnd(error) ? REPEAT_FAILED_MS : false

/** Repeats a query after `ms`, or sooner if it has failed and the trouble can end by itself. For `refetchInterval`. */
export const repeatEvery =
  (ms: number) =>
  (query: Pick<Query, 'state'>): number =>
    Math.min(ms, repeatFailed(query) || ms)

/** For `useInfiniteQuery`: a list of the service comes in pages, and each names the next one. */
export const PAGED = {
  initialPageParam: null as string | null,
  getNextPageParam: ({ next }: { next: string | null }) => next,
}

/**
 * Whether the service responds with 503 to a query that the page needs. It stays true while the query waits to be repeated and is repeated, so that
 * the notice about it does not come and go.
 */
export const useIsRetrying = (): boolean => {
  const cache = useQueryClient().getQueryCache()
  const [{ subscribe, isAnyBusy }] = useState(() => watchBusyQueries(cache))
  // The third one is for the guide, which the service renders.
  return useSyncExternalStore(subscribe, isAnyBusy, isAnyBusy)
}

const watchBusyQueries = (cache: QueryCache) => {
  const hashes = new Set<string>()
  const note = (event: QueryCacheNotifyEvent): void => {
    const { query, type } = event
    if (type === 'removed' || (type === 'observerRemoved' && query.getObserversCount() === 0)) {
      hashes.delete(query.queryHash)
    } else if (event.type === 'updated' && (event.action.type === 'failed' || event.action.type === 'error')) {
      const { error } = event.action
      if (error instanceof Refusal && error.status === 503) hashes.add(query.queryHash)
      else hashes.delete(query.queryHash)
    } else if (event.type === 'updated' && event.action.type === 'success') {
      hashes.delete(query.queryHash)
    }
  }
  return {
    isAnyBusy: (): boolean => hashes.size > 0,
    subscribe: (onChange: () => void): (() => void) =>
      cache.subscribe((event) => {
        const { size } = hashes
        note(event)
        if (size > 0 !== hashes.size > 0) onChange()
      }),
  }
}

/** The app's cache of the service's responses. */
export const createQueries = (): QueryClient => {
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: (error) => checkSession(error) }),
    mutationCache: new MutationCache({ onError: (error) => checkSession(error) }),
    defaultOptions: {
      queries: {
        // Do not retry refused requests.
        retry: (failures, error) => failures < 2 && canEnd(error),
        refetchInterval: repeatFailed,
        staleTime: 10_000,
        refetchOnWindowFocus: true,
      },
      // By default the library keeps a change while there is no network, says nothing, and sends it minutes or hours later.
      mutations: { networkMode: 'always' },
    },
  })
  /** A refusal can mean that the session has ended, so this checks again who is signed in. */
  const checkSession = (error: Error): void => {
    if (error instanceof Refusal && error.status === 401) void queries.invalidateQueries({ queryKey: ['account'] })
  }
  return queries
}
