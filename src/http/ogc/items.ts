import { Elysia } from 'elysia'
import type { MultiPolygon, Point } from 'geojson'
import type { Cql2 } from '../../../core/cql2/cql2'
import { isValue } from '../../../core/cql2/is-value'
import { parseCql2 } from '../../../core/cql2/parse-cql2'
import { type Bbox, splitAtAntimeridian } from '../../../core/geometry/bbox'
import { PARCEL_QUERYABLES } from '../../../core/parcels/queryables'
import { formatCount } from '../../../core/text/count-noun'
import { readTime } from '../../../core/text/read-time'
import { isUuid } from '../../../core/text/uuid'
import { findFeature } from '../../../drizzle/queries/parcels/list-features'
import { authorization } from '../callers/auth'
import { callerOf, readerOf } from '../callers/caller-of'
import { HttpError } from '../convention/errors'
import { parseBbox } from '../convention/parameters/parse-bbox'
import { bodyInOneWrite } from '../convention/response/body-in-one-write'
import { datasetVersionHeader } from '../convention/response/dataset-version'
import type { Deps } from '../deps'
import { type Collection, CRS84, getCollection } from './collections'
import { escapeHtml, htmlLink, htmlPage, htmlTable } from './page'
import {
  GEOJSON,
  HTML,
  JSON_TYPE,
  KEY_PARAMETER,
  type Link,
  type OgcRequest,
  ogcHeaders,
  readOgcRequest,
} from './request'

export const DEFAULT_LIMIT = 1_000
export const MAX_LIMIT = 5_000
const MAX_HTML_LIMIT = 100

export const ITEM_PARAMETERS = [
  'bbox',
  'bbox-crs',
  'datetime',
  'limit',
  'after',
  'crs',
  'filter',
  'filter-lang',
  'filter-crs',
  ...Object.keys(PARCEL_QUERYABLES),
]

/** `cql-text` is the name in drafts, which GDAL sends. */
export const FILTER_LANGUAGES = ['cql2-text', 'cql-text']

type ItemDeps = Pick<Deps, 'reads' | 'parcelFeatures' | 'datasetVersion' | 'authenticator' | 'baseUrl'>

/** Parcels as GeoJSON features: pages of a collection, and one. */
export const ogcItemRoutes = ({ reads, parcelFeatures, datasetVersion, authenticator, baseUrl }: ItemDeps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator, { keyParameter: KEY_PARAMETER }))
    .use(datasetVersionHeader(datasetVersion))
    .get(
      '/ogc/collections/:collectionId/items',
      async ({ request, params }) => {
        const ogc = readOgcRequest(request, baseUrl, { parameters: ITEM_PARAMETERS, types: [GEOJSON, JSON_TYPE] })
        const caller = callerOf(request)
        const collection = await reads.run(caller, (db) => getCollection(db, params.collectionId))
        const selection = readSelection(ogc.query)
        refuseUnindexed(collection, selection)
        const { after } = selection
        const limit = Math.min(selection.limit, ogc.isHtml ? MAX_HTML_LIMIT : MAX_LIMIT)
        const filter = { ...selection.filter, source: collection.source }
        const { count, features, next } = await parcelFeatures.find(filter, { after, limit }, caller)
        const path = `/collections/${collection.id}/items`
        const links = [...ogc.selfLinks(path, GEOJSON), ...linksAround(collection, ogc)]
        if (next !== null) links.push(nextLink(path, ogc, next))
        if (ogc.isHtml) return featuresPage(request, { collection, ogc, links, features: JSON.parse(`[${features}]`) })
        const isWhole = after === null && next === null
        const matched = isWhole ? count : selection.isUnfiltered ? collection.parcels : null
        const head = JSON.stringify({
          type: 'FeatureCollection',
          links,
          timeStamp: new Date().toISOString(),
          ...(matched === null ? {} : { numberMatched: matched }),
          numberReturned: count,
        })
        return new Response(bodyInOneWrite(`${head.slice(0, -1)},"features":[${features}]}`), {
          headers: geoHeaders(request),
        })
      },
      { needs: 'read', tellsVersion: true, detail: { hide: true } },
    )
    .get(
      '/ogc/collections/:collectionId/items/:featureId',
      async ({ request, params: { collectionId, featureId } }) => {
        const ogc = readOgcRequest(request, baseUrl, { parameters: ['crs'], types: [GEOJSON, JSON_TYPE] })
        checkCrs(ogc.query, 'crs')
        const { collection, feature } = await reads.run(readerOf(request), async (db) => {
          const collection = await getCollection(db, collectionId)
          const feature = isUuid(featureId) ? await findFeature(db, featureId, collection.source) : null
          return { collection, feature }
        })
        if (feature === null) throw new HttpError(404, 'no such feature')
        const path = `/collections/${collection.id}/items/${featureId}`
        const links = [...ogc.selfLinks(path, GEOJSON), ...linksAround(collection, ogc)]
        if (ogc.isHtml) return featurePage(request, { links, feature: JSON.parse(feature) })
        return new Response(`${feature.slice(0, -1)},"links":${JSON.stringify(links)}}`, {
          headers: geoHeaders(request),
        })
      },
      { needs: 'read', tellsVersion: true, detail: { hide: true } },
    )

const geoHeaders = (request: Request): Record<string, string> => ({
  ...ogcHeaders(request, GEOJSON),
  'content-crs': `<${CRS84}>`,
})

const linksAround = ({ id, title }: Collection, { address }: OgcRequest): Link[] => [
  { href: address(`/collections/${id}`), rel: 'collection', type: JSON_TYPE, title },
]

const nextLink = (path: string, { query, isHtml, address }: OgcRequest, next: string): Link => ({
  href: address(path, [...query, ['after', next], ['f', isHtml ? 'html' : 'json']]),
  rel: 'next',
  type: isHtml ? HTML : GEOJSON,
  title: 'Next page',
})

interface Selection {
  filter: { boxes: Bbox[]; condition: Cql2 | null; asOf: string | null }
  isUnfiltered: boolean
  after: string | null
  limit: number
}

/** @throws HttpError, ServiceError 400 */
const readSelection = (query: ReadonlyMap<string, string>): Selection => {
  for (const name of ['crs', 'bbox-crs', 'filter-crs']) checkCrs(query, name)
  const language = query.get('filter-lang') ?? 'cql2-text'
  if (!FILTER_LANGUAGES.includes(language))
    throw new HttpError(400, `filter-lang must be one of ${FILTER_LANGUAGES.join(', ')}`)
  const bbox = query.get('bbox')
  const datetime = query.get('datetime')
  const condition = readCondition(query)
  const asOf = datetime === undefined ? null : readDatetime(datetime)
  const after = query.get('after') ?? null
  if (after !== null && !isUuid(after)) throw new HttpError(400, 'after must be copied from a `next` link')
  return {
    filter: { boxes: bbox === undefined ? [] : splitAtAntimeridian(readBbox(bbox)), condition, asOf },
    isUnfiltered: bbox === undefined && condition === null && asOf === null,
    after,
    limit: readLimit(query.get('limit')),
  }
}

/** In the collection of all parcels, such a filter could read every parcel to find one feature. */
const refuseUnindexed = ({ source }: Collection, { filter: { boxes, condition } }: Selection): void => {
  if (source === null && condition !== null && boxes.length === 0)
    throw new HttpError(400, 'a filter over all parcels needs bbox: add it, or choose the collection of a source')
}

const checkCrs = (query: ReadonlyMap<string, string>, name: string): void => {
  if ((query.get(name) ?? CRS84) !== CRS84) throw new HttpError(400, `${name} must be ${CRS84}`)
}

/** A limit above the maximum is not an error (OGC 17-069r4, 7.15.3). */
const readLimit = (text: string | undefined): number => {
  if (text === undefined) return DEFAULT_LIMIT
  if (!/^\d+$/.test(text) || Number(text) < 1) throw new HttpError(400, 'limit must be a whole number, 1 or more')
  return Number(text)
}

/** Heights, the third and the sixth of six numbers, are ignored. */
const readBbox = (text: string): Bbox => {
  const numbers = text.split(',')
  return parseBbox((numbers.length === 6 ? numbers.filter((_, index) => index % 3 !== 2) : numbers).join(','))
}

const DATETIME = 'datetime must be a date or a time (RFC 3339), or an interval of two: a/b, a/.. or ../b'

/** The time of the requested record: the end of an interval, or the time itself. Null: now. */
const readDatetime = (text: string): string | null => {
  const ends = text.split('/').map((end) => (end === '..' || end === '' ? null : readEnd(end)))
  const [first = null, last = null] = ends
  if (ends.length > 2 || text === '') throw new HttpError(400, DATETIME)
  if (ends.length === 1) {
    if (first === null) throw new HttpError(400, DATETIME)
    return first
  }
  if (first !== null && last !== null && first > last)
    throw new HttpError(400, 'datetime: the interval ends before it begins')
  return last
}

const readEnd = (text: string): string => {
  const time = readTime(text)
  if (time === null) throw new HttpError(400, DATETIME)
  return time
}

/** The filter, and the parameters that are names of properties. */
const readCondition = (query: ReadonlyMap<string, string>): Cql2 | null => {
  const filter = query.get('filter')
  const parts = [...query]
    .filter(([name]) => Object.hasOwn(PARCEL_QUERYABLES, name))
    .map(([name, value]) => isValue(name, value, PARCEL_QUERYABLES))
  if (filter !== undefined) parts.push(parseCql2(filter, PARCEL_QUERYABLES))
  const [only] = parts
  return parts.length > 1 ? { kind: 'and', parts } : (only ?? null)
}

interface ParcelFeature {
  id: string
  geometry: MultiPolygon | Point | null
  properties: Record<string, unknown>
}

/** The columns of the HTML table. */
const COLUMNS = [
  'source_parcel_id',
  'owner_name',
  'situs_address',
  'situs_city',
  'land_use_class',
  'assessed_value',
  'acreage',
]

const featuresPage = (
  request: Request,
  page: { collection: Collection; ogc: OgcRequest; links: Link[]; features: ParcelFeature[] },
): Response => {
  const { collection, ogc, links, features } = page
  const rows = features.map(({ id, properties }) => [
    htmlLink(ogc.address(`/collections/${collection.id}/items/${id}`, [['f', 'html']]), id),
    ...COLUMNS.map((name) => escapeHtml(properties[name])),
  ])
  return htmlPage(request, { title: collection.title, links, body: htmlTable(['id', ...COLUMNS], rows) })
}

const featurePage = (request: Request, { links, feature }: { links: Link[]; feature: ParcelFeature }): Response => {
  const { geometry, properties } = feature
  const boundary = geometry === null ? 'unknown' : describeGeometry(geometry)
  const rows = Object.entries({ ...properties, boundary }).map(([name, value]) => [escapeHtml(name), escapeHtml(value)])
  return htmlPage(request, {
    title: `Parcel ${String(properties.source_parcel_id)}`,
    links,
    body: htmlTable(['property', 'value'], rows),
  })
}

const describeGeometry = ({ type, coordinates }: MultiPolygon | Point): string =>
  type === 'Point' ? type : `${type} with ${formatCount(coordinates.flat(2).length)} positions`
