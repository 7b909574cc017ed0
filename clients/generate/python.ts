import type { OpenApiDocument, Parameter, Schema } from './document'
import type { Operation } from './operations'

/*
 * A generator of our own: those on npm and in Debian write classes that parse and copy each answer, or need a library at run time. The
 * models are `TypedDict`s, so an answer is the parsed JSON itself, with types.
 */

const HEADER = '# Generated from openapi.json by `bun run clients:generate`. Do not edit.\n'
const MAX_LINE = 110
const KEYWORDS = new Set([
  'class',
  'def',
  'from',
  'global',
  'import',
  'in',
  'is',
  'lambda',
  'not',
  'or',
  'pass',
  'with',
])

/** The module of the models: a class for each named schema, and for each object in a body. */
export const generateModels = ({ components, paths }: OpenApiDocument): string => {
  const models = createModels()
  for (const [name, schema] of Object.entries(components.schemas)) models.define(name, schema)
  for (const { operationId, requestBody, responses } of Object.values(paths).flatMap((item) => Object.values(item))) {
    const body = requestBody?.content['application/json']?.schema
    if (body !== undefined) models.typeOf(body, requestNameOf(operationId))
    for (const [status, { content }] of Object.entries(responses)) {
      const answer = content?.['application/json']?.schema
      if (status.startsWith('2') && answer !== undefined) models.typeOf(answer, responseNameOf(operationId))
    }
  }
  return `${HEADER}from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

${models.text()}
`
}

const requestNameOf = (operationId: string): string => `${pascal(operationId)}Request`
const responseNameOf = (operationId: string): string => `${pascal(operationId)}Response`
const pascal = (name: string): string => name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const createModels = () => {
  const definitions = new Map<string, string>()

  /** The Python type of a schema. Objects in it become classes whose names begin with `name`. */
  const typeOf = (schema: Schema, name: string): string => {
    const type = typeOfValue(schema, name)
    return schema.nullable === true && type !== 'Any' ? `${type} | None` : type
  }
  const typeOfValue = (schema: Schema, name: string): string => {
    const { $ref, allOf, anyOf, type, properties, additionalProperties, items } = schema
    if ($ref !== undefined) return refName($ref)
    if (allOf?.length === 1 && allOf[0] !== undefined) return typeOfValue(allOf[0], name)
    if (anyOf !== undefined) return [...new Set(anyOf.map((branch) => typeOfValue(branch, name)))].join(' | ')
    if (schema.enum !== undefined) return literal(schema.enum)
    switch (type) {
      case 'string':
        return 'str'
      case 'integer':
        return 'int'
      case 'number':
        return 'float'
      case 'boolean':
        return 'bool'
      case 'array':
        return `list[${items === undefined ? 'Any' : typeOf(items, `${name}Item`)}]`
      case 'object':
        if (properties !== undefined && Object.keys(properties).length > 0) return defineObject(name, schema)
        return typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0
          ? `dict[str, ${typeOf(additionalProperties, `${name}Value`)}]`
          : 'dict[str, Any]'
      default:
        return 'Any'
    }
  }
  const defineObject = (name: string, { properties = {}, required = [], description }: Schema): string => {
    // Reserves the place, so that a class stands before those in its fields.
    definitions.set(name, '')
    const fields = Object.entries(properties).map(([field, schema]) => {
      const type = typeOf(schema, `${name}${pascal(field)}`)
      return { field, type: required.includes(field) ? type : `NotRequired[${type}]`, description: schema.description }
    })
    definitions.set(
      name,
      fields.every(({ field }) => isName(field)) ? classOf(name, description, fields) : callOf(name, fields),
    )
    return name
  }
  return {
    typeOf,
    define: (name: string, schema: Schema) => {
      if (schema.type === 'object' && schema.properties !== undefined) defineObject(name, schema)
      else definitions.set(name, `${name}: TypeAlias = ${JSON.stringify(typeOf(schema, name))}`)
    },
    text: () => [...definitions.values()].join('\n\n\n'),
  }
}

const literal = (values: readonly unknown[]): string =>
  `Literal[${values.map((value) => (value === true ? 'True' : value === false ? 'False' : JSON.stringify(value))).join(', ')}]`

const isName = (text: string): boolean => /^[A-Za-z_]\w*$/.test(text) && !KEYWORDS.has(text)

const refName = (ref: string): string => ref.replace('#/components/schemas/', '')

interface Field {
  field: string
  type: string
  description: string | undefined
}

const classOf = (name: string, description: string | undefined, fields: readonly Field[]): string =>
  [
    `class ${name}(TypedDict):`,
    ...docstring(description, '    '),
    ...fields.flatMap(({ field, type, description }) => [`    ${field}: ${type}`, ...docstring(description, '    ')]),
  ].join('\n')

/** For fields whose names are not valid in Python. */
const callOf = (name: string, fields: readonly Field[]): string =>
  [
    `${name} = TypedDict(`,
    `    "${name}",`,
    `    {${fields.map(({ field, type }) => `${JSON.stringify(field)}: ${JSON.stringify(type)}`).join(', ')}},`,
    ')',
  ].join('\n')

const docstring = (text: string | undefined, indent: string): string[] => {
  if (text === undefined || text === '') return []
  const lines = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"""', "'''")
    .split('\n')
    .flatMap((line) => wrap(line, MAX_LINE - indent.length))
  const [first = '', ...rest] = lines
  const end = text.endsWith('"') ? ' ' : ''
  return rest.length === 0
    ? [`${indent}"""${first}${end}"""`]
    : [`${indent}"""${first}`, ...rest.map((line) => `${indent}${line}`.trimEnd()), `${indent}"""`]
}

const wrap = (text: string, width: number): string[] => {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/** The modules with a method for each operation, for the sync and the async client. */
export const generateMethods = (operations: readonly Operation[], isAsync: boolean): string => {
  const prefix = isAsync ? 'Async' : ''
  const methods = operations.map((operation) => methodOf(operation, isAsync)).join('\n')
  return `${HEADER}from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import Any, Literal, cast

from ._connection import ${prefix}Connection, ${prefix}Stream
from ._core import Call, TextBody, segment
from ._pages import ${prefix}Pages
from . import models


class ${prefix}Operations(${prefix}Connection):
    """The operations of the API, by their names in \`/docs\`."""

${methods}`
}

const methodOf = (operation: Operation, isAsync: boolean): string => {
  const { id, method, path, pathParameters, query, body, answer, repeat } = operation
  const prefix = isAsync ? 'Async' : ''
  const types = createModels()
  const inModels = (type: string) =>
    type.replace(/(?<![\w."])[A-Z]\w*/g, (name) =>
      ['Any', 'Literal', 'None'].includes(name) ? name : `models.${name}`,
    )
  const bodyTypes =
    body === null
      ? []
      : [body.json && inModels(types.typeOf(body.json, requestNameOf(id))), body.textTypes.length > 0 && 'TextBody']
  const required = query.filter((parameter) => parameter.required === true)
  const optional = query.filter((parameter) => parameter.required !== true)
  const parameters = [
    'self',
    ...pathParameters.map((name) => `${name}: str`),
    ...(body === null
      ? []
      : [`body: ${bodyTypes.filter(Boolean).join(' | ')}${body.isRequired ? '' : ' | None = None'}`]),
    ...(query.length === 0 ? [] : ['*']),
    ...required.map((parameter) => `${parameter.name}: ${typeOfParameter(parameter)}`),
    ...optional.map((parameter) => `${parameter.name}: ${typeOfParameter(parameter)} | None = None`),
  ]
  const call = [
    JSON.stringify(method),
    `${pathParameters.length === 0 ? '' : 'f'}"${path.replaceAll(/\{(\w+)\}/g, (_, name) => `{segment('${name}', ${name})}`)}"`,
    `repeat="${repeat}"`,
    ...(query.length === 0 ? [] : [`query={${query.map(({ name }) => `"${name}": ${name}`).join(', ')}}`]),
    ...(body === null ? [] : ['body=body']),
  ].join(', ')
  const awaits = isAsync ? 'await ' : ''
  const answerType = inModels('schema' in answer ? types.typeOf(answer.schema, responseNameOf(id)) : '')
  const [defines, result, sends] = {
    json: () => [
      `${isAsync ? 'async ' : ''}def`,
      answerType,
      // As text, because some names are of types that only a type checker reads.
      `cast("${answerType}", ${awaits}self._json(Call(${call})))`,
    ],
    page: () => {
      const { items, schema } = answer as { items: string; schema: Schema }
      const page = types.typeOf(schema, responseNameOf(id))
      const row = types.typeOf(schema.properties?.[items]?.items ?? {}, `${page}${pascal(items)}Item`)
      return ['def', `${prefix}Pages[${inModels(row)}, ${inModels(page)}]`, `self._list("${items}", Call(${call}))`]
    },
    text: () => [`${isAsync ? 'async ' : ''}def`, 'str', `${awaits}self._text(Call(${call}))`],
    stream: () => ['def', `${prefix}Stream`, `self._stream(Call(${call}))`],
  }[answer.kind]() as [string, string, string]
  return `    ${defines} ${snake(id)}(
${parameters.map((parameter) => `        ${parameter},`).join('\n')}
    ) -> ${result}:
${docOf(operation).join('\n')}
        return ${sends}
`
}

/** Comma-separated lists can be sequences, times can be \`datetime\`s, and \`true\` and \`false\` can be booleans. */
const typeOfParameter = ({ schema, description = '' }: Parameter): string => {
  if (schema.enum?.includes('true')) return `bool | ${literal(schema.enum)}`
  if (schema.enum !== undefined) return literal(schema.enum)
  if (schema.type === 'integer') return 'int'
  if (schema.type === 'number') return 'float'
  if (schema.type === 'boolean') return 'bool'
  if (schema.pattern?.startsWith('^[12]') === true) return 'str | date'
  return /comma-separated|lon,lat/i.test(description) ? 'str | Collection[str | float]' : 'str'
}

const docOf = ({ method, path, summary, description, query, answer }: Operation): string[] => {
  const described = query.filter((parameter) => parameter.description !== undefined)
  const lines = [
    `${summary}.`,
    ...(description === '' ? [] : ['', ...description.split('\n')]),
    ...(answer.kind === 'page'
      ? ['', 'Iterate over the result to read the rows of all pages; `first_page()` reads one page.']
      : []),
    ...(described.length === 0 ? [] : ['', ...described.map(({ name, description }) => `${name}: ${description}`)]),
    '',
    `\`${method} ${path}\``,
  ]
  return docstring(lines.join('\n'), '        ')
}
