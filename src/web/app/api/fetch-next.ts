import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'

/** A refresh seldom follows another one. */
const MAX_TRIES = 5

/**
 * Fetches the next page of a list. A refresh of the list cancels a page that is loading, and does not fetch it, so the page is requested
 * again after the refresh.
 */
export const fetchNext = async ({
  data,
  fetchNextPage,
}: Pick<UseInfiniteQueryResult, 'data' | 'fetchNextPage'>): Promise<void> => {
  const before = countPages(data)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    // A refresh in progress goes on, so that the list does not stay outdated.
    const { data: now, isError } = await fetchNextPage({ cancelRefetch: false })
    if (isError || countPages(now) > before) return
  }
}

const countPages = (data: unknown): number => (data as InfiniteData<unknown> | undefined)?.pages.length ?? 0
