import type { Queryables, QueryableType } from '../parcels/queryables'
import { ServiceError } from '../service-error'
import { readTime } from '../text/read-time'
import type { Cql2, Cql2Value } from './cql2'

/**
 * An expression that compares a property with a value from a query string.
 *
 * @throws ServiceError `bad_input`
 */
export const isValue = (property: string, text: string, queryables: Queryables): Cql2 => {
  const type = queryables[property]?.type ?? 'text'
  const value = readValue(type, text)
  if (value === null) throw new ServiceError('bad_input', `${property} must be ${VALUES[type]}`)
  return { kind: 'compare', property, ignoresCase: false, operator: '=', value }
}

const readValue = (type: QueryableType, text: string): Cql2Value | null => {
  if (type === 'number') return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : null
  if (type === 'boolean') return text === 'true' || text === 'false' ? text === 'true' : null
  if (type === 'time') return readTime(text)
  return text
}

const VALUES: Record<QueryableType, string> = {
  text: 'text',
  number: 'a number',
  boolean: 'true or false',
  time: 'a time in ISO 8601',
}
