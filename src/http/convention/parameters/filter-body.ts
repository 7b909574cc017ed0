import { type TSchema, Type } from '@sinclair/typebox'
import { closed } from '../../schemas'
import type { ParcelFilterQuery } from './parcel-filter'

const YES_OR_NO = ['agricultural', 'has_geometry', 'retired'] as const
const AMOUNTS = ['min_value', 'max_value', 'min_acres', 'max_acres'] as const

/** A query parameter as a member of a JSON body. */
const toMember = (name: string, schema: TSchema): TSchema => {
  const { description = '', examples = [], minimum, maximum } = schema
  const about = { description, examples }
  if (AMOUNTS.some((known) => known === name)) return Type.Number({ ...about, minimum, maximum })
  if (YES_OR_NO.some((known) => known === name)) return Type.Boolean({ ...about, examples: [true] })
  return schema
}

export type FilterBody = Record<string, string | number | boolean>

/** The query parameters of a filter as an object in a JSON body. */
export const filterBody = (
  fields: Record<string, TSchema>,
  options: { component: string; description: string; examples: FilterBody[] },
) =>
  Type.Unsafe<FilterBody>(
    Type.Object(
      Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Type.Optional(toMember(name, schema))])),
      { ...closed, ...options },
    ),
  )

/** Converts such an object to the query parameters of a list. */
export const toQuery = (filter: FilterBody): ParcelFilterQuery =>
  Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [name, typeof value === 'boolean' ? String(value) : value]),
  )
