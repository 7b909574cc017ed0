import type { Mapping } from '../../ingest/fields/expression'
import { parseFieldMap } from '../../ingest/fields/field-map'
import type { Fields } from '../../ingest/fields/fields'
import { readMapFile } from '../../ingest/fields/map-file'
import { orUsageError, UsageError } from '../command/command'
import type { Values } from './options'

/** The given maps. Fields on the command line replace those of files. An invalid map is a usage error. */
export const readMap = async (values: Values, fields: Fields): Promise<Mapping[]> => {
  const texts = values.map ?? []
  const isPair = (text: string) => text.includes('=') || text.trimStart().startsWith('{')
  const files = [
    ...texts.filter((text) => !isPair(text)).map((path) => ({ option: '--map', path })),
    ...(values['map-file'] ?? []).map((path) => ({ option: '--map-file', path })),
  ]
  const [file, ...more] = files
  if (more.length > 0) throw new UsageError(`--map takes one file, not ${files.map(({ path }) => path).join(', ')}`)
  const given = await orUsageError('--map', () => parseFieldMap(texts.filter(isPair).join('\n'), fields))
  const fromFile = file === undefined ? [] : await orUsageError(file.option, () => readMapFile(file.path, fields))
  return replaceFields(fromFile, given)
}

export const replaceFields = (map: readonly Mapping[], by: readonly Mapping[]): Mapping[] => [
  ...map.filter(({ target }) => !by.some((mapping) => mapping.target === target)),
  ...by,
]
