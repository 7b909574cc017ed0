/*
 * Lists the fields of a `vendor_config` from its JSON Schema. The console's form and `adapter configure` prompt for them. This file has
 * no imports, because browsers run it.
 */

/** One field that a person fills in. */
export interface Setting {
  /** `labels.address` */
  name: string
  path: readonly string[]
  description: string
  example: unknown
  byDefault: unknown
  isRequired: boolean
  /** A list is written with commas. Deeper structures are written as JSON. */
  kind: 'text' | 'whole' | 'number' | 'boolean' | 'choice' | 'list' | 'json'
  /** For a choice. */
  choices: readonly string[]
  /** The JSON Schema of the field. */
  schema: JsonSchema
}

export interface JsonSchema {
  type?: string
  description?: string
  default?: unknown
  examples?: readonly unknown[]
  properties?: Record<string, JsonSchema>
  required?: readonly string[]
  items?: JsonSchema
  anyOf?: readonly JsonSchema[]
  const?: unknown
}

/** The settings of a schema, in its order. Groups of settings are listed by their members. */
export const listSettings = (schema: JsonSchema, path: readonly string[] = [], isWithin = true): Setting[] =>
  Object.entries(schema.properties ?? {}).flatMap(([key, field]): Setting[] => {
    const at = [...path, key]
    const isRequired = isWithin && schema.required?.includes(key) === true && field.default === undefined
    if (isGroup(field)) return listSettings(field, at, isRequired || field.default !== undefined)
    const choices = (field.anyOf ?? []).flatMap(({ const: word }) => (typeof word === 'string' ? word : []))
    return [
      {
        name: at.join('.'),
        path: at,
        isRequired,
        schema: field,
        description: describe(field),
        example: field.examples?.[0],
        byDefault: field.default,
        kind: kindOf(field, choices),
        choices,
      },
    ]
  })

/** An object whose fields are all simple and described. */
const isGroup = ({ type, properties = {} }: JsonSchema): boolean => {
  const fields = Object.values(properties)
  return (
    type === 'object' &&
    fields.length > 0 &&
    fields.every((field) => field.type !== 'object' && field.description !== undefined)
  )
}

const describe = ({ description = '', properties }: JsonSchema): string =>
  properties === undefined ? description : `${description} An object with ${Object.keys(properties).join(', ')}.`.trim()

const kindOf = ({ type, items, anyOf }: JsonSchema, choices: readonly string[]): Setting['kind'] => {
  if (anyOf !== undefined) return choices.length === anyOf.length ? 'choice' : 'json'
  if (type === 'string') return 'text'
  if (type === 'integer') return 'whole'
  if (type === 'number' || type === 'boolean') return type
  return type === 'array' && items?.type === 'string' ? 'list' : 'json'
}

const MAX_QUOTED = 60

const quote = (text: string): string =>
  JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text)

/** An answer that does not have the form of its setting: `"x" is not a number`. */
export class UnreadableAnswer extends Error {}

/**
 * The value of an answer. Undefined: it is empty, and the setting is left out.
 *
 * @throws UnreadableAnswer
 */
export const readAnswer = ({ kind, choices }: Setting, answer: string): unknown => {
  const text = answer.trim()
  if (text === '') return undefined
  if (kind === 'text') return text
  if (kind === 'whole' || kind === 'number') {
    const number = Number(text)
    if (Number.isFinite(number)) return number
    throw new UnreadableAnswer(`${quote(text)} is not a number`)
  }
  if (kind === 'boolean') {
    if (/^(?:true|y|yes)$/i.test(text)) return true
    if (/^(?:false|n|no)$/i.test(text)) return false
    throw new UnreadableAnswer(`${quote(text)} is neither yes nor no`)
  }
  if (kind === 'choice') {
    if (choices.includes(text)) return text
    throw new UnreadableAnswer(`${quote(text)} is not one of ${choices.join(', ')}`)
  }
  if (kind === 'list' && !text.startsWith('[')) return text.split(',').map((item) => item.trim())
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreadableAnswer(`${quote(text)} is not JSON`)
  }
}

/** A value in the form of an answer. */
export const writeAnswer = ({ kind }: Pick<Setting, 'kind'>, value: unknown): string => {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return kind === 'json' ? JSON.stringify(value) : value
  if (kind === 'list' && Array.isArray(value) && value.length > 0 && !value.some((item) => String(item).includes(',')))
    return value.join(', ')
  return JSON.stringify(value)
}

/** The value of a setting in a `vendor_config`. Undefined: there is none. */
export const findValue = (config: Record<string, unknown>, { path }: Pick<Setting, 'path'>): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined),
    config,
  )

/** A copy of a `vendor_config` with one value changed. Undefined removes it, and its group if that is then empty. */
export const withValue = (
  config: Record<string, unknown>,
  { path }: Pick<Setting, 'path'>,
  value: unknown,
): Record<string, unknown> => {
  const [key, ...rest] = path
  if (key === undefined) return config
  const { [key]: former, ...others } = config
  const group = (typeof former === 'object' && former !== null ? former : {}) as Record<string, unknown>
  const changed = rest.length === 0 ? value : withValue(group, { path: rest }, value)
  const isEmpty = changed === undefined || (rest.length > 0 && Object.keys(changed as object).length === 0)
  return isEmpty ? others : { ...config, [key]: changed }
}
