import { useCallback, useState } from 'react'
import { changeAddress } from '../address'

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

const writeFilters = ({ q, types, state, isGrouped }: Filters): void =>
  changeAddress({
    q: q === '' ? null : q,
    types: types === 'all' ? null : types,
    state: state === '' ? null : state,
    group: isGrouped ? null : 'none',
  })

/** The text and the filters of the search. They are in the page's address, so that Back restores them. */
export const useFilters = (): [Filters, (change: Partial<Filters>) => void] => {
  const [filters, setFilters] = useState(readFilters)
  const change = useCallback((changed: Partial<Filters>) => {
    setFilters((before) => {
      const after = { ...before, ...changed }
      writeFilters(after)
      return after
    })
  }, [])
  return [filters, change]
}
