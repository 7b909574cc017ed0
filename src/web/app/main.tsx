import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { Refusal } from './api'
import { App } from './app'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // What the service refuses it refuses again; a network that is away may come back.
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
