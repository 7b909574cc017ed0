import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { Refusal } from './api'

/** The app's cache of the service's responses. */
export const createQueries = (): QueryClient => {
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: (error) => checkSession(error) }),
    mutationCache: new MutationCache({ onError: (error) => checkSession(error) }),
    defaultOptions: {
      queries: {
        // Do not retry refused requests. Retry after a lost connection.
        retry: (failures, error) =>
          failures < 2 && (!(error instanceof Refusal) || error.status === 0 || error.status === 503),
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
