import { ERRORS } from './errors'
import { exampleOf } from './example'
import { type Components, cleanSchema, type Json, type JsonObject, resolve } from './schema'

/** `own`: the description and the content of a body that is not JSON, or not always (convention/body/list-body.ts). */
export const requestBodyOf = (body: JsonObject | null, own: JsonObject | undefined): { requestBody?: JsonObject } => {
  if (own === undefined) return body === null ? {} : { requestBody: body }
  return {
    requestBody: {
      ...own,
      required: true,
      ...body,
      content: { ...(body?.content as JsonObject | undefined), ...(own.content as JsonObject) },
    },
  }
}

/** A nullable body is optional. */
export const cleanBody = (body: Json, components: Components): JsonObject => {
  const { nullable, ...schema } = cleanSchema(body, components) as JsonObject
  const [only] = (schema.allOf ?? []) as JsonObject[]
  const described = only ?? schema
  const { description } = resolve(described, components)
  return {
    ...(description === undefined ? {} : { description }),
    required: nullable !== true,
    content: { 'application/json': { schema: described, example: exampleOf(described, components) } },
  }
}

/** Describes a response. Responses written by hand have no route schema. They have their own description, and maybe no content. */
export const describeAnswer = (
  status: string,
  { description, content }: JsonObject,
  schema: Json,
  summary: string,
  components: Components,
): JsonObject =>
  status === '304'
    ? { description: 'Not modified: the response that you have is current.' }
    : {
        description: (schema === null && description) || (ERRORS[status]?.description ?? summary),
        ...(schema === null && content === undefined
          ? {}
          : { content: schema === null ? onlyJson(content as JsonObject, components) : asJson(schema, components) }),
      }

/** Whether an error response has fields other than `error`. */
export const hasOwnFields = (response: JsonObject | undefined): boolean => {
  const content = response?.content as Record<string, { schema?: { properties?: JsonObject } }> | undefined
  return Object.keys(content?.['application/json']?.schema?.properties ?? {}).some((field) => field !== 'error')
}

/** Keeps only the JSON of a content. A content without JSON (pages, text) is unchanged. */
const onlyJson = (content: JsonObject, components: Components): JsonObject => {
  const json = content['application/json'] as { schema?: Json } | undefined
  return json === undefined ? content : asJson(json.schema ?? {}, components)
}

/** A schema as a content with an example. A named schema carries its own example. */
const asJson = (raw: Json, components: Components): JsonObject => {
  const schema = cleanSchema(raw, components) as JsonObject
  const example = exampleOf(schema, components)
  if (!('$ref' in schema)) return { 'application/json': { schema, example } }
  resolve(schema, components).example = example
  return { 'application/json': { schema } }
}
