import { useId } from 'react'
import type { changeFilters, Filters } from './filters'
import { STATES } from './states'

const TYPES: [value: Filters['types'], name: string][] = [
  ['all', 'All'],
  ['parcels', 'Parcels'],
  ['entities', 'Companies'],
]

export const FilterBar = ({ filters, onChange }: { filters: Filters; onChange: typeof changeFilters }) => {
  const id = useId()
  return (
    <div className="filter-bar">
      <fieldset className="segments">
        <legend className="unseen">What to search</legend>
        {TYPES.map(([value, name]) => (
          <label key={value}>
            <input
              type="radio"
              name={`${id}-types`}
              checked={filters.types === value}
              onChange={() => onChange({ types: value })}
            />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
      <label htmlFor={`${id}-state`} className="unseen">
        State
      </label>
      <select id={`${id}-state`} value={filters.state} onChange={({ target }) => onChange({ state: target.value })}>
        <option value="">All states</option>
        {STATES.map((state) => (
          <option key={state} value={state}>
            {state}
          </option>
        ))}
      </select>
      <span className="checkbox">
        <input
          id={`${id}-group`}
          type="checkbox"
          checked={filters.isGrouped}
          onChange={({ target }) => onChange({ isGrouped: target.checked })}
        />
        <label htmlFor={`${id}-group`}>By owner</label>
      </span>
    </div>
  )
}
