import type { ExportFormat } from './export-format'
import { csv } from './formats/csv'
import { flatgeobuf } from './formats/flatgeobuf'
import { geojsonSeq } from './formats/geojson-seq'
import { geopackage } from './formats/geopackage'
import { geoparquet } from './formats/geoparquet'
import { ndjson } from './formats/ndjson'

export type FormatName = 'ndjson' | 'csv' | 'geojsonseq' | 'flatgeobuf' | 'geoparquet' | 'geopackage'

/** The formats by the name in requests. A new format is added here. */
export const FORMATS: Record<FormatName, ExportFormat> = {
  ndjson,
  csv,
  geojsonseq: geojsonSeq,
  flatgeobuf,
  geoparquet,
  geopackage,
}

export const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[]
