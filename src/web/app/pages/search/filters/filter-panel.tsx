import { useId } from 'react'
import { useAddressField } from '../../../address'
import { serverNow } from '../../../api/server-clock'
import { toDateField } from '../../../format'
import { Field } from '../../../ui/form/field'
import { useCoverage } from '../../coverage/coverage-api'
import type { ConditionName, changeFilters, Filters } from './filters'

const ANY = ''

/** The conditions on parcels, as a form. Each change applies immediately. */
export const FilterPanel = ({ filters, onChange }: { filters: Filters; onChange: typeof changeFilters }) => {
  const { data } = useCoverage()
  const counties = [
    ...new Map(
      data?.sources.map(({ state, county_name }) => [`${county_name}, ${state}`, { state, county: county_name }]),
    ),
  ].sort(([a], [b]) => a.localeCompare(b))
  const { conditions, state } = filters
  const county = counties.find(
    ([, one]) => one.county.toLowerCase() === conditions.county?.toLowerCase() && (state === '' || one.state === state),
  )
  return (
    <form className="filter-panel" onSubmit={(event) => event.preventDefault()}>
      <Field label="County">
        {(given) => (
          <select
            {...given}
            value={county?.[0] ?? ANY}
            onChange={({ target }) => {
              const chosen = counties.find(([name]) => name === target.value)?.[1]
              onChange(chosen ?? { county: null, state: '' })
            }}
          >
            <option value={ANY}>All counties</option>
            {counties.map(([name]) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </Field>
      <TextCondition label="Land use" name="land_use" onChange={onChange} placeholder="RESIDENTIAL" />
      <TextCondition label="Zoning" name="zoning" onChange={onChange} placeholder="R-7" />
      <Range label="Assessed value, $" names={['min_value', 'max_value']} onChange={onChange} step={1_000} />
      <Range label="Acres" names={['min_acres', 'max_acres']} onChange={onChange} step={0.1} />
      <Field label="Changed since">
        {(given) => (
          <input
            {...given}
            type="date"
            max={toDateField(new Date(serverNow()))}
            value={toDateField(new Date(conditions.changed_since ?? ''))}
            // The day begins in the viewer's time zone, as in the history of a parcel.
            onChange={({ target }) =>
              onChange({ changed_since: target.value === '' ? null : new Date(`${target.value}T00:00`).toISOString() })
            }
          />
        )}
      </Field>
    </form>
  )
}

interface ConditionProps {
  label: string
  onChange: typeof changeFilters
}

const TextCondition = ({
  label,
  name,
  onChange,
  placeholder,
}: ConditionProps & { name: ConditionName; placeholder: string }) => {
  const field = useAddressField(name)
  return (
    <Field label={label}>
      {(given) => (
        <input
          {...given}
          {...field}
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          placeholder={placeholder}
          onChange={({ target }) => onChange({ [name]: target.value })}
        />
      )}
    </Field>
  )
}

const BOUNDS = ['at least', 'at most'] as const

const Range = ({
  label,
  names,
  onChange,
  step,
}: ConditionProps & { names: readonly [ConditionName, ConditionName]; step: number }) => {
  const id = useId()
  const fields = [useAddressField(names[0]), useAddressField(names[1])]
  return (
    <fieldset className="field range">
      <legend id={id}>{label}</legend>
      {names.map((name, index) => (
        <input
          key={name}
          {...fields[index]}
          type="number"
          min={0}
          step={step}
          aria-label={`${label}, ${BOUNDS[index]}`}
          placeholder={BOUNDS[index]}
          onChange={({ target }) => onChange({ [name]: target.value })}
        />
      ))}
    </fieldset>
  )
}
