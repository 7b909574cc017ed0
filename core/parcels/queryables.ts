import { PARCEL_FIELDS, RECORD_FIELDS } from './fields'

export type QueryableType = 'text' | 'number' | 'boolean' | 'time'

export interface Queryable {
  type: QueryableType
  description: string
}

/** Properties by name. */
export type Queryables = Readonly<Record<string, Queryable>>

const TYPE_OF_FIELD = {
  text: 'text',
  area: 'number',
  degrees: 'number',
  money: 'number',
  boolean: 'boolean',
  list: null,
} as const

/** The properties of a parcel that a CQL2 expression can compare, by name. A name is also the name of the column. */
export const PARCEL_QUERYABLES: Queryables = {
  source: { type: 'text', description: 'Slug of the source.' },
  source_parcel_id: { type: 'text', description: 'Id of the parcel, in the notation of its source.' },
  ...Object.fromEntries(
    RECORD_FIELDS.flatMap((name) => {
      const { type, description } = PARCEL_FIELDS[name]
      const queryable = TYPE_OF_FIELD[type]
      return queryable === null ? [] : [[name, { type: queryable, description }]]
    }),
  ),
  updated_at: { type: 'time', description: 'Time of the last change.' },
}
