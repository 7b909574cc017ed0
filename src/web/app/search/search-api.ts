import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, ask } from '../api/api'
import type { MapHit } from '../map/map-parcel'
import { useViewer } from '../session/viewer'
import type { Filters } from './filters'
import { useIsChanging } from './use-is-changing'

const MAX_HITS = 20
/** Longer than the pause between two typed letters. */
const TYPING_MS = 300
const NONE: Hit[] = []

const findHits = (filters: Filters, signal: AbortSignal) =>
  ask(
    api.v1.search.get({
      query: {
        q: filters.q,
        limit: MAX_HITS,
        highlight: '1',
        center: '1',
        ...(filters.types === 'all' ? {} : { types: filters.types }),
        ...(filters.state === '' ? {} : { state: filters.state }),
        ...(filters.isGrouped ? { group: 'owner' } : {}),
      },
      fetch: { signal },
    }),
  )

/** Hits as a person types. A new text aborts the previous request; the last hits stay until the next ones arrive. */
export const useSearch = (filters: Filters) => {
  const { canRead } = useViewer()
  const q = filters.q.trim()
  const isAsking = [...q].length >= 2
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['search', { ...filters, q }],
    queryFn: ({ signal }) => findHits({ ...filters, q }, signal),
    enabled: canRead && isAsking,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
  const hits = isAsking && error === null ? (data?.results ?? NONE) : NONE
  const places = useMemo(() => placesOf(hits), [hits])
  return { hits, places, data, error, isAsking, isPlaceholderData, isTyping: useIsChanging(filters.q, TYPING_MS) }
}

export type SearchState = ReturnType<typeof useSearch>
export type Hit = Awaited<ReturnType<typeof findHits>>['results'][number]
export type ParcelHit = Extract<Hit, { kind: 'parcel' }>
export type EntityHit = Extract<Hit, { kind: 'entity' }>
export type OwnerGroup = Extract<Hit, { kind: 'owner-group' }>

/** The positions of the hits, including all members of owners' groups. */
const placesOf = (hits: readonly Hit[]): MapHit[] =>
  hits
    .flatMap((hit): ParcelHit[] => (hit.kind === 'parcel' ? [hit] : hit.kind === 'owner-group' ? hit.members : []))
    .flatMap(({ source, source_parcel_id, situs_address, owner_name, center }) => {
      const [lon, lat] = center ?? []
      if (lon === undefined || lat === undefined) return []
      return [
        { id: `parcel:${source}/${source_parcel_id}`, source, source_parcel_id, situs_address, owner_name, lon, lat },
      ]
    })
