import type { QueryClient } from '@tanstack/react-query'
import { API_FACTS_KEY } from './guide-api'

/** The page must be loaded when React takes over the HTML: until then, its part of the HTML must not change. */
import './docs-page'

/** Takes the facts from the page that the service sent. */
export const hydrateFacts = (queries: QueryClient): void => {
  const sent = document.getElementById('api-facts')?.textContent
  if (sent) queries.setQueryData(API_FACTS_KEY, JSON.parse(sent))
}
