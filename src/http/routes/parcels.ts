import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { scrape } from '../../../adapters/scrape'
import { findParcelJson } from '../../../drizzle/queries/parcels'
import type { Bbox } from '../../../drizzle/records'
import { listProvenance, ORIGINS } from '../../services/parcel-provenance'
import { authorization } from '../auth'
import { callerOf } from '../caller-of'
import { conditionalJson } from '../conditional'
import type { Deps } from '../deps'
import { HttpError } from '../errors'
import { jsonResponse, listJson } from '../json'
import {
  after,
  CONDITIONAL,
  DECIMAL,
  keyedErrors,
  limit,
  next,
  notFound,
  nullable,
  oneOf,
  parcelKey,
  query,
  sourceSlug,
  timestamp,
  uuid,
} from '../schemas'

const position = Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })
const multiPolygon = Type.Object(
  { type: Type.Literal('MultiPolygon'), coordinates: Type.Array(Type.Array(Type.Array(position))) },
  { description: 'GeoJSON (RFC 7946), EPSG:4326.' },
)

const text = nullable(Type.String())
const dollars = Type.Union([Type.Integer(), Type.Null()], { description: 'Whole dollars.' })

export const parcel = Type.Object(
  {
    id: uuid,
    source: sourceSlug,
    source_parcel_id: Type.String({ examples: ['12-0345-0670'] }),
    geom_geojson: Type.Union([multiPolygon, Type.Null()]),
    acreage: nullable(Type.Number()),
    owner_name: nullable(Type.String({ examples: ['JUNIPER ADA & BO'] })),
    owner_names_all: Type.Array(Type.String()),
    owner_mailing_address: text,
    situs_address: nullable(Type.String({ examples: ['123 N ALDER ST'] })),
    situs_city: text,
    situs_state: text,
    situs_zip: text,
    land_use_class: text,
    zoning_code: text,
    zoning_description: text,
    assessed_value: dollars,
    value_land: dollars,
    value_improvement: dollars,
    scrape_data: Type.Union([scrape, Type.Object({}, { additionalProperties: false })], {
      description: '{} until a scrape has filled it.',
    }),
    scraped_at: Type.Union([timestamp, Type.Null()]),
    scraped_by: text,
    scrape_data_as_of: text,
    scrape_data_as_of_source: text,
    ingested_at: timestamp,
    updated_at: timestamp,
  },
  { additionalProperties: false },
)

const parcelRow = Type.Object(
  {
    id: uuid,
    source: sourceSlug,
    source_parcel_id: Type.String({ examples: ['12-0345-0670'] }),
    owner_name: text,
    situs_address: text,
    assessed_value: dollars,
    land_use_class: text,
  },
  { additionalProperties: false },
)

const parcelPage = Type.Object({
  count: Type.Integer(),
  parcels: Type.Array(parcelRow),
  next,
})

const fieldOrigin = Type.Object(
  {
    field: Type.String({ description: 'As the full record names it.', examples: ['scrape_data.owners'] }),
    value: Type.Unknown({ description: 'Null for the boundary, which is in the full record.' }),
    observed_at: Type.Union([timestamp, Type.Null()], {
      description: 'When its source was last seen to say so; null: not stored.',
    }),
    origin: oneOf(ORIGINS, {
      description:
        '`review`: the review engine, on what a scrape brought. `unknown`: an ingest, or a scrape of before origins were noted.',
      examples: ['scrape'],
    }),
    job_id: Type.Union([uuid, Type.Null()], { description: 'The job that brought it, where one did.' }),
  },
  { additionalProperties: false },
)

const BBOX = 'four comma-separated numbers: west,south,east,north, in degrees (EPSG:4326)'

export const parcelRoutes = ({ sql, parcelBoxes, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .get(
      '/parcels',
      async ({ query: { bbox, source, limit = 500, after }, request }) => {
        const page = { source: source ?? null, after: after ?? null, limit }
        const { count, rows, next } = await parcelBoxes.find(parseBbox(bbox), page, callerOf(request))
        return jsonResponse(`{"count":${count},"parcels":[${rows}],"next":${JSON.stringify(next)}}`)
      },
      {
        needs: 'read',
        query: query({
          bbox: t.String({
            takes: BBOX,
            description: `${BBOX}. With west above east the box crosses the antimeridian.`,
            examples: ['-122.99,45.51,-122.98,45.52'],
          }),
          source: t.Optional(sourceSlug),
          limit: limit(5000, 500),
          after,
        }),
        response: { 200: parcelPage, ...keyedErrors },
        detail: { tags: ['parcels'], summary: 'Parcels in a bounding box', operationId: 'listParcels' },
      },
    )
    .get(
      '/parcels/:source/:id',
      async ({ params, request }) => {
        const body = await findParcelJson(sql, params)
        if (body === null) throw new HttpError(404, 'not found')
        return conditionalJson(request, body)
      },
      {
        needs: 'read',
        params: parcelKey,
        response: { 200: parcel, ...keyedErrors, ...notFound },
        detail: {
          ...CONDITIONAL,
          tags: ['parcels'],
          summary: 'One parcel, everything known of it',
          operationId: 'getParcel',
        },
      },
    )
    .get(
      '/parcels/:source/:id/provenance',
      async ({ params, request }) => {
        const fields = await listProvenance(sql, params)
        if (fields === null) throw new HttpError(404, 'not found')
        return conditionalJson(
          request,
          listJson(
            'fields',
            fields.map((field) => JSON.stringify(field)),
          ),
        )
      },
      {
        needs: 'read',
        params: parcelKey,
        response: {
          200: Type.Object({ count: Type.Integer(), fields: Type.Array(fieldOrigin) }),
          ...keyedErrors,
          ...notFound,
        },
        detail: {
          ...CONDITIONAL,
          tags: ['parcels'],
          summary: 'Where each field of a parcel came from, and when',
          description:
            'As far as it is stored, and null where it is not: which scrape brought a field is noted since this route is there; which ingest did, and when, is not.',
          operationId: 'listProvenance',
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
  if (south > north) throw new HttpError(400, 'bbox: south must not be above north')
  return box
}
