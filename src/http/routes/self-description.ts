import { fileURLToPath } from 'node:url'
import { Type } from '@sinclair/typebox'
import { type Context, Elysia } from 'elysia'
import { createStaticAnswer, type StaticAnswer } from '../convention/static-answer'
import { CONDITIONAL, textOf } from '../schemas'

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

const describe = (summary: string, description: string, operationId: string, contentType: string) => ({
  ...CONDITIONAL,
  tags: ['system'],
  summary,
  description,
  operationId,
  security: [],
  responses: { 200: { description: summary, content: { [contentType]: { schema: { type: 'string' as const } } } } },
})

/** Read by programs, which may keep them for a while; an upgrade changes them. */
const DOCUMENT = { 'cache-control': 'public, max-age=300' }

/** The page and its parts must be of one version, and their names do not change: asked for each time, answered 304. */
const PAGE_PART = { 'cache-control': 'public, no-cache' }

/** An answer whose content is made when it is first asked for, once. */
const lazily = (read: () => string | Promise<string | Uint8Array<ArrayBuffer>>, headers: Record<string, string>) => {
  let made: Promise<StaticAnswer> | undefined
  const make = async () => createStaticAnswer(await read(), { 'content-security-policy': PAGE_POLICY, ...headers })
  return async ({ request }: Pick<Context, 'request'>): Promise<Response> => {
    made ??= make()
    return (await made)(request)
  }
}

/** What the service says of itself, to everyone. `openApi` gives the text of the document that describes these routes too. */
export const selfDescriptionRoutes = (openApi: () => string, baseUrl: string) => {
  const file = (from: string) => () => Bun.file(fileURLToPath(from)).bytes()
  const routes = new Elysia({ normalize: false })
    .get('/openapi.json', lazily(openApi, { ...DOCUMENT, 'content-type': 'application/json' }), {
      response: {
        200: Type.Object({ openapi: textOf('Version of OpenAPI.', '3.0.3') }, { additionalProperties: true }),
      },
      detail: {
        ...CONDITIONAL,
        tags: ['system'],
        summary: 'This document',
        description: 'OpenAPI 3.0. It describes the routes with `/v1`.',
        operationId: 'openApi',
        security: [],
      },
    })
    .get('/docs', lazily(file(PAGE), { ...PAGE_PART, 'content-type': HTML }), {
      detail: describe(
        'The API, for people',
        'A page that shows this document and can try its calls.',
        'docs',
        'text/html',
      ),
    })
    .get(
      '/llms.txt',
      lazily(() => llmsText(baseUrl), { ...DOCUMENT, 'content-type': 'text/plain; charset=utf-8' }),
      {
        detail: describe(
          'The API in short, for language models',
          'Markdown: what there is to call, and where the rest is written.',
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
          200: Type.Object(
            { schema_version: textOf('Version of the manifest.', 'v1') },
            { additionalProperties: true },
          ),
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
