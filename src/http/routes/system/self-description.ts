import { fileURLToPath } from 'node:url'
import { Type } from '@sinclair/typebox'
import { type Context, Elysia } from 'elysia'
import { once } from '../../../../core/concurrency/once'
import { createStaticResponse } from '../../convention/response/static-response'
import { CONDITIONAL, textOf } from '../../schemas'

/** The page loads only from this service. swagger-ui uses data: images for small icons. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"

const HTML = 'text/html; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'
const STYLES = 'text/css; charset=utf-8'
const own = (name: string) => new URL(`../../docs/${name}`, import.meta.url).href
const REFERENCE = own('reference.html')
/** Files below /docs. */
const PARTS: [name: string, from: string, contentType: string][] = [
  ['swagger-ui.css', import.meta.resolve('swagger-ui-dist/swagger-ui.css'), STYLES],
  ['reference.css', own('reference.css'), STYLES],
  ['tokens.css', own('../../web/app/styles/tokens.css'), STYLES],
  ['shell.css', own('../../web/app/styles/shell.css'), STYLES],
  ['swagger-ui-bundle.js', import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'), SCRIPT],
  ['reference.js', own('reference.js'), SCRIPT],
  ['icon.svg', own('../../web/app/icon.svg'), 'image/svg+xml'],
]

const llmsText = (baseUrl: string) => `# Parcel Data Service

> A REST API over US land-parcel records: owners, addresses, values, sales, taxes and boundaries, gathered from county portals.

Base URL: ${baseUrl}. Send the API key in the header \`X-Service-Key\`. Bodies are JSON; errors are \`{"error": "..."}\`.

## What to call

- \`GET /v1/search?q=...\`: typeahead search over owners, addresses, parcel ids and companies; tolerates typos. Refine it with \`types\`, \`state\`, \`source\`, \`lat\`+\`lon\`, \`zoning\`, \`group=owner\` and \`limit\`.
- \`GET /v1/parcels/{source}/{id}\`: one parcel with all fields and its boundary as GeoJSON MultiPolygon (EPSG:4326).
- \`GET /v1/parcels?bbox=west,south,east,north\`: parcels in a bounding box. Use \`after\` to get the next page.
- \`POST /v1/exports\`: all parcels of a filter as a file or a stream: NDJSON, CSV, GeoJSON, FlatGeobuf, GeoParquet or GeoPackage. Needs \`bulk-export\`.
- \`GET /v1/findings/{source}/{id}\`: issues that the review engine found.
- \`GET /v1/coverage\`: the counties, how complete and how current their data is. No key needed.
- \`GET /v1/sources\`: the county portals with their state and refresh cadence.
- \`GET /ogc\`: the parcels as OGC API - Features, for GIS programs. Its own OpenAPI document is \`/ogc/api\`.
- \`POST /mcp\`: the Model Context Protocol (streamable HTTP), for agents.
- \`GET /tiles/manifest.json\`: the PMTiles archive of all boundaries, for maps. No key needed.

## Machine-readable

- [OpenAPI 3.0](${baseUrl}/openapi.json): every route, parameter, response and error
- [Plugin manifest](${baseUrl}/.well-known/ai-plugin.json)
- [API guide for people](${baseUrl}/docs): examples in curl, TypeScript and Python
- [API reference for people](${baseUrl}/docs/reference)
`

const pluginManifest = (baseUrl: string) => ({
  schema_version: 'v1',
  name_for_human: 'Parcel Data Service',
  name_for_model: 'parcel_data_service',
  description_for_human: 'Search and look up US land parcels.',
  description_for_model:
    'Search US land parcels by owner, address, company or parcel id (typos are tolerated), and look up ownership, values, taxes, sales and boundaries.',
  auth: { type: 'service_http', authorization_type: 'custom', custom_auth_header: 'X-Service-Key' },
  api: { type: 'openapi', url: `${baseUrl}/openapi.json` },
  contact_email: 'support@parcels.example',
  legal_info_url: `${baseUrl}/docs`,
})

const describe = (summary: string, description: string, operationId: string, contentType: string) => ({
  ...CONDITIONAL,
  tags: ['system'],
  summary,
  description,
  operationId,
  security: [],
  responses: { 200: { description: summary, content: { [contentType]: { schema: { type: 'string' as const } } } } },
})

/** For documents that programs read. They may be cached briefly: an upgrade changes them. */
const DOCUMENT = { 'cache-control': 'public, max-age=300' }

/** The page and its parts must have the same version, but their names do not change. So browsers revalidate each time and get 304. */
const PAGE_PART = { 'cache-control': 'public, no-cache' }

/** A static response whose content is created once, at the first request. */
const lazily = (read: () => string | Promise<string | Uint8Array<ArrayBuffer>>, headers: Record<string, string>) => {
  const make = once(async () =>
    createStaticResponse(await read(), { 'content-security-policy': PAGE_POLICY, ...headers }),
  )
  return async ({ request }: Pick<Context, 'request'>): Promise<Response> => (await make())(request)
}

/** Public documents that describe the service. `openApi` builds the OpenAPI document, which includes these routes. */
export const selfDescriptionRoutes = (openApi: () => Promise<string>, baseUrl: string) => {
  const file = (from: string) => () => Bun.file(fileURLToPath(from)).bytes()
  const routes = new Elysia({ normalize: false })
    .get('/openapi.json', lazily(openApi, { ...DOCUMENT, 'content-type': 'application/json' }), {
      response: {
        200: Type.Object({ openapi: textOf('OpenAPI version.', '3.0.3') }, { additionalProperties: true }),
      },
      detail: {
        ...CONDITIONAL,
        tags: ['system'],
        summary: 'Get this document',
        description: 'OpenAPI 3.0. It lists the public routes and those with `/v1`.',
        operationId: 'openApi',
        security: [],
      },
    })
    .get('/docs/reference', lazily(file(REFERENCE), { ...PAGE_PART, 'content-type': HTML }), {
      detail: describe(
        'The API reference, for people',
        'A page that shows this document and lets you try the requests.',
        'docsReference',
        'text/html',
      ),
    })
    .get(
      '/llms.txt',
      lazily(() => llmsText(baseUrl), { ...DOCUMENT, 'content-type': 'text/plain; charset=utf-8' }),
      {
        detail: describe(
          'Summary of the API for language models',
          'Markdown with the main endpoints and links to the other documents.',
          'llmsText',
          'text/plain',
        ),
      },
    )
    .get(
      '/.well-known/ai-plugin.json',
      lazily(() => JSON.stringify(pluginManifest(baseUrl)), {
        ...DOCUMENT,
        'content-type': 'application/json',
      }),
      {
        response: {
          200: Type.Object({ schema_version: textOf('Manifest version.', 'v1') }, { additionalProperties: true }),
        },
        detail: {
          ...CONDITIONAL,
          tags: ['system'],
          summary: 'Plugin manifest',
          description: 'Points at this document.',
          operationId: 'pluginManifest',
          security: [],
        },
      },
    )
  for (const [name, from, contentType] of PARTS) {
    routes.get(`/docs/${name}`, lazily(file(from), { ...PAGE_PART, 'content-type': contentType }), {
      detail: { hide: true },
    })
  }
  return routes
}
