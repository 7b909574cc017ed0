import { LISTED_PARCELS, type ParcelFilter } from '../../../core/parcels/filter'
import { readTime, TIME } from '../../../core/text/read-time'
import { findStateByCode } from '../../../search/query/states'
import { UsageError } from './command'
import { oneOf } from './option-values'

/* The options that select the parcels of a command, except by place. */

export const FILTER_USAGE = `  --source SLUG  --state XX  --county NAME  --owner NAME  --parcel-id ID
  --land-use PREFIX  --zoning PREFIX  --min-value N  --max-value N  --min-acres N  --max-acres N
  --changed-since TIME  --agricultural yes|no  --has-geometry yes|no
  --include-retired    also parcels that their source no longer lists
  --retired            only parcels that their source no longer lists`

const condition = { type: 'string' } as const

export const FILTER_OPTIONS = {
  source: condition,
  state: condition,
  county: condition,
  owner: condition,
  'parcel-id': condition,
  'land-use': condition,
  zoning: condition,
  'changed-since': condition,
  'min-value': condition,
  'max-value': condition,
  'min-acres': condition,
  'max-acres': condition,
  agricultural: condition,
  'has-geometry': condition,
  'include-retired': { type: 'boolean', default: false },
  retired: { type: 'boolean', default: false },
} as const

type FilterValues = {
  [Name in keyof typeof FILTER_OPTIONS]?:
    | ((typeof FILTER_OPTIONS)[Name]['type'] extends 'boolean' ? boolean : string)
    | undefined
}

/** @throws UsageError */
export const readFilter = (values: FilterValues): ParcelFilter => {
  const filter = { ...LISTED_PARCELS, ...readConditions(values) }
  const { minValue, maxValue, minAcres, maxAcres } = filter
  if (minValue !== null && maxValue !== null && minValue > maxValue)
    throw new UsageError('--min-value must not be greater than --max-value')
  if (minAcres !== null && maxAcres !== null && minAcres > maxAcres)
    throw new UsageError('--min-acres must not be greater than --max-acres')
  if (values.retired && values['include-retired'])
    throw new UsageError(
      '--retired and --include-retired exclude each other: only retired parcels, or also retired parcels',
    )
  const empty = (['source', 'county', 'owner', 'parcel-id', 'land-use', 'zoning'] as const).find(
    (option) => values[option]?.trim() === '',
  )
  if (empty !== undefined) throw new UsageError(`--${empty} must not be empty`)
  return filter
}

const readConditions = (values: FilterValues) => ({
  state: values.state === undefined ? null : readStateCode('--state', values.state),
  source: values.source ?? null,
  county: values.county ?? null,
  owner: values.owner ?? null,
  parcelId: values['parcel-id'] ?? null,
  landUse: values['land-use'] ?? null,
  zoning: values.zoning ?? null,
  minValue: readNumber('min-value', values['min-value']),
  maxValue: readNumber('max-value', values['max-value']),
  minAcres: readNumber('min-acres', values['min-acres']),
  maxAcres: readNumber('max-acres', values['max-acres']),
  isAgricultural: readYesOrNo('agricultural', values.agricultural),
  changedSince: readChangedSince(values['changed-since']),
  hasGeometry: readYesOrNo('has-geometry', values['has-geometry']),
  lifecycle: values.retired ? ('retired' as const) : values['include-retired'] ? ('all' as const) : ('listed' as const),
})

/** @throws UsageError */
export const readStateCode = (option: string, text: string): string => {
  const code = findStateByCode(text)
  if (code === null)
    throw new UsageError(
      `${option} takes the 2-letter code of a US state, DC or a territory, such as OR, not "${text}"`,
    )
  return code
}

const readNumber = (option: string, text: string | undefined): number | null => {
  if (text === undefined) return null
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0))
    throw new UsageError(`--${option} must be a number of at least 0, not "${text}"`)
  return value
}

const readYesOrNo = (option: string, text: string | undefined): boolean | null =>
  text === undefined ? null : oneOf(`--${option}`, text, ['yes', 'no']) === 'yes'

const readChangedSince = (text: string | undefined): string | null => {
  if (text === undefined) return null
  const time = readTime(text)
  if (time === null) throw new UsageError(`--changed-since must be ${TIME}, not "${text}"`)
  return time
}
