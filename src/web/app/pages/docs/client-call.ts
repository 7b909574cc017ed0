import { toPython, toTypeScript } from './literals'
import { type GuideRequest, jsonOf, NO_KEY, type ProgramStart, queryOf, type Target } from './request'

/** Query parameters whose value is a comma-separated list: an array for the clients. */
const LISTS = new Set(['at', 'bbox', 'fields', 'near', 'types'])
/** Query parameters that are text, also when it is a number. */
const TEXTS = new Set(['county', 'owner', 'parcel_id', 'q', 'source', 'zoning'])

const numberOrText = (text: string): number | string => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text)

const typedQuery = (request: GuideRequest): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(queryOf(request)).map(([name, value]) => [
      name,
      LISTS.has(name) ? value.split(',').map(numberOrText) : TEXTS.has(name) ? value : numberOrText(value),
    ]),
  )

const pathValues = ({ values }: GuideRequest): string[] =>
  values.filter((one) => one.in === 'path').map(({ value }) => value)

/** The JSON body without what the client's method says itself. */
const bodyOf = (request: GuideRequest): unknown => {
  const json = jsonOf(request)
  if (typeof json !== 'object' || json === null || !('delivery' in json)) return json
  const { delivery, ...body } = json
  return body
}

/** A call of the TypeScript client: parts of the path, then the body, then the query. */
export const callInTypeScript = (method: string, request: GuideRequest, { base, key }: Target): ProgramStart => {
  const { body } = request
  const json = bodyOf(request)
  const query = typedQuery(request)
  const given = [
    ...pathValues(request),
    ...(json !== undefined ? [json] : body === undefined ? [] : [{ contentType: body.type, content: body.text }]),
    ...(Object.keys(query).length === 0 ? [] : [query]),
  ]
  return {
    head: `import { ParcelData } from 'parcel-data-client'

const client = new ParcelData(${toTypeScript({ baseUrl: base, key: key ?? NO_KEY })})`,
    call: `client.${method}(${given.map((one) => toTypeScript(one)).join(', ')})`,
  }
}

const MAX_LINE = 88

/** A call of the Python client: the same with keyword arguments for the query, and the method in snake case. */
export const callInPython = (method: string, request: GuideRequest, { base, key }: Target): ProgramStart => {
  const { body } = request
  const json = bodyOf(request)
  const isText = json === undefined && body !== undefined
  const write = (indent: string): string[] => [
    ...pathValues(request).map((value) => toPython(value)),
    ...(json === undefined ? [] : [toPython(json, indent)]),
    ...(isText ? [`TextBody(${toPython(body.text)})`] : []),
    ...Object.entries(typedQuery(request)).map(([name, value]) => `${name}=${toPython(value, indent)}`),
  ]
  const name = `client.${method.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`
  const flat = `${name}(${write('').join(', ')})`
  return {
    head: `from parcel_data_client import ${isText ? 'ParcelData, TextBody' : 'ParcelData'}

client = ParcelData(${toPython(key ?? NO_KEY)}, ${toPython(base)})`,
    call:
      flat.length <= MAX_LINE || write('').length === 1
        ? flat
        : `${name}(\n${write('    ')
            .map((one) => `    ${one},\n`)
            .join('')})`,
  }
}
