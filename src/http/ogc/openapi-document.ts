import { PARCEL_QUERYABLES } from '../../../core/parcels/queryables'
import { version } from '../../../package.json'
import { cookieName, SESSION_COOKIE } from '../callers/cookies'
import { CRS84, JSON_SCHEMAS } from './collections'
import { featureSchema } from './feature-schema'
import { DEFAULT_LIMIT, FILTER_LANGUAGES, ITEM_PARAMETERS, MAX_LIMIT } from './item-parameters'
import { GEOJSON, HTML, JSON_SCHEMA, JSON_TYPE, KEY_PARAMETER, OPENAPI } from './request'

const text = (description: string) => ({ type: 'string', description })

const inPath = (name: string, description: string, example: string) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

const inQuery = (name: string, description: string, schema: object) => ({
  name,
  in: 'query',
  required: false,
  style: 'form',
  explode: false,
  description,
  schema,
})

const crs = (name: string, what: string) =>
  inQuery(name, `Coordinate reference system of ${what}. Only CRS84 is supported.`, {
    type: 'string',
    format: 'uri',
    enum: [CRS84],
  })

const PARAMETERS = {
  collectionId: inPath('collectionId', 'Id of the collection.', 'parcels'),
  featureId: inPath('featureId', 'Id of the feature.', '019b76da-8c00-7000-8000-000000000001'),
  f: inQuery('f', 'Format. Without it, the header Accept decides.', { type: 'string', enum: ['json', 'html'] }),
  bbox: inQuery('bbox', 'west,south,east,north in CRS84. With six numbers, the heights are ignored.', {
    type: 'array',
    minItems: 4,
    maxItems: 6,
    items: { type: 'number' },
  }),
  'bbox-crs': crs('bbox-crs', '`bbox`'),
  datetime: inQuery('datetime', 'The record as the service knew it then. For an interval, its end is used.', {
    type: 'string',
  }),
  limit: inQuery('limit', 'Maximum number of features.', {
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
  }),
  after: inQuery('after', 'Where a page begins. It is in the `next` link of the previous page.', {
    type: 'string',
    format: 'uuid',
  }),
  crs: crs('crs', 'the response'),
  filter: inQuery('filter', 'An expression in CQL2 text over the queryables.', { type: 'string' }),
  'filter-lang': inQuery('filter-lang', 'Language of `filter`. `cql-text` is an older name of `cql2-text`.', {
    type: 'string',
    enum: FILTER_LANGUAGES,
    default: FILTER_LANGUAGES[0],
  }),
  'filter-crs': crs('filter-crs', '`filter`'),
  ...Object.fromEntries(
    Object.entries(PARCEL_QUERYABLES).map(([name, { type, description }]) => [
      name,
      inQuery(name, `Only features with this value. ${description}`, JSON_SCHEMAS[type]),
    ]),
  ),
}
type ParameterName = keyof typeof PARAMETERS

const LINKS = {
  type: 'array',
  items: {
    type: 'object',
    required: ['href', 'rel'],
    properties: {
      href: text('URL.'),
      rel: text('Relation.'),
      type: text('Media type.'),
      title: text('Title.'),
    },
  },
}

const COLLECTION = {
  type: 'object',
  required: ['id', 'links'],
  properties: {
    id: text('Id.'),
    title: text('Title.'),
    description: text('Description.'),
    extent: { type: 'object', description: 'The box of the parcels.' },
    itemType: text('Always `feature`.'),
    crs: { type: 'array', items: { type: 'string' } },
    storageCrs: { type: 'string' },
    links: LINKS,
  },
}

const ERROR = {
  description: 'What went wrong.',
  content: { [JSON_TYPE]: { schema: { $ref: '#/components/schemas/error' } } },
}

const operation = (
  operationId: string,
  summary: string,
  options: { schema: object; type?: string; parameters?: readonly ParameterName[] },
) => {
  const { schema, type = JSON_TYPE, parameters = [] } = options
  const hasPath = parameters.includes('collectionId')
  return {
    get: {
      operationId,
      summary,
      tags: ['features'],
      parameters: [...parameters, 'f'].map((name) => ({ $ref: `#/components/parameters/${name}` })),
      responses: {
        200: { description: summary, content: { [type]: { schema }, [HTML]: { schema: { type: 'string' } } } },
        400: { $ref: '#/components/responses/error' },
        401: { $ref: '#/components/responses/error' },
        ...(hasPath ? { 404: { $ref: '#/components/responses/error' } } : {}),
        500: { $ref: '#/components/responses/error' },
        503: { $ref: '#/components/responses/error' },
      },
    },
  }
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** The OpenAPI 3.0 document at `/ogc/api`. GDAL and QGIS read the limits of pages and the filters from it. */
export const describeOgcApi = (baseUrl: string) => ({
  openapi: '3.0.3',
  info: {
    title: 'Parcel Data Service: OGC API - Features',
    version,
    description: `Parcels for GIS programs. Send the key as \`X-Service-Key\`, or as the query parameter \`${KEY_PARAMETER}\` if the program can only send a URL. The links in the response then have the key too.`,
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
  },
  servers: [{ url: `${baseUrl}/ogc` }],
  tags: [{ name: 'features', description: 'Parcels as features.' }],
  security: [{ ServiceKey: [] }, { KeyInQuery: [] }, { Session: [] }],
  paths: {
    '/': operation('landingPage', 'Landing page', { schema: ref('landingPage') }),
    '/api': operation('api', 'This document', { schema: { type: 'object' }, type: OPENAPI }),
    '/conformance': operation('conformance', 'Conformance classes', { schema: ref('conformance') }),
    '/collections': operation('collections', 'Collections', { schema: ref('collections') }),
    '/collections/{collectionId}': operation('collection', 'One collection', {
      schema: ref('collection'),
      parameters: ['collectionId'],
    }),
    '/collections/{collectionId}/queryables': operation('queryables', 'Properties that a filter can use', {
      schema: { type: 'object' },
      type: JSON_SCHEMA,
      parameters: ['collectionId'],
    }),
    '/collections/{collectionId}/schema': operation('schema', 'Schema of a feature', {
      schema: { type: 'object' },
      type: JSON_SCHEMA,
      parameters: ['collectionId'],
    }),
    '/collections/{collectionId}/items': operation('features', 'A page of features', {
      schema: ref('featureCollection'),
      type: GEOJSON,
      parameters: ['collectionId', ...(ITEM_PARAMETERS as ParameterName[])],
    }),
    '/collections/{collectionId}/items/{featureId}': operation('feature', 'One feature', {
      schema: ref('feature'),
      type: GEOJSON,
      parameters: ['collectionId', 'featureId', 'crs'],
    }),
  },
  components: {
    securitySchemes: {
      ServiceKey: { type: 'apiKey', in: 'header', name: 'X-Service-Key' },
      KeyInQuery: { type: 'apiKey', in: 'query', name: KEY_PARAMETER },
      Session: { type: 'apiKey', in: 'cookie', name: cookieName(SESSION_COOKIE, baseUrl) },
    },
    parameters: PARAMETERS,
    responses: { error: ERROR },
    schemas: {
      error: { type: 'object', required: ['error'], properties: { error: text('What went wrong.') } },
      landingPage: {
        type: 'object',
        required: ['links'],
        properties: { title: text('Title.'), description: text('Description.'), links: LINKS },
      },
      conformance: {
        type: 'object',
        required: ['conformsTo'],
        properties: { conformsTo: { type: 'array', items: { type: 'string' } }, links: LINKS },
      },
      collections: {
        type: 'object',
        required: ['links', 'collections'],
        properties: { links: LINKS, collections: { type: 'array', items: ref('collection') } },
      },
      collection: COLLECTION,
      feature: featureSchema,
      featureCollection: {
        type: 'object',
        required: ['type', 'features'],
        properties: {
          type: { type: 'string', enum: ['FeatureCollection'] },
          links: LINKS,
          timeStamp: { type: 'string', format: 'date-time' },
          numberMatched: { type: 'integer', minimum: 0, description: 'Omitted if counting would take long.' },
          numberReturned: { type: 'integer', minimum: 0 },
          features: { type: 'array', items: ref('feature') },
        },
      },
    },
  },
})
