import { type Components, type Json, type JsonObject, resolve } from './schema'

/** An example of a cleaned schema: its own if it has one, otherwise one built from its parts. */
export const exampleOf = (reference: JsonObject, components: Components): Json => {
  const schema = resolve(reference, components)
  if (schema.example !== undefined) return schema.example
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null
  const [branch] = (schema.allOf ?? schema.anyOf ?? []) as JsonObject[]
  if (branch !== undefined) return exampleOf(branch, components)
  if (schema.type === 'array') {
    return Array.from({ length: Number(schema.minItems ?? 1) }, () => exampleOf(schema.items as JsonObject, components))
  }
  if (schema.type === 'object') {
    return Object.fromEntries(
      Object.entries((schema.properties ?? {}) as Record<string, JsonObject>).map(([name, field]) => [
        name,
        exampleOf(field, components),
      ]),
    )
  }
  if (schema.type === 'boolean') return true
  return schema.type === 'string' ? 'text' : Number(schema.minimum ?? 1)
}
