import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { Refusal } from './api'
import { App } from './app'

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

const root = document.getElementById('app')
if (root === null) throw new Error('the page has no #app')
createRoot(root).render(
  <QueryClientProvider client={queries}>
    <App />
  </QueryClientProvider>,
)
