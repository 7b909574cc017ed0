import { useCallback, useState } from 'react'

export interface Filters {
  q: string
  types: 'all' | 'parcels' | 'entities'
  /** Two letters; empty: everywhere. */
  state: string
  /** Parcels of one owner are one entry. */
  isGrouped: boolean
}

const TYPES = ['all', 'parcels', 'entities'] as const

const readFilters = (): Filters => {
  const params = new URLSearchParams(location.search)
  return {
    q: params.get('q') ?? '',
    types: TYPES.find((type) => type === params.get('types')) ?? 'all',
    state: params.get('state') ?? '',
    isGrouped: params.get('group') !== 'none',
  }
}

const writeFilters = ({ q, types, state, isGrouped }: Filters): string => {
  const params = new URLSearchParams()
  if (q !== '') params.set('q', q)
  if (types !== 'all') params.set('types', types)
  if (state !== '') params.set('state', state)
  if (!isGrouped) params.set('group', 'none')
  return params.size === 0 ? '/app/search' : `/app/search?${params}`
}

/** What is searched for, kept in the page's address, so that going back brings it back. */
export const useFilters = (): [Filters, (change: Partial<Filters>) => void] => {
  const [filters, setFilters] = useState(readFilters)
  const change = useCallback((changed: Partial<Filters>) => {
    setFilters((before) => {
      const after = { ...before, ...changed }
      history.replaceState(history.state, '', writeFilters(after))
      return after
    })
  }, [])
  return [filters, change]
}
