import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { createQueries } from './api/queries'
import { App } from './app'

const root = document.getElementById('app')
if (root === null) throw new Error('the page has no #app')
createRoot(root).render(
  <QueryClientProvider client={createQueries()}>
    <App />
  </QueryClientProvider>,
)
