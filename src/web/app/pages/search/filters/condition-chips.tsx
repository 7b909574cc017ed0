import { countyTitle } from '../../../../../../core/sources/county-names'
import { formatStart } from '../../../format'
import { Icon } from '../../../ui/icon'
import type { ConditionName, Conditions, changeFilters } from './filters'

/** The text of a URL may be no number. Then the service says so. */
const dollars = (text: string): string =>
  Number.isNaN(Number(text)) ? text : `$${Number(text).toLocaleString('en-US')}`

const WORDS: Readonly<Record<ConditionName | 'state', (value: string) => string>> = {
  state: (state) => state,
  county: countyTitle,
  source: (source) => source,
  owner: (owner) => `Owner: ${owner}`,
  land_use: (use) => `Land use: ${use}`,
  zoning: (zoning) => `Zoning: ${zoning}`,
  min_value: (value) => `At least ${dollars(value)}`,
  max_value: (value) => `At most ${dollars(value)}`,
  min_acres: (acres) => `At least ${acres} acres`,
  max_acres: (acres) => `At most ${acres} acres`,
  changed_since: (since) => `Changed since ${formatStart(since)}`,
  bbox: () => 'In one part of the map',
  area: () => 'In the drawn area',
}

/** A condition in words. `name` is the name of a parameter of the API. */
export const describeCondition = (name: string, value: string): string =>
  WORDS[name as keyof typeof WORDS]?.(value) ?? `${name.replaceAll('_', ' ')}: ${value}`

/** The conditions that hold, each with a button that removes it. */
export const ConditionChips = ({
  conditions,
  onChange,
}: {
  /** With the state, where no other field shows it. */
  conditions: Conditions & { state?: string }
  onChange: typeof changeFilters
}) => {
  const entries = Object.entries(conditions) as [keyof typeof WORDS, string][]
  if (entries.length === 0) return null
  return (
    <ul className="chips" aria-label="Filters">
      {entries.map(([name, value]) => (
        <li key={name}>
          <button type="button" className="chip" onClick={() => onChange({ [name]: null })}>
            <span>{WORDS[name](value)}</span>
            <span className="unseen">, remove</span>
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  )
}
