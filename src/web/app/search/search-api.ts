import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, ask } from '../api'
import type { Filters } from './filters'

const MOST_HITS = 20

/** Hits as a person types. A request whose text has changed since is aborted; the last hits stay until the next are there. */
export const useSearch = (filters: Filters, isReady: boolean) => {
  const q = filters.q.trim()
  return useQuery({
    queryKey: ['search', { ...filters, q }],
    queryFn: ({ signal }) =>
      ask(
        api.v1.search.get({
          query: {
            q,
            limit: MOST_HITS,
            highlight: '1',
            center: '1',
            ...(filters.types === 'all' ? {} : { types: filters.types }),
            ...(filters.state === '' ? {} : { state: filters.state }),
            ...(filters.isGrouped ? { group: 'owner' } : {}),
          },
          fetch: { signal },
        }),
      ),
    enabled: isReady && [...q].length >= 2,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
}

export type Found = NonNullable<ReturnType<typeof useSearch>['data']>
export type Hit = Found['results'][number]
export type ParcelHit = Extract<Hit, { kind: 'parcel' }>
export type EntityHit = Extract<Hit, { kind: 'entity' }>
export type OwnerGroup = Extract<Hit, { kind: 'owner-group' }>
