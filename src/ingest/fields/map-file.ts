import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describeFileError } from '../../../core/files/describe-file-error'
import { ServiceError } from '../../../core/service-error'
import { ValueFault } from '../rows/source-row'
import type { Mapping } from './expression'
import { parseFieldMap } from './field-map'
import type { Fields } from './fields'

/**
 * The field map in a file: lines, a JSON object, or a program (`.ts`, `.js`, `.mjs`) that exports `map`, an object of expressions and
 * of functions that take a row's columns. A program runs with all rights of this process, so only the command line may name one.
 *
 * @throws ServiceError `bad_input`
 */
export const readMapFile = async (path: string, fields: Fields): Promise<Mapping[]> => {
  try {
    return /\.[cm]?[jt]s$/.test(path)
      ? await importMap(path, fields)
      : parseFieldMap(readFileSync(path, 'utf8'), fields)
  } catch (error) {
    if (error instanceof ServiceError) throw error
    const reason = describeFileError(error, path) ?? `${path}: ${error instanceof Error ? error.message : error}`
    throw new ServiceError('bad_input', reason, { cause: error })
  }
}

const importMap = async (path: string, fields: Fields): Promise<Mapping[]> => {
  const { map } = (await import(resolve(path))) as { map?: unknown }
  if (typeof map !== 'object' || map === null) {
    throw new ServiceError(
      'bad_input',
      `${path} exports no object "map": export const map = { source_parcel_id: 'PIN' }`,
    )
  }
  const texts: Record<string, string> = {}
  const programs: Mapping[] = []
  for (const [target, value] of Object.entries(map)) {
    if (typeof value === 'function') programs.push(toMapping(target, value as (row: object) => unknown, fields, path))
    else texts[target] = String(value)
  }
  return [...parseFieldMap(JSON.stringify(texts), fields), ...programs]
}

const toMapping = (target: string, run: (row: object) => unknown, fields: Fields, path: string): Mapping => {
  if (!Object.hasOwn(fields, target)) {
    throw new ServiceError(
      'bad_input',
      `${path}: "${target}" is not a field. Fields: ${Object.keys(fields).join(', ')}`,
    )
  }
  const evaluate = (properties: Record<string, unknown>): unknown => {
    try {
      return run(properties)
    } catch (error) {
      throw new ValueFault(`${target}: its function failed: ${error instanceof Error ? error.message : error}`)
    }
  }
  return { target, expression: { kind: 'program', evaluate } }
}
