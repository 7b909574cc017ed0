import { createApp } from '../../src/http/app'
import type { Deps } from '../../src/http/deps'

/** A JSON schema of the document (OpenAPI 3.0). */
export interface Schema {
  $ref?: string
  type?: string
  format?: string
  pattern?: string
  enum?: readonly (string | number)[]
  nullable?: boolean
  properties?: Record<string, Schema>
  required?: readonly string[]
  items?: Schema
  anyOf?: readonly Schema[]
  allOf?: readonly Schema[]
  additionalProperties?: boolean | Schema
  description?: string
  default?: unknown
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
}

interface Reference {
  $ref: string
}

type Content = Record<string, { schema: Schema }>

interface DocumentedOperation {
  operationId: string
  summary: string
  description?: string
  parameters?: readonly (Parameter | Reference)[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, { content?: Content }>
}

/** What the generators read of `/openapi.json`. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, DocumentedOperation>>
  components: { parameters: Record<string, Parameter>; schemas: Record<string, Schema> }
}

/** Replaces every dependency of the routes. Routes use them only when a request arrives, so the document needs none. */
const nothing: unknown = new Proxy(() => {}, {
  get: (_, name) => (name === 'then' ? undefined : nothing),
  apply: () => nothing,
})

/** The document that the service returns at `/openapi.json`, made without starting its servers. */
export const readDocument = async (): Promise<OpenApiDocument> => {
  const deps = new Proxy({ baseUrl: 'http://localhost:3000', corsOrigins: new Set() } as unknown as Deps, {
    get: (own, name) => Reflect.get(own, name) ?? nothing,
  })
  const app = await createApp(deps)
  return (await (await app.handle(new Request('http://localhost/openapi.json'))).json()) as OpenApiDocument
}
