import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import type { Bbox } from '../../../../core/bbox'
import { authorization } from '../../callers/auth'
import { callerOf } from '../../callers/caller-of'
import { HttpError } from '../../convention/errors'
import { jsonResponse } from '../../convention/json'
import type { Deps } from '../../deps'
import {
  after,
  atOrNull,
  closed,
  count,
  DECIMAL,
  idOf,
  include,
  keyedErrors,
  limit,
  next,
  query,
  sourceParcelId,
  sourceSlug,
} from '../../schemas'
import { parcelFieldSchemas } from './field-schemas'

const parcelRow = Type.Object(
  {
    id: idOf('record'),
    source: sourceSlug,
    source_parcel_id: sourceParcelId,
    owner_name: parcelFieldSchemas.owner_name,
    situs_address: parcelFieldSchemas.situs_address,
    assessed_value: parcelFieldSchemas.assessed_value,
    land_use_class: parcelFieldSchemas.land_use_class,
    retired_at: Type.Optional(
      atOrNull('Only with include=retired: when the source stopped listing the parcel; null if it lists it.'),
    ),
  },
  { ...closed, component: 'ParcelRow', description: 'A parcel with its main fields.' },
)

const parcelPage = Type.Object({
  count,
  parcels: Type.Array(parcelRow, { description: 'Ordered by id.' }),
  next,
})

const BBOX = 'four comma-separated numbers: west,south,east,north, in degrees (EPSG:4326)'

export const listParcelsRoute = ({ parcelBoxes, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/parcels',
    async ({ query: { bbox, source, limit = 500, after, include }, request }) => {
      const page = { source: source ?? null, after: after ?? null, limit, withRetired: include === 'retired' }
      const { count, rows, next } = await parcelBoxes.find(parseBbox(bbox), page, callerOf(request))
      return jsonResponse(`{"count":${count},"parcels":[${rows}],"next":${JSON.stringify(next)}}`)
    },
    {
      needs: 'read',
      query: query({
        bbox: t.String({
          takes: BBOX,
          description: `${BBOX}. If west is greater than east, the box crosses the antimeridian.`,
          examples: ['-122.99,45.51,-122.98,45.52'],
        }),
        source: t.Optional(sourceSlug),
        limit: limit(5000, 500),
        after,
        include,
      }),
      response: { 200: parcelPage, ...keyedErrors },
      detail: {
        tags: ['parcels'],
        summary: 'List parcels in a bounding box',
        description:
          'Returns parcels whose boundary intersects the box, with their main fields. Get a single parcel for all its fields. Use `after` to get the next page.',
        operationId: 'listParcels',
      },
    },
  )

/** @throws HttpError 400 */
const parseBbox = (text: string): Bbox => {
  const numbers = text.split(',').map((part) => (DECIMAL.test(part.trim()) ? Number(part) : Number.NaN))
  const [west, south, east, north] = numbers
  if (numbers.length !== 4 || !numbers.every(Number.isFinite)) throw new HttpError(400, `bbox must be ${BBOX}`)
  return checkRange([west, south, east, north] as Bbox)
}

const checkRange = (box: Bbox): Bbox => {
  const [west, south, east, north] = box
  if (Math.abs(west) > 180 || Math.abs(east) > 180)
    throw new HttpError(400, 'bbox: west and east must be from -180 to 180')
  if (Math.abs(south) > 90 || Math.abs(north) > 90)
    throw new HttpError(400, 'bbox: south and north must be from -90 to 90')
  if (south > north) throw new HttpError(400, 'bbox: south must not be greater than north')
  return box
}
