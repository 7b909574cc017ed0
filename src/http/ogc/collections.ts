import { Elysia } from 'elysia'
import { type Bbox, uniteBoxes } from '../../../core/geometry/bbox'
import { PARCEL_QUERYABLES, type QueryableType } from '../../../core/parcels/queryables'
import type { Db } from '../../../core/postgres/database'
import { countyTitle } from '../../../core/sources/county-names'
import { formatCount } from '../../../core/text/count-noun'
import { listCollections, type ParcelCollection } from '../../../drizzle/queries/parcels/list-collections'
import { authorization } from '../callers/auth'
import { readerOf } from '../callers/caller-of'
import { HttpError } from '../convention/errors'
import type { Deps } from '../deps'
import { featureSchema } from './feature-schema'
import { escapeHtml, htmlLink, htmlPage, htmlTable } from './page'
import {
  GEOJSON,
  HTML,
  JSON_SCHEMA,
  JSON_TYPE,
  KEY_PARAMETER,
  type Link,
  type OgcRequest,
  ogcHeaders,
  readOgcRequest,
} from './request'

export const CRS84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84'

/** The collection of all parcels. A source with this slug has no collection of its own. */
const ALL_PARCELS = 'parcels'

export interface Collection {
  id: string
  title: string
  /** The slug of its source. Null: all sources. */
  source: string | null
  /** Listed parcels, exact. */
  parcels: number
  bbox: Bbox | null
}

/** @throws HttpError 404 */
export const getCollection = async (db: Db, id: string): Promise<Collection> => {
  if (id === ALL_PARCELS) return allParcels(await listCollections(db))
  // PostgreSQL rejects NUL in text.
  const [found] = id.includes('\0') ? [] : await listCollections(db, id)
  if (found === undefined) throw new HttpError(404, 'no such collection')
  return ofSource(found)
}

const listAll = async (db: Db): Promise<Collection[]> => {
  const sources = await listCollections(db)
  return [allParcels(sources), ...sources.filter(({ source }) => source !== ALL_PARCELS).map(ofSource)]
}

const ofSource = ({ source, state, countyName, parcels, bbox }: ParcelCollection): Collection => ({
  id: source,
  title: `${countyTitle(countyName)}, ${state} (${source})`,
  source,
  parcels,
  bbox,
})

const allParcels = (sources: readonly ParcelCollection[]): Collection => {
  const boxes = sources.flatMap(({ bbox }) => (bbox === null ? [] : [bbox]))
  return {
    id: ALL_PARCELS,
    title: 'All parcels',
    source: null,
    parcels: sources.reduce((sum, { parcels }) => sum + parcels, 0),
    bbox: boxes.length === 0 ? null : boxes.reduce(uniteBoxes),
  }
}

/** The collections, each of them, and its queryables and schema. */
export const ogcCollectionRoutes = ({
  reads,
  authenticator,
  baseUrl,
}: Pick<Deps, 'reads' | 'authenticator' | 'baseUrl'>) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator, { keyParameter: KEY_PARAMETER }))
    .get(
      '/ogc/collections',
      async ({ request }) => {
        const ogc = readOgcRequest(request, baseUrl)
        const collections = await reads.run(readerOf(request), listAll)
        const links = ogc.selfLinks('/collections')
        if (!ogc.isHtml) {
          const described = collections.map((collection) => describe(collection, ogc))
          return Response.json({ links, collections: described }, { headers: ogcHeaders(request, JSON_TYPE) })
        }
        const rows = collections.map(({ id, title, parcels }) => [
          htmlLink(ogc.address(`/collections/${id}`, [['f', 'html']]), id),
          escapeHtml(title),
          escapeHtml(formatCount(parcels)),
        ])
        return htmlPage(request, { title: 'Collections', links, body: htmlTable(['id', 'title', 'parcels'], rows) })
      },
      { needs: 'read', detail: { hide: true } },
    )
    .get(
      '/ogc/collections/:collectionId',
      async ({ request, params }) => {
        const ogc = readOgcRequest(request, baseUrl)
        const collection = await reads.run(readerOf(request), (db) => getCollection(db, params.collectionId))
        const path = `/collections/${collection.id}`
        const { links, ...described } = describe(collection, ogc)
        const all = [...ogc.selfLinks(path), ...links.filter(({ rel }) => rel !== 'self')]
        if (!ogc.isHtml) return Response.json({ ...described, links: all }, { headers: ogcHeaders(request, JSON_TYPE) })
        const count = `${formatCount(collection.parcels)} parcels.`
        const items = htmlLink(ogc.address(`${path}/items`, [['f', 'html']]), 'Browse them')
        return htmlPage(request, { title: collection.title, links: all, body: `<p>${escapeHtml(count)} ${items}</p>` })
      },
      { needs: 'read', detail: { hide: true } },
    )
    .get(
      '/ogc/collections/:collectionId/queryables',
      async ({ request, params }) => {
        const ogc = readOgcRequest(request, baseUrl, { types: [JSON_SCHEMA, JSON_TYPE] })
        const { id, title } = await reads.run(readerOf(request), (db) => getCollection(db, params.collectionId))
        const path = `/collections/${id}/queryables`
        if (ogc.isHtml) {
          const rows = Object.entries(PARCEL_QUERYABLES).map(([name, { type, description }]) => [
            `<code>${escapeHtml(name)}</code>`,
            type,
            escapeHtml(description),
          ])
          return htmlPage(request, {
            title: `Queryables of ${title}`,
            links: ogc.selfLinks(path, JSON_SCHEMA),
            body: htmlTable(['name', 'type', 'description'], rows),
          })
        }
        return Response.json(describeQueryables(ogc.address(path), title), {
          headers: ogcHeaders(request, JSON_SCHEMA),
        })
      },
      { needs: 'read', detail: { hide: true } },
    )
    .get(
      '/ogc/collections/:collectionId/schema',
      async ({ request, params }) => {
        const ogc = readOgcRequest(request, baseUrl, { types: [JSON_SCHEMA, JSON_TYPE] })
        const { id } = await reads.run(readerOf(request), (db) => getCollection(db, params.collectionId))
        const address = ogc.address(`/collections/${id}/schema`)
        const schema = { $schema: DRAFT, $id: withoutKey(address), ...featureSchema }
        return ogc.isHtml
          ? htmlPage(request, {
              title: 'Schema of a feature',
              links: ogc.selfLinks(`/collections/${id}/schema`, JSON_SCHEMA),
              body: `<pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre>`,
            })
          : Response.json(schema, { headers: ogcHeaders(request, JSON_SCHEMA) })
      },
      { needs: 'read', detail: { hide: true } },
    )

const DRAFT = 'https://json-schema.org/draft/2020-12/schema'

/** An identifier needs no key. */
const withoutKey = (address: string): string => address.split('?', 1)[0] ?? address

const describe = ({ id, title, bbox }: Collection, { address }: OgcRequest) => {
  const path = `/collections/${id}`
  const link = (rel: string, end: string, type: string, name: string, format?: string): Link => ({
    href: address(`${path}${end}`, format === undefined ? [] : [['f', format]]),
    rel,
    type,
    title: name,
  })
  return {
    id,
    title,
    description: `Parcels with owners, addresses, values and boundaries. ${title}.`,
    itemType: 'feature',
    crs: [CRS84],
    storageCrs: CRS84,
    ...(bbox === null ? {} : { extent: { spatial: { bbox: [bbox], crs: CRS84 } } }),
    links: [
      link('self', '', JSON_TYPE, 'This collection'),
      link('items', '/items', GEOJSON, 'Parcels as GeoJSON'),
      link('items', '/items', HTML, 'Parcels as HTML', 'html'),
      link('http://www.opengis.net/def/rel/ogc/1.0/queryables', '/queryables', JSON_SCHEMA, 'Queryables'),
      link('describedby', '/schema', JSON_SCHEMA, 'Schema of a feature'),
      // GDAL compares the relation as written here, although case does not matter (RFC 8288, 2.1.1).
      link('describedBy', '/schema', JSON_SCHEMA, 'Schema of a feature'),
    ],
  }
}

export const JSON_SCHEMAS: Record<QueryableType, object> = {
  text: { type: 'string' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  time: { type: 'string', format: 'date-time' },
}

const describeQueryables = (address: string, title: string) => ({
  $schema: DRAFT,
  $id: withoutKey(address),
  type: 'object',
  title,
  properties: Object.fromEntries(
    Object.entries(PARCEL_QUERYABLES).map(([name, { type, description }]) => [
      name,
      { title: name, description, ...JSON_SCHEMAS[type] },
    ]),
  ),
  additionalProperties: false,
})
