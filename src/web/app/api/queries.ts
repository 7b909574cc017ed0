import { MutationCache, type Query, QueryCache, QueryClient, useIsFetching } from '@tanstack/react-query'
import { Refusal } from './api'

const REPEAT_FAILED_MS = 5_000

/** Whether the trouble can end by itself: there was no response, or the service is busy or waits for one of its servers. */
export const canEnd = (error: Error): boolean =>
  !(error instanceof Refusal) || error.status === 0 || error.status === 503

/** Repeats a query that has failed, as long as the trouble can end by itself. For `refetchInterval`. */
export const repeatFailed = ({ state: { error } }: Pick<Query, 'state'>): number | false =>
  error !== null && canEnd(error) ? REPEAT_FAILED_MS : false

/** Whether a request is being repeated because the service responded with 503. */
export const useIsRetrying = (): boolean =>
  useIsFetching({
    predicate: ({ state: { fetchFailureReason: reason } }) => reason instanceof Refusal && reason.status === 503,
  }) > 0

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
    },
  })
  /** A refusal can mean that the session has ended, so this checks again who is signed in. */
  const checkSession = (error: Error): void => {
    if (error instanceof Refusal && error.status === 401) void queries.invalidateQueries({ queryKey: ['account'] })
  }
  return queries
}
