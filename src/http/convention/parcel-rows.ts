import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { LIST_FIELDS, type ListField, MAIN_FIELDS } from '../../../drizzle/queries/parcels/list-fields'
import type { ParcelOrder } from '../../../drizzle/queries/parcels/list-parcels'
import { GEOMETRIES } from '../../parcels/list-parcels'
import { oneOf } from '../schemas'
import { HttpError } from './errors'

/** Query parameters that decide what each row of a list shows. */
export const rowFields = {
  fields: t.Optional(
    t.String({
      minLength: 1,
      maxLength: 1_000,
      description: `Comma-separated fields of each row, next to \`id\`, \`source\` and \`source_parcel_id\`: ${LIST_FIELDS.join(', ')}. \`all\` is all of them.`,
      byDefault: MAIN_FIELDS.join(','),
      examples: ['owner_name,acreage,updated_at'],
    }),
  ),
  geometry: t.Optional(
    oneOf(GEOMETRIES, {
      description:
        '`full` adds the boundary as `geom_geojson`. `simplified` leaves out corners that are closer than about two meters to the line between their neighbors.',
      byDefault: 'none',
      examples: ['simplified'],
    }),
  ),
}

/** @throws HttpError 400 */
export const parseFields = (text: string | undefined): readonly ListField[] => {
  if (text === undefined) return MAIN_FIELDS
  if (text === 'all') return LIST_FIELDS
  return text.split(',').flatMap((part) => {
    const name = part.trim()
    if (['id', 'source', 'source_parcel_id'].includes(name)) return []
    const field = LIST_FIELDS.find((known) => known === name)
    if (field === undefined)
      throw new HttpError(400, `fields must be all, or a comma-separated subset of ${LIST_FIELDS.join(', ')}`)
    return [field]
  })
}

const ORDERS: Record<string, ParcelOrder> = {
  id: 'id',
  source_parcel_id: 'parcel',
  assessed_value: { column: 'assessed_value', isDescending: false },
  '-assessed_value': { column: 'assessed_value', isDescending: true },
  acreage: { column: 'acreage', isDescending: false },
  '-acreage': { column: 'acreage', isDescending: true },
  updated_at: { column: 'updated_at', isDescending: false },
  '-updated_at': { column: 'updated_at', isDescending: true },
}

export const sort = t.Optional(
  oneOf(Object.keys(ORDERS), {
    description:
      'Order of the rows; with `-`, descending. `source_parcel_id` is by source, then id of the parcel. Parcels without a value come last. By default `id` with `bbox`, else `source_parcel_id`.',
    examples: ['-assessed_value'],
  }),
)

export const parseSort = (text: string | undefined, byDefault: ParcelOrder): ParcelOrder =>
  text === undefined ? byDefault : (ORDERS[text] ?? byDefault)

export const afterRow = t.Optional(
  Type.String({
    minLength: 1,
    maxLength: 400,
    takes: 'the `next` of the previous page',
    description: '`next` of the previous page, with the same filters and order.',
    examples: ['sample-county/12-0001-0020'],
  }),
)
