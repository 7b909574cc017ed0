import { columnsOf, formatExpression, type Mapping } from '../fields/expression'
import type { SampledColumn } from '../fields/guess-map'
import { toOneLine } from '../fields/values'
import type { FilePreview } from './file-preview'

const MAX_SAMPLES = 3
const MAX_SAMPLE_CHARACTERS = 80

/** The columns of a file with samples, and the map that reads them. */
export const describeColumns = (
  columns: readonly SampledColumn[],
  map: readonly Mapping[],
): Pick<FilePreview, 'columns' | 'map'> => ({
  columns: columns.map(({ name, values, rows }) => ({
    name,
    samples: [...new Set(values.map(show))].slice(0, MAX_SAMPLES),
    filled: rows === 0 ? 0 : values.length / rows,
    fields: map.filter(({ expression }) => columnsOf(expression).includes(name)).map(({ target }) => target),
  })),
  map: Object.fromEntries(map.map(({ target, expression }) => [target, formatExpression(expression)])),
})

const show = (value: unknown): string =>
  toOneLine(typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, MAX_SAMPLE_CHARACTERS)
