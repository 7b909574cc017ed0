import { api, ask, at } from '../../api/api'
import type { Filters } from '../search/filters/filters'
import { toListQuery } from '../search/results'

export const FORMATS = [
  ['geoparquet', 'GeoParquet'],
  ['geopackage', 'GeoPackage'],
  ['flatgeobuf', 'FlatGeobuf'],
  ['geojsonseq', 'GeoJSON text sequence'],
  ['ndjson', 'NDJSON'],
  ['csv', 'CSV'],
] as const
export type FormatName = (typeof FORMATS)[number][0]

/** Formats that can be compressed, and that can leave boundaries out. The others are compressed by themselves, or are made of boundaries. */
export const isTextFormat = (format: FormatName): boolean => ['ndjson', 'csv', 'geojsonseq'].includes(format)
export const canLeaveOutBoundaries = (format: FormatName): boolean => ['ndjson', 'csv'].includes(format)

export const GEOMETRIES = [
  ['full', 'all corners'],
  ['simplified', 'simplified'],
  ['none', 'left out'],
] as const
export type Geometry = (typeof GEOMETRIES)[number][0]

const PAGE = 20

export const listExports = (after: string | null, signal: AbortSignal) =>
  ask(api.v1.exports.get({ query: { limit: PAGE, ...(after === null ? {} : { after }) }, fetch: { signal } }))
export type Export = Awaited<ReturnType<typeof listExports>>['exports'][number]

export const cancelExport = (id: string) => ask(api.v1.exports({ id: at(id) }).delete())

/** @throws Refusal */
export const orderExport = (filters: Filters, format: FormatName, gzip: boolean, geometry: Geometry) =>
  ask(api.v1.exports.post({ format, geometry, ...toPlace(filters), ...(gzip ? { gzip } : {}) }))

/** The filters of an export. A drawn area is enough of a place. */
const toPlace = (filters: Filters) => {
  const { query, polygon } = toListQuery(filters)
  if (polygon === null) return { filter: query }
  const { bbox, ...filter } = query
  return { filter, within: polygon }
}
