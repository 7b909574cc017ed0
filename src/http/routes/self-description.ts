import { fileURLToPath } from 'node:url'
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'

/** The page and its parts come from this service alone; swagger-ui draws small icons as data: images. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"

const HTML = 'text/html; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'
const STYLES = 'text/css; charset=utf-8'
const own = (name: string) => new URL(`../docs/${name}`, import.meta.url).href
const PAGE = own('index.html')
/** By name, below /docs. */
const PARTS: [name: string, from: string, contentType: string][] = [
  ['swagger-ui.css', import.meta.resolve('swagger-ui-dist/swagger-ui.css'), STYLES],
  ['readable.css', own('readable.css'), STYLES],
  ['swagger-ui-bundle.js', import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'), SCRIPT],
  ['init.js', own('init.js'), SCRIPT],
  ['icon.svg', own('../../web/app/icon.svg'), 'image/svg+xml'],
]

const llmsText = (baseUrl: string) => `# Parcel Data Service

> A REST API over US land-parcel records: owners, addresses, values, sales, taxes and boundaries, gathered from county portals.

Base address: ${baseUrl}. Send the API key in the header \`X-Service-Key\`. Bodies are JSON; errors are \`{"error": "..."}\`.

## What to call

- \`GET /v1/search?q=...\`: typeahead over owners, addresses, parcel ids and companies; forgives typos. \`types\`, \`state\`, \`source\`, \`lat\`+\`lon\`, \`zoning\`, \`group=owner\`, \`limit\` refine it.
- \`GET /v1/parcels/{source}/{id}\`: everything known of one parcel, its boundary as GeoJSON MultiPolygon (EPSG:4326).
- \`GET /v1/parcels?bbox=west,south,east,north\`: parcels in a box; pages by \`after\`.
- \`GET /v1/findings/{source}/{id}\`: what the review engine noticed.
- \`GET /v1/sources\`: the county portals, each with its state and how often it is refreshed.
- \`GET /tiles/manifest.json\`: the PMTiles archive of all boundaries, for maps. No key needed.

## Machine-readable

- [OpenAPI 3.0](${baseUrl}/openapi.json): every route, parameter, answer and error
- [Plugin manifest](${baseUrl}/.well-known/ai-plugin.json)
- [API page for people](${baseUrl}/docs)
`

const pluginManifest = (baseUrl: string) => ({
  schema_version: 'v1',
  name_for_human: 'Parcel Data Service',
  name_for_model: 'parcel_data_service',
  description_for_human: 'Search and look up US land parcels.',
  description_for_model:
    'Search US land parcels by owner, address, company or parcel id (typos are forgiven), and look up ownership, values, taxes, sales and boundaries.',
  auth: { type: 'service_http', authorization_type: 'custom', custom_auth_header: 'X-Service-Key' },
  api: { type: 'openapi', url: `${baseUrl}/openapi.json` },
  contact_email: 'support@parcels.example',
  legal_info_url: `${baseUrl}/docs`,
})

const describe = (summary: string, operationId: string, contentType: string) => ({
  tags: ['system'],
  summary,
  operationId,
  security: [],
  responses: { 200: { description: summary, content: { [contentType]: { schema: { type: 'string' as const } } } } },
})

/** What the service says of itself, to everyone. `openApi` gives the text of the document that describes these routes too. */
export const selfDescriptionRoutes = (openApi: () => string, baseUrl: string) => {
  const page = (body: string | Uint8Array<ArrayBuffer>, contentType: string) =>
    new Response(body, { headers: { 'content-type': contentType, 'content-security-policy': PAGE_POLICY } })
  const read = (from: string) => Bun.file(fileURLToPath(from)).bytes()
  const routes = new Elysia({ normalize: false })
    .get('/openapi.json', () => page(openApi(), 'application/json'), {
      response: { 200: Type.Object({ openapi: Type.String() }, { additionalProperties: true }) },
      detail: { tags: ['system'], summary: 'This document', operationId: 'openApi', security: [] },
    })
    .get('/docs', async () => page(await read(PAGE), HTML), {
      detail: describe('The API, for people', 'docs', 'text/html'),
    })
    .get('/llms.txt', () => page(llmsText(baseUrl), 'text/plain; charset=utf-8'), {
      detail: describe('The API in short, for language models', 'llmsText', 'text/plain'),
    })
    .get('/.well-known/ai-plugin.json', () => Response.json(pluginManifest(baseUrl)), {
      response: { 200: Type.Object({ schema_version: Type.String() }, { additionalProperties: true }) },
      detail: { tags: ['system'], summary: 'Plugin manifest', operationId: 'pluginManifest', security: [] },
    })
  for (const [name, from, contentType] of PARTS) {
    routes.get(`/docs/${name}`, async () => page(await read(from), contentType), { detail: { hide: true } })
  }
  return routes
}
