import { type Components, cleanInline, type Json, type JsonObject } from './schema'

/* Request headers that several operations take. */

export const IDEMPOTENCY_KEY: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller.',
  example: '019b76da-8c00-7000-8000-000000000001',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

export const LAST_EVENT_ID: JsonObject = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'Id of the last event that you received.',
  example: '70413-5518',
  schema: { type: 'string' },
}

export const IF_NONE_MATCH: JsonObject = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'ETag of the response that you have. If it has not changed, the response is 304 without a body.',
  example: 'W/"1k2j3h"',
  schema: { type: 'string' },
}

export const SEEN_VERSION: JsonObject = {
  name: 'X-Dataset-Version',
  in: 'header',
  required: false,
  description:
    'A dataset version that you have seen. The response has every change up to it, if there is such a version.',
  example: '70412',
  schema: { type: 'string' },
}

/**
 * Cleans a parameter. The plugin moves the examples out of its schema. Optional query parameters get no example, because pages for
 * trying calls fill in every example, and all filters together would find nothing.
 */
export const cleanParameter = (
  { schema, examples = [], ...parameter }: JsonObject,
  components: Components,
): JsonObject => {
  const { description, example = (examples as Json[])[0], ...rest } = cleanInline(schema as JsonObject, components)
  return {
    ...parameter,
    ...(description === undefined ? {} : { description }),
    ...(example === undefined || (parameter.in === 'query' && parameter.required !== true) ? {} : { example }),
    schema: rest,
  }
}

/**
 * The parameters that several operations share, by name. If a name has several definitions, the most common one is shared. Replaces
 * them in `paths` with references.
 */
export const shareParameters = (paths: JsonObject): JsonObject => {
  const operations = Object.values(paths as Record<string, JsonObject>).flatMap(Object.values) as JsonObject[]
  const forms = Map.groupBy(
    operations.flatMap(({ parameters = [] }) => parameters as JsonObject[]),
    (parameter) => JSON.stringify(parameter),
  )
  const shared = new Map<string, string>()
  for (const [form, uses] of [...forms].sort(([, some], [, others]) => others.length - some.length)) {
    const name = String(uses[0]?.name)
    if (uses.length > 1 && !shared.has(name)) shared.set(name, form)
  }
  for (const operation of operations) {
    if (operation.parameters === undefined) continue
    operation.parameters = (operation.parameters as JsonObject[]).map((parameter) =>
      shared.get(String(parameter.name)) === JSON.stringify(parameter)
        ? { $ref: `#/components/parameters/${parameter.name}` }
        : parameter,
    )
  }
  return Object.fromEntries([...shared].sort().map(([name, form]) => [name, JSON.parse(form)]))
}
