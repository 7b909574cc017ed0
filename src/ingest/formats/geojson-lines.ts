import type { ReadRow } from '../rows/source-row'
import type { Format } from './format'
import { readLines } from './read-lines'

/** One JSON object per line: Features, or plain objects of attributes. Empty lines are skipped. */
export const geojsonLines: Format = {
  unit: 'line',
  isFormat: (_, text) =>
    // The record separator of GeoJSON Text Sequences (RFC 8142).
    text.startsWith('\u001e') || (FIRST_LINE.test(text) && !ONE_OBJECT.test(text)),
  async *read(input, { encoding, onCrs }) {
    onCrs({ crs: null, from: input.name, isLonLatByDefault: true })
    for await (const { first, lines } of readLines(input.read(), encoding)) yield readFeatures(lines, first)
  },
}

/** A complete Feature, any object with another one below it, or one object on one line that is not a geometry. */
const FIRST_LINE =
  /^\{[^\n]*"type"\s*:\s*"Feature"\s*[,}]|^\{[^\n]*\}[^\S\n]*\n\s*\{|^(?![^\n]*"(?:coordinates|geometries)"\s*:)\{[^\n]*"[^\n]*\}\s*$/
/** The file is one object, of Features or TopoJSON. */
const ONE_OBJECT = /^[^\n]*"(?:FeatureCollection|Topology)"|^\{\s*"features"\s*:/

/** The lines from number `first` on. */
export const readFeatures = (lines: readonly string[], first: number): ReadRow[] => {
  const rows: ReadRow[] = []
  for (const [index, text] of lines.entries()) {
    const json = text.charCodeAt(0) === 0x1e ? text.slice(1) : text
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
    value = JSON.parse(json)
  } catch (error) {
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
