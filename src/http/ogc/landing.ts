import { Elysia } from 'elysia'
import { authorization } from '../callers/auth'
import type { Deps } from '../deps'
import { describeOgcApi } from './openapi-document'
import { escapeHtml, htmlPage, htmlTable } from './page'
import {
  HTML,
  JSON_TYPE,
  KEY_PARAMETER,
  type Link,
  type OgcRequest,
  OPENAPI,
  ogcHeaders,
  readOgcRequest,
} from './request'

const FEATURES = 'http://www.opengis.net/spec/ogcapi-features'
const CQL2 = 'http://www.opengis.net/spec/cql2/1.0/conf'

const CONFORMANCE = [
  `${FEATURES}-1/1.0/conf/core`,
  `${FEATURES}-1/1.0/conf/geojson`,
  `${FEATURES}-1/1.0/conf/html`,
  `${FEATURES}-1/1.0/conf/oas30`,
  `${FEATURES}-2/1.0/conf/crs`,
  `${FEATURES}-3/1.0/conf/queryables`,
  `${FEATURES}-3/1.0/conf/queryables-query-parameters`,
  `${FEATURES}-3/1.0/conf/filter`,
  `${FEATURES}-3/1.0/conf/features-filter`,
  `${CQL2}/cql2-text`,
  `${CQL2}/basic-cql2`,
  `${CQL2}/advanced-comparison-operators`,
  `${CQL2}/case-insensitive-comparison`,
]

const TITLE = 'Parcel Data Service: OGC API - Features'

/** The landing page, its conformance classes, and the description of the API. */
export const ogcLandingRoutes = ({ authenticator, baseUrl }: Pick<Deps, 'authenticator' | 'baseUrl'>) => {
  const document = describeOgcApi(baseUrl)
  const documentText = JSON.stringify(document)
  return new Elysia({ normalize: false })
    .use(authorization(authenticator, { keyParameter: KEY_PARAMETER }))
    .get(
      '/ogc',
      ({ request }) => {
        const ogc = readOgcRequest(request, baseUrl)
        const links = [...ogc.selfLinks(''), ...serviceLinks(ogc)]
        const description = 'Land parcels of US counties: owners, addresses, values, and boundaries.'
        return ogc.isHtml
          ? htmlPage(request, { title: TITLE, links, body: `<p>${description}</p>` })
          : Response.json({ title: TITLE, description, links }, { headers: ogcHeaders(request, JSON_TYPE) })
      },
      { needs: 'read', detail: { hide: true } },
    )
    .get(
      '/ogc/conformance',
      ({ request }) => {
        const ogc = readOgcRequest(request, baseUrl)
        const links = ogc.selfLinks('/conformance')
        const items = CONFORMANCE.map((name) => `<li><code>${escapeHtml(name)}</code></li>`).join('\n')
        return ogc.isHtml
          ? htmlPage(request, { title: 'Conformance classes', links, body: `<ul>${items}</ul>` })
          : Response.json({ conformsTo: CONFORMANCE, links }, { headers: ogcHeaders(request, JSON_TYPE) })
      },
      { needs: 'read', detail: { hide: true } },
    )
    .get(
      '/ogc/api',
      ({ request }) => {
        const ogc = readOgcRequest(request, baseUrl, { types: [OPENAPI, JSON_TYPE] })
        if (!ogc.isHtml) return new Response(documentText, { headers: ogcHeaders(request, OPENAPI) })
        const rows = Object.entries(document.paths).map(([path, { get }]) => [
          `<code>GET /ogc${escapeHtml(path)}</code>`,
          escapeHtml(get.summary),
          get.parameters.map(({ $ref }) => `<code>${escapeHtml($ref.split('/').at(-1))}</code>`).join(', '),
        ])
        return htmlPage(request, {
          title: 'Resources',
          links: ogc.selfLinks('/api', OPENAPI),
          body: htmlTable(['request', 'what it returns', 'parameters'], rows),
        })
      },
      { needs: 'read', detail: { hide: true } },
    )
}

const serviceLinks = ({ address }: OgcRequest): Link[] => [
  { href: address('/api'), rel: 'service-desc', type: OPENAPI, title: 'OpenAPI document' },
  { href: address('/api', [['f', 'html']]), rel: 'service-doc', type: HTML, title: 'Resources' },
  { href: address('/conformance'), rel: 'conformance', type: JSON_TYPE, title: 'Conformance classes' },
  { href: address('/collections'), rel: 'data', type: JSON_TYPE, title: 'Collections' },
]
