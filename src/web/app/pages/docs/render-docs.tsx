import { QueryClientProvider } from '@tanstack/react-query'
import { prerender } from 'react-dom/static'
import { Router } from 'wouter'
import type { ApiFacts } from '../../../../http/web/guide'
import { createQueries } from '../../api/queries'
import { App } from '../../app'
import { API_FACTS_KEY } from './guide-api'

/** The guide as HTML, in the frame of the app, for a reader who is not signed in. The service sends it, so that it can be read without JavaScript. */
export const renderDocs = async (facts: ApiFacts): Promise<string> => {
  const queries = createQueries()
  queries.setQueryData(API_FACTS_KEY, facts)
  let failure: unknown
  const { prelude } = await prerender(
    <QueryClientProvider client={queries}>
      <Router ssrPath="/docs">
        <App />
      </Router>
    </QueryClientProvider>,
    // Otherwise React sends large parts at the end, with a script that moves them. The content security policy forbids it.
    {
      progressiveChunkSize: Number.POSITIVE_INFINITY,
      onError: (error) => {
        failure = error
      },
    },
  )
  const html = await new Response(prelude).text()
  queries.clear()
  // React has left out the part that failed.
  if (failure !== undefined) throw failure
  return html
}
