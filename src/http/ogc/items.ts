import { Elysia } from 'elysia'
import type { MultiPolygon, Point } from 'geojson'
import { formatCount } from '../../../core/text/count-noun'
import { isUuid } from '../../../core/text/uuid'
import { findFeature } from '../../../drizzle/queries/parcels/list-features'
import { authorization } from '../callers/auth'
import { callerOf, readerOf } from '../callers/caller-of'
import { HttpError } from '../convention/errors'
import { bodyInOneWrite } from '../convention/response/body-in-one-write'
import { datasetVersionHeader } from '../convention/response/dataset-version'
import type { Deps } from '../deps'
import { type Collection, CRS84, getCollection } from './collections'
import { checkCrs, ITEM_PARAMETERS, MAX_LIMIT, readSelection, type Selection } from './item-parameters'
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

const MAX_HTML_LIMIT = 100

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

/** In the collection of all parcels, such a filter could read every parcel to find one feature. */
const refuseUnindexed = ({ source }: Collection, { filter: { boxes, condition } }: Selection): void => {
  if (source === null && condition !== null && boxes.length === 0)
    throw new HttpError(400, 'a filter over all parcels needs bbox: add it, or choose the collection of a source')
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
