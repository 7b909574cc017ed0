import type { Cql2, Cql2Value } from '../../../core/cql2/cql2'
import { PARCEL_QUERYABLES, type QueryableType } from '../../../core/parcels/queryables'

/** Adds a value to the parameters of a statement, and returns its placeholder: `$3`. */
export type AddValue = (value: Cql2Value) => string

const SQL_TYPES: Record<QueryableType, string> = {
  text: 'text',
  number: 'float8',
  boolean: 'boolean',
  time: 'timestamptz',
}

/**
 * The SQL text of an expression, for `parcels p`. It contains only names from `PARCEL_QUERYABLES`, fixed words, and placeholders.
 * `parseCql2` has checked the types of the values.
 */
export const cql2Condition = (cql2: Cql2, addValue: AddValue): string => {
  const condition = (part: Cql2): string => cql2Condition(part, addValue)
  switch (cql2.kind) {
    case 'and':
      return `(${cql2.parts.map(condition).join(' and ')})`
    case 'or':
      return `(${cql2.parts.map(condition).join(' or ')})`
    case 'not':
      return `(not ${condition(cql2.part)})`
    case 'constant':
      return String(cql2.value)
    case 'is null':
      return `(${columnOf(cql2)} is null)`
    case 'compare':
      return `(${columnOf(cql2)} ${cql2.operator} ${placeOf(cql2, cql2.value, addValue)})`
    case 'like':
      return `(${columnOf(cql2)} like ${placeOf(cql2, cql2.pattern, addValue)})`
    case 'between':
      return `(${columnOf(cql2)} between ${placeOf(cql2, cql2.low, addValue)} and ${placeOf(cql2, cql2.high, addValue)})`
    case 'in':
      return `(${columnOf(cql2)} in (${cql2.values.map((value) => placeOf(cql2, value, addValue)).join(', ')}))`
  }
}

interface Operand {
  property: string
  ignoresCase?: boolean
}

const columnOf = ({ property, ignoresCase = false }: Operand): string => {
  if (!Object.hasOwn(PARCEL_QUERYABLES, property)) throw new Error(`${property} is not queryable`)
  return ignoresCase ? `lower(p.${property})` : `p.${property}`
}

const placeOf = ({ property, ignoresCase = false }: Operand, value: Cql2Value, addValue: AddValue): string => {
  const typed = `${addValue(value)}::${SQL_TYPES[PARCEL_QUERYABLES[property]?.type ?? 'text']}`
  return ignoresCase ? `lower(${typed})` : typed
}
