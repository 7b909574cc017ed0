import type { CheckCrs } from './crs'
import type { Lines } from './read-lines'
import { type ReadRow, RowFault } from './source-row'

/**
 * One JSON object per line (also GeoJSON Text Sequences, RFC 8142): Features, or plain objects of attributes. Empty lines are
 * skipped.
 */
export async function* readGeojsonLines(
  chunks: AsyncIterable<Lines>,
  checkCrs: CheckCrs = () => {},
): AsyncGenerator<ReadRow[]> {
  for await (const { first, lines } of chunks) {
    const rows: ReadRow[] = []
    for (const [index, text] of lines.entries()) {
      const json = text.charCodeAt(0) === 0x1e ? text.slice(1) : text
      if (json.trim() !== '') rows.push(parseFeature(json, first + index, checkCrs))
    }
    yield rows
  }
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
export const parseFeature = (json: string, line: number, checkCrs: CheckCrs): ReadRow => {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    return { line, reason: `not JSON: ${error instanceof Error ? error.message : error}` }
  }
  if (!isObject(value)) return { line, reason: `not a GeoJSON Feature but ${JSON.stringify(value)?.slice(0, 40)}` }
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
  if (crs !== undefined) {
    try {
      checkCrs(crs)
    } catch (error) {
      if (error instanceof RowFault) return { line, reason: error.message }
      throw error
    }
  }
  const own = properties ?? {}
  // A field map uses `$id` for the Feature's own id, which is beside its properties.
  return {
    line,
    properties: value.id === undefined ? own : { ...own, $id: value.id },
    geometry: value.geometry ?? null,
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
