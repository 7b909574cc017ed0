import { swagger } from '@elysiajs/swagger'
import { type AnyElysia, Elysia } from 'elysia'
import { errorBody } from '../../convention/errors'
import { tilePaths } from '../../tiles/tile-paths'
import { INFO, SECURITY_SCHEMES, TAGS } from './description'
import { ERRORS, errorResponse } from './errors'
import { HEADERS } from './headers'
import { cleanOperation, type RouteSchemas } from './operation'
import { shareParameters } from './parameters'
import { type Components, cleanSchema, type Json, type JsonObject } from './schema'

/**
 * The OpenAPI 3.0 document of `routes`. The swagger plugin collects it from their schemas; this function cleans it up: one media type,
 * no coercion branches, `nullable` instead of null types, each named schema once, every response described, shared error responses.
 * Paths without /v1 are left out.
 */
export const buildOpenApi = async (routes: AnyElysia): Promise<JsonObject> => {
  const components: Components = new Map()
  // The shared error responses use it.
  cleanSchema(errorBody as unknown as Json, components)
  const paths = cleanPaths(await collectPaths(routes), schemasOf(routes), components)
  const parameters = shareParameters(paths)
  const errors = usedOf(ERRORS, (status) => `#/components/responses/Error${status}"`, paths)
  const responses = Object.fromEntries(
    errors.map(([status, { description, example, headers = [] }]) => [
      `Error${status}`,
      errorResponse(description, example, headers),
    ]),
  )
  const headers = usedOf(HEADERS, (name) => `#/components/headers/${name}"`, { paths, responses })
  return {
    openapi: '3.0.3',
    info: INFO,
    // Relative, so that the document and its page work under every host name of the service.
    servers: [{ url: '/' }],
    tags: TAGS,
    security: [{ ServiceKey: [] }, { Session: [] }],
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters,
      headers: Object.fromEntries(
        headers.map(([name, { description, example }]) => [name, { description, schema: { type: 'string' }, example }]),
      ),
      schemas: Object.fromEntries([...components].sort(([one], [other]) => (one < other ? -1 : 1))),
      responses,
    },
  }
}

/** The paths as the plugin writes them. */
const collectPaths = async (routes: AnyElysia): Promise<Record<string, JsonObject>> => {
  const gathering = new Elysia({ normalize: false })
    // With excludeStaticFile, the plugin treats a path with a dot as a file.
    .use(swagger({ path: '/raw', excludeStaticFile: false }))
    .use(routes)
  const response = await gathering.handle(new Request('http://localhost/raw/json'))
  const { paths } = (await response.json()) as { paths: Record<string, JsonObject> }
  return paths
}

/** The schemas of each route, by `get /v1/parcels/{id}`. */
const schemasOf = (routes: AnyElysia): Map<string, RouteSchemas> =>
  new Map(
    routes.routes.map(({ method, path, hooks }) => [
      `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`,
      hooks as RouteSchemas,
    ]),
  )

/** The listed operations of each path. */
const cleanPaths = (
  raw: Record<string, JsonObject>,
  schemas: ReadonlyMap<string, RouteSchemas>,
  components: Components,
): JsonObject => {
  const paths: JsonObject = {}
  for (const [path, item] of Object.entries({ ...raw, ...tilePaths })) {
    const operations = Object.entries(item).filter(([, operation]) => isListed(path, operation as JsonObject, raw))
    if (operations.length === 0) continue
    paths[path] = Object.fromEntries(
      operations.map(([method, operation]) => [
        method,
        cleanOperation(method, operation as JsonObject, schemas.get(`${method} ${path}`) ?? {}, components),
      ]),
    )
  }
  return paths
}

/** The entries that the document references. */
const usedOf = <Entry>(
  entries: Readonly<Record<string, Entry>>,
  referenceTo: (name: string) => string,
  document: JsonObject,
): [string, Entry][] => {
  const text = JSON.stringify(document)
  return Object.entries(entries).filter(([name]) => text.includes(referenceTo(name)))
}

/** Whether the document lists a route: /v1 routes, and public routes that have no form with /v1. */
const isListed = (path: string, { security }: JsonObject, paths: JsonObject): boolean =>
  path.startsWith('/v1/') || (Array.isArray(security) && security.length === 0 && !(`/v1${path}` in paths))
