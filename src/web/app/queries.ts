import { QueryCache, QueryClient } from '@tanstack/react-query'
import { Refusal } from './api'

/** The app's cache of what the service answered. */
export const createQueries = (): QueryClient => {
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      // A session that has ended shows with the first refusal: who is signed in is asked again.
      onError: (error) => {
        if (error instanceof Refusal && error.status === 401) void queries.invalidateQueries({ queryKey: ['account'] })
      },
    }),
    defaultOptions: {
      queries: {
        // A refused request is refused again; a lost connection may come back.
        retry: (failures, error) =>
          failures < 2 && (!(error instanceof Refusal) || error.status === 0 || error.status === 503),
        staleTime: 10_000,
        refetchOnWindowFocus: true,
      },
    },
  })
  return queries
}
