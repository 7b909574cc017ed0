import { ServiceError } from '../../../core/service-error'
import { parseJson } from '../rows/parse-json'
import { type ReadRow, RowFault } from '../rows/source-row'
import type { Format } from './format'
import { MAX_LINE_CHARACTERS, readLines, tooLong } from './read-lines'

/** The record separator of GeoJSON Text Sequences (RFC 8142). */
const SEPARATOR = '\u001e'

/**
 * One JSON object per line: Features, or plain objects of attributes. Empty lines are skipped. In a text sequence, an object can be
 * several lines.
 */
export const geojsonLines: Format = {
  unit: 'line',
  isFormat: (_, text) => text.startsWith(SEPARATOR) || (FIRST_LINE.test(text) && !ONE_OBJECT.test(text)),
  async *read(input, { encoding, onCrs }) {
    onCrs({ crs: null, from: input.name, isLonLatByDefault: true })
    const lines = readLines(input.read(), encoding)
    if (new TextDecoder().decode(input.head.subarray(0, 4)).startsWith(SEPARATOR))
      return yield* readSequence(lines, input.name)
    for await (const { first, lines: some, isOpen } of lines) {
      const isCut = isOpen && isCutOff(some.at(-1) ?? '')
      yield readFeatures(isCut ? some.slice(0, -1) : some, first)
      if (isCut) throw cutOff(input.name, first + some.length - 1)
    }
  },
}

/** A complete Feature, any object with another one below it, or one object on one line that is not a geometry. */
const FIRST_LINE =
  /^\{[^\n]*"type"\s*:\s*"Feature"\s*[,}]|^\{[^\n]*\}[^\S\n]*\n\s*\{|^(?![^\n]*"(?:coordinates|geometries)"\s*:)\{[^\n]*"[^\n]*\}\s*$/
/** The file is one object, of Features or TopoJSON. */
const ONE_OBJECT = /^[^\n]*"(?:FeatureCollection|Topology)"|^\{\s*"features"\s*:/

/** The records of a text sequence, each from its separator to the next one. `line` is where a record begins. */
async function* readSequence(chunks: ReturnType<typeof readLines>, name: string): AsyncGenerator<ReadRow[]> {
  let record: string[] = []
  let characters = 0
  let line = 1
  const endRecord = (): ReadRow[] => {
    const json = record.join('\n')
    record = []
    characters = 0
    return json.trim() === '' ? [] : [parseFeature(json, line)]
  }
  for await (const { first, lines } of chunks) {
    const rows: ReadRow[] = []
    for (const [index, text] of lines.entries()) {
      const isStart = text.startsWith(SEPARATOR)
      if (isStart) {
        rows.push(...endRecord())
        line = first + index
      }
      record.push(isStart ? text.replaceAll(SEPARATOR, '') : text)
      characters += text.length
      if (characters > MAX_LINE_CHARACTERS) throw tooLong(line)
    }
    yield rows
  }
  if (isCutOff(record.join('\n'))) throw cutOff(name, line)
  yield endRecord()
}

/** Whether the last object of a file does not end. */
const isCutOff = (json: string): boolean => {
  if (!json.trimStart().startsWith('{')) return false
  try {
    parseJson(json)
    return false
  } catch (error) {
    return !(error instanceof RowFault)
  }
}

const cutOff = (name: string, line: number) =>
  new ServiceError('bad_input', `${name} ends inside the object that begins on line ${line}`)

/** The lines from number `first` on. */
export const readFeatures = (lines: readonly string[], first: number): ReadRow[] => {
  const rows: ReadRow[] = []
  for (const [index, text] of lines.entries()) {
    const json = text.startsWith(SEPARATOR) ? text.slice(1) : text
    if (json.trim() !== '') rows.push(parseFeature(json, first + index))
  }
  return rows
}

/** GeoJSON types that are not records (RFC 7946, 1.4). */
const NOT_RECORDS = new Set([
  'FeatureCollection',
  'GeometryCollection',
  'Point',
  'MultiPoint',
  'LineString',
  'MultiLineString',
  'Polygon',
  'MultiPolygon',
])

/** One Feature, or one plain object of attributes, from its JSON text. */
export const parseFeature = (json: string, line: number): ReadRow => {
  let value: unknown
  try {
    value = parseJson(json)
  } catch (error) {
    if (error instanceof RowFault) return { line, reason: error.message }
    return { line, reason: `not JSON: ${error instanceof Error ? error.message : error}` }
  }
  if (!isObject(value)) return { line, reason: `not a GeoJSON Feature but ${json.trim().slice(0, 40)}` }
  const { type, properties } = value
  if (type !== 'Feature') {
    if (
      typeof type === 'string' &&
      NOT_RECORDS.has(type) &&
      ('features' in value || 'coordinates' in value || 'geometries' in value)
    ) {
      return { line, reason: `a GeoJSON ${type} where a Feature is wanted` }
    }
    return { line, properties: value }
  }
  if (properties !== null && properties !== undefined && !isObject(properties)) {
    return { line, reason: 'its "properties" are not an object' }
  }
  const crs = value.crs ?? (value.geometry as { crs?: unknown } | null | undefined)?.crs
  const own = properties ?? {}
  // A field map uses `$id` for the Feature's own id, which is beside its properties.
  return {
    line,
    properties: value.id === undefined ? own : { ...own, $id: value.id },
    geometry: value.geometry ?? null,
    ...(crs === undefined ? {} : { crs }),
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
