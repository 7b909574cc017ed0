import './ui/page/navigation'
import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { createQueries } from './api/queries'
import { App } from './app'

const root = document.getElementById('app')
if (root === null) throw new Error('the page has no #app')
const queries = createQueries()
const app = (
  <QueryClientProvider client={queries}>
    <App />
  </QueryClientProvider>
)
if (root.hasChildNodes()) {
  // The service has sent the guide as HTML (docs/render-docs.tsx).
  void import('./pages/docs/hydrate-facts').then(({ hydrateFacts }) => {
    hydrateFacts(queries)
    hydrateRoot(root, app)
  })
} else createRoot(root).render(app)
