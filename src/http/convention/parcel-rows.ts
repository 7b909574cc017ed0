import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import type { ParcelFilter } from '../../../core/parcels/filter'
import { ALL_FIELDS, LIST_FIELDS, type ListField, MAIN_FIELDS } from '../../../drizzle/queries/parcels/list-fields'
import type { ParcelCursor, ParcelOrder } from '../../../drizzle/queries/parcels/list-parcels'
import { COUNTS, type Total } from '../../parcels/count-parcels'
import { type EncodedPage, GEOMETRIES, type ParcelPage, toRowJson } from '../../parcels/list-parcels'
import { readCursor } from '../../parcels/parcel-cursor'
import type { RankCursor } from '../../parcels/ranked-page'
import type { RowsWanted } from '../../parcels/read-listed-rows'
import { oneOf } from '../schemas'
import { encodedListJson, jsonResponse, listJson } from './body/json'
import { HttpError } from './errors'

/** Query parameters that select the content of each row of a list. */
export const rowFields = {
  fields: t.Optional(
    t.String({
      minLength: 1,
      maxLength: 1_000,
      description: `Comma-separated fields of each row, in addition to \`id\`, \`source\` and \`source_parcel_id\`: ${LIST_FIELDS.join(', ')}. \`all\` means all of them except \`accounts\`.`,
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

type RowQuery = { [Name in keyof typeof rowFields]?: (typeof rowFields)[Name]['static'] | undefined }

/**
 * The content of each row. Rows of a list with retired parcels have `retired_at`.
 *
 * @throws HttpError 400
 */
export const parseRows = ({ fields, geometry = 'none' }: RowQuery, { lifecycle }: ParcelFilter): RowsWanted => {
  const chosen = parseFields(fields)
  return { fields: lifecycle === 'listed' ? chosen : [...chosen, 'retired_at'], geometry }
}

/** @throws HttpError 400 */
const parseFields = (text: string | undefined): readonly ListField[] => {
  if (text === undefined) return MAIN_FIELDS
  if (text === 'all') return ALL_FIELDS
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
      'Order of the rows. A leading `-` sorts in descending order. `source_parcel_id` sorts by source, then by parcel id. Parcels without a value come last. Default: `id` with `bbox`, otherwise `source_parcel_id`.',
    examples: ['-assessed_value'],
  }),
)

export const parseSort = (text: string | undefined, byDefault: ParcelOrder): ParcelOrder =>
  text === undefined ? byDefault : (ORDERS[text] ?? byDefault)

export const total = t.Optional(
  oneOf(COUNTS, {
    description:
      'Adds `total`, the number of parcels on all pages. `exact` counts every parcel. `estimate` counts up to 10,000 parcels, and estimates larger numbers from a sample.',
    examples: ['estimate'],
  }),
)

export const afterRow = t.Optional(
  Type.String({
    minLength: 1,
    maxLength: 400,
    takes: 'the `next` of the previous page',
    description: '`next` of the previous page, with the same filters and order.',
    examples: ['sample-county/12-0001-0020'],
  }),
)

const notACursor = () => new HttpError(400, 'after must be the `next` of the previous page')

/** @throws HttpError 400 */
export const parseAfter = (text: string | undefined, order: ParcelOrder | 'ranked'): ParcelCursor | null => {
  const after = text === undefined ? null : readCursor(order, text)
  if (text !== undefined && after === null) throw notACursor()
  return after
}

/** For lists that are ordered by distance or size. @throws HttpError 400 */
export const parseAfterRanked = (text: string | undefined): RankCursor | null => {
  const after = parseAfter(text, 'ranked')
  if (after !== null && !('rank' in after)) throw notACursor()
  return after
}

/** A page of a list, with `total` if it was counted, and with `complete_until` (ISO 8601) if it is known. */
export const pageResponse = (
  page: ParcelPage | EncodedPage,
  { counted, completeUntil }: { counted?: Total | undefined; completeUntil: string | undefined },
): Response => {
  const totals = counted === undefined ? '' : `,"total":${counted.total},"total_is_exact":${counted.isExact}`
  const more = completeUntil === undefined ? totals : `${totals},"complete_until":"${completeUntil}"`
  return jsonResponse(
    'runs' in page
      ? encodedListJson('parcels', page, more)
      : listJson('parcels', page.parcels.map(toRowJson), page.next, more),
  )
}
