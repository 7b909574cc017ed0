import { useMemo } from 'react'
import { changeAddress, useAddressParams } from '../../../address'

/** Conditions on parcels, by their names in the API and in the page's address. */
export const CONDITION_NAMES = [
  'county',
  'source',
  'owner',
  'land_use',
  'zoning',
  'min_value',
  'max_value',
  'min_acres',
  'max_acres',
  'changed_since',
  'bbox',
  'area',
] as const
export type ConditionName = (typeof CONDITION_NAMES)[number]
/** `area` is a polygon as `readArea` reads it; the API takes it as GeoJSON. */
export type Conditions = Readonly<Partial<Record<ConditionName, string>>>

export interface Filters {
  q: string
  types: 'all' | 'parcels' | 'entities'
  /** Two letters; empty: everywhere. */
  state: string
  /** Parcels of one owner are one entry. */
  isGrouped: boolean
  conditions: Conditions
}

const TYPES = ['all', 'parcels', 'entities'] as const

export const readFilters = (params: URLSearchParams): Filters => ({
  q: params.get('q') ?? '',
  types: TYPES.find((type) => type === params.get('types')) ?? 'all',
  state: params.get('state') ?? '',
  isGrouped: params.get('group') !== 'none',
  conditions: Object.fromEntries(
    CONDITION_NAMES.flatMap((name) => {
      const value = params.get(name)
      return value === null || value === '' ? [] : [[name, value]]
    }),
  ),
})

/** The filters that are typed rather than chosen. */
const TYPED = new Set(['q', 'land_use', 'zoning', 'min_value', 'max_value', 'min_acres', 'max_acres', 'changed_since'])

type FilterChange = Partial<Omit<Filters, 'conditions'>> & Partial<Record<ConditionName, string | null>>

/** Writes the changed filters to the page's address. Null removes a condition. */
export const changeFilters = ({ q, types, state, isGrouped, ...conditions }: FilterChange): void => {
  const params = {
    ...(q === undefined ? {} : { q }),
    ...(types === undefined ? {} : { types: types === 'all' ? null : types }),
    ...(state === undefined ? {} : { state }),
    ...(isGrouped === undefined ? {} : { group: isGrouped ? null : 'none' }),
    ...conditions,
  }
  const [name = '', ...others] = Object.keys(params)
  changeAddress(params, others.length === 0 && TYPED.has(name) ? name : null)
}

/** The text and the filters of the search. The page's address has them, so that links and Back restore them. */
export const useFilters = (): Filters => {
  const params = useAddressParams()
  return useMemo(() => readFilters(params), [params])
}

/** Whether the conditions select parcels of a few counties at most. The API lists no others by a filter alone. */
export const isNarrow = ({ county, source, owner, bbox, area }: Conditions): boolean =>
  [county, source, owner, bbox, area].some((condition) => condition !== undefined)
