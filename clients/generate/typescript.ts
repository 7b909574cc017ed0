import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import type { OpenApiDocument, Schema } from './document'
import type { Operation } from './operations'

const HEADER = '// Generated from openapi.json by `bun run clients:generate`. Do not edit.\n'

/** The types of the document, with each named schema exported under its name. */
export const generateTypes = async (document: OpenApiDocument): Promise<string> => {
  const nodes = await openapiTS(withoutErrors(document) as unknown as OpenAPI3, {
    defaultNonNullable: false,
    // Maps take a center or a box only as a tuple.
    arrayLength: true,
  })
  // `paths` repeats `operations`.
  const used = nodes.filter((node) => 'name' in node && ['components', 'operations'].includes(nameOf(node)))
  const types = astToString(used).replace(/^( {4})+/gm, (indent) => indent.slice(indent.length / 2))
  // `Error` would hide the global class.
  const names = Object.keys(document.components.schemas).filter((name) => name !== 'Error')
  const named = names.map((name) => `export type ${name} = components['schemas']['${name}']`)
  return `${HEADER}${types}\n${named.join('\n')}\n`
}

const nameOf = (node: object): string => ('name' in node ? (node.name as { text: string }).text : '')

/** Without what makes the types long and is not needed: examples, headers, error responses and limits on the lengths of arrays. */
const withoutErrors = (document: OpenApiDocument): unknown => ({
  ...withoutDetails(document),
  components: { ...withoutDetails(document.components), responses: {}, headers: {} },
  paths: mapValues(withoutDetails(document.paths), (item) =>
    mapValues(item, (operation) => ({
      ...operation,
      responses: Object.fromEntries(
        Object.entries(operation.responses)
          .filter(([status]) => status.startsWith('2'))
          .map(([status, response]) => [status, { ...response, headers: {} }]),
      ),
    })),
  ),
})

const withoutDetails = <Part>(part: Part): Part =>
  JSON.parse(JSON.stringify(part), (name, value) => {
    if (name === 'example') return undefined
    if (value?.type !== 'array' || value.minItems === value.maxItems) return value
    // They would be written as one tuple for each length.
    const { minItems, maxItems, ...array } = value
    return array
  })

const mapValues = <From, To>(object: Record<string, From>, map: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]))

/** The class with a method for each operation. */
export const generateMethods = (operations: readonly Operation[]): string => {
  const methods = operations.map(methodOf).join('\n')
  const names = [...new Set(methods.match(/(?<=Schemas\.)\w+/g))]
  const imports = names.sort().join(', ')
  return `${HEADER}import { Connection, type RequestOptions, segment, type TextBody } from '../connection.js'
import type { Pages } from '../pages.js'
import type { Body, Query, Result } from '../operation-types.js'
import type { ${imports} } from './openapi.js'

/** The operations of the API, by their names in \`/docs\`. */
export class Operations extends Connection {
${methods.replaceAll('Schemas.', '')}}
`
}

const methodOf = (operation: Operation): string => {
  const { id, method, path, pathParameters, query, body, answer, repeat } = operation
  const isQueryRequired = query.some(({ required }) => required === true)
  const bodyType =
    body === null ? null : [body.json && typeOfBody(id, body.json), body.textTypes.length > 0 && 'TextBody']
  const parameters = [
    ...pathParameters.map((name) => `${name}: string`),
    ...(bodyType === null ? [] : [`body${body?.isRequired ? '' : '?'}: ${bodyType.filter(Boolean).join(' | ')}`]),
    ...(query.length === 0 ? [] : [`query${isQueryRequired ? '' : '?'}: Query<'${id}'>`]),
    'options?: RequestOptions',
  ]
  const call = [
    `method: '${method}'`,
    `path: \`${path.replaceAll(/\{(\w+)\}/g, (_, name) => `\${segment('${name}', ${name})}`)}\``,
    ...(body === null ? [] : ['body']),
    ...(query.length === 0 ? [] : ['query']),
    `repeat: '${repeat}'`,
  ]
  const [result, send] = {
    json: () => [`Promise<${typeOfAnswer(id, answer)}>`, 'this.json('],
    page: () => [
      `Pages<${typeOfItem(id, answer)}, Result<'${id}'>>`,
      `this.list('${'items' in answer ? answer.items : ''}', `,
    ],
    text: () => ['Promise<string>', 'this.text('],
    stream: () => ['Promise<ReadableStream<Uint8Array<ArrayBuffer>>>', 'this.stream('],
  }[answer.kind]() as [string, string]
  return `${docOf(operation)}  ${id}(${parameters.join(', ')}): ${result} {
    return ${send}{ ${call.join(', ')} }, options)
  }
`
}

const refOf = (schema: Schema | undefined): string | null => {
  const name = schema?.$ref?.replace('#/components/schemas/', '')
  return name === undefined ? null : `Schemas.${name}`
}

const typeOfBody = (id: string, schema: Schema): string => refOf(schema) ?? `Body<'${id}'>`

const typeOfAnswer = (id: string, answer: Operation['answer']): string =>
  ('schema' in answer && refOf(answer.schema)) || `Result<'${id}'>`

const typeOfItem = (id: string, answer: Operation['answer']): string => {
  if (answer.kind !== 'page') throw new Error(`${id} is not a list`)
  const row = answer.schema.properties?.[answer.items]?.items
  return refOf(row) ?? `Result<'${id}'>['${answer.items}'][number]`
}

const docOf = ({ method, path, summary, description, answer }: Operation): string => {
  const paging = answer.kind === 'page' ? ['', '`await` gets one page; `for await` reads the rows of all pages.'] : []
  const lines = [
    `${summary}.`,
    ...(description === '' ? [] : ['', ...description.split('\n')]),
    ...paging,
    '',
    `\`${method} ${path}\``,
  ]
  return `  /**\n${lines.map((line) => `   * ${line.replaceAll('*/', '*\\/')}`.trimEnd()).join('\n')}\n   */\n`
}
