import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { scrape } from '../../../adapters/scrape'
import type { Bbox } from '../../../core/bbox'
import { findParcelJson } from '../../../drizzle/queries/parcels/parcels'
import { listProvenance, ORIGINS } from '../../parcels/parcel-provenance'
import { authorization } from '../callers/auth'
import { callerOf } from '../callers/caller-of'
import { conditionalJson } from '../convention/conditional'
import { HttpError } from '../convention/errors'
import { jsonResponse, listJson } from '../convention/json'
import type { Deps } from '../deps'
import { parcelFieldSchemas } from '../parcel-field-schemas'
import {
  after,
  at,
  atOrNull,
  CONDITIONAL,
  closed,
  count,
  DECIMAL,
  idOf,
  keyedErrors,
  limit,
  next,
  notFound,
  oneOf,
  parcelKey,
  query,
  sourceParcelId,
  sourceSlug,
  textOrNull,
  uuid,
} from '../schemas'

const position = Type.Array(Type.Number(), { minItems: 2, maxItems: 2, examples: [[-122.985, 45.515]] })
const multiPolygon = Type.Object(
  {
    type: Type.Literal('MultiPolygon', { description: 'Always MultiPolygon.' }),
    coordinates: Type.Array(Type.Array(Type.Array(position)), {
      description: 'An array of polygons, each an array of rings of [longitude, latitude] positions.',
    }),
  },
  {
    component: 'MultiPolygon',
    description: 'GeoJSON (RFC 7946), EPSG:4326.',
    examples: [
      {
        type: 'MultiPolygon',
        coordinates: [
          [
            [
              [-122.985, 45.515],
              [-122.9846, 45.515],
              [-122.9846, 45.5153],
              [-122.985, 45.515],
            ],
          ],
        ],
      },
    ],
  },
)

export const parcel = Type.Object(
  {
    id: idOf('record'),
    source: sourceSlug,
    source_parcel_id: sourceParcelId,
    geom_geojson: Type.Union([multiPolygon, Type.Null()], { description: 'The boundary; null if unknown.' }),
    ...parcelFieldSchemas,
    scrape_data: Type.Union([scrape, Type.Object({}, { additionalProperties: false })], {
      description: 'Data from the last scrape; {} until the first scrape.',
    }),
    scraped_at: atOrNull('Time of the last scrape; null if never scraped.'),
    scraped_by: textOrNull('The adapter that scraped it.', 'arcgis-rest'),
    scrape_data_as_of: textOrNull('How current the scraped data is: a year or an ISO date.', '2026'),
    scrape_data_as_of_source: textOrNull(
      'Where `scrape_data_as_of` was read from; same values as `scrape_data.data_as_of_source`.',
      'page-marker',
    ),
    ingested_at: at('Time when the record was first stored.'),
    updated_at: at('Time of the last change.'),
  },
  { ...closed, component: 'Parcel', description: 'A parcel with all fields.' },
)

const parcelRow = Type.Object(
  {
    id: idOf('record'),
    source: sourceSlug,
    source_parcel_id: sourceParcelId,
    owner_name: parcelFieldSchemas.owner_name,
    situs_address: parcelFieldSchemas.situs_address,
    assessed_value: parcelFieldSchemas.assessed_value,
    land_use_class: parcelFieldSchemas.land_use_class,
  },
  { ...closed, component: 'ParcelRow', description: 'A parcel with its main fields.' },
)

const parcelPage = Type.Object({
  count,
  parcels: Type.Array(parcelRow, { description: 'Ordered by id.' }),
  next,
})

const fieldOrigin = Type.Object(
  {
    field: Type.String({ description: 'Name of the field in the full record.', examples: ['scrape_data.owners'] }),
    value: Type.Unknown({
      description: 'Value of the field. Null for the boundary; get it from the full record.',
      examples: [[{ name: 'MARLOWE ROSE' }]],
    }),
    observed_at: atOrNull('Time when the source was last seen with this value; null if not recorded.'),
    origin: oneOf(ORIGINS, {
      description:
        '`review`: the review engine derived it from a scrape. `unknown`: an ingest, or a scrape before origins were recorded.',
      examples: ['scrape'],
    }),
    job_id: Type.Union([uuid, Type.Null()], {
      description: 'The job that scraped it, if any.',
      examples: uuid.examples,
    }),
  },
  { ...closed, component: 'FieldOrigin', description: 'Where one field of a parcel came from.' },
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
            description: `${BBOX}. If west is greater than east, the box crosses the antimeridian.`,
            examples: ['-122.99,45.51,-122.98,45.52'],
          }),
          source: t.Optional(sourceSlug),
          limit: limit(5000, 500),
          after,
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
          summary: 'Get one parcel with all fields',
          description: 'Returns the stored record. To fetch it from the portal, use `scrape-now`.',
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
          200: Type.Object({
            count,
            fields: Type.Array(fieldOrigin, { description: 'All fields that have a value.' }),
          }),
          ...keyedErrors,
          ...notFound,
        },
        detail: {
          ...CONDITIONAL,
          tags: ['parcels'],
          summary: 'Get the origin of each field of a parcel',
          description:
            'Shows which scrape provided a field, and when, as far as that was recorded; otherwise null. Ingests are not recorded.',
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
  if (south > north) throw new HttpError(400, 'bbox: south must not be greater than north')
  return box
}
