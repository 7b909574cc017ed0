import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ApiFacts } from '../../../../http/web/guide'
import { Refusal } from '../../api/api'

export const API_FACTS_KEY = ['api-facts']
export const API_FACTS_PATH = '/docs/facts.json'

/** The page that the service sends has these facts in it. They are requested when a link of the app opens the page. */
export const useApiFacts = () =>
  useQuery({
    queryKey: API_FACTS_KEY,
    staleTime: Number.POSITIVE_INFINITY,
    // Another key clears the cache, but these facts do not depend on it.
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<ApiFacts> => {
      const response = await fetch(API_FACTS_PATH, { signal })
      if (!response.ok) throw new Refusal(response.status, `The service responded with ${response.status}.`)
      return (await response.json()) as ApiFacts
    },
  })
