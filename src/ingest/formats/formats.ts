import { basename } from 'node:path'
import { ServiceError } from '../../../core/service-error'
import { csv } from './csv'
import { featureCollection } from './feature-collection'
import { flatgeobuf } from './flatgeobuf'
import type { Format, Input } from './format'
import { FORMAT_NAMES, type FormatName } from './format-names'
import { geojsonLines } from './geojson-lines'
import { geopackage } from './geopackage'
import { geoparquet } from './geoparquet'
import { ogr } from './ogr'
import { shapefile } from './shapefile'
import { findUtf16 } from './text-decoder'
import { topojson } from './topojson'

export const FORMATS: Readonly<Record<FormatName, Format>> = {
  ...{ shapefile, geopackage, flatgeobuf, geoparquet, topojson },
  ...{ geojsonl: geojsonLines, geojson: featureCollection, ogr, csv },
}

/** Null: not a format that can be read. */
export const findFormat = ({ head }: Input): FormatName | null => {
  const text = new TextDecoder(findUtf16(head) ?? 'utf-8').decode(head).trimStart()
  return FORMAT_NAMES.find((name) => FORMATS[name].isFormat(head, text)) ?? null
}

/** Extensions of binary formats. A text file with one of them is damaged or has the wrong name, and is no CSV. */
const BINARY: Readonly<Record<string, FormatName>> = {
  ...{ shp: 'shapefile', gpkg: 'geopackage', fgb: 'flatgeobuf', parquet: 'geoparquet' },
}

/** JSON that would be read as something else, and what to do with it. */
const findOtherJson = ({ name, head }: Input): string | null => {
  const text = new TextDecoder().decode(head)
  if (/"geometryType"\s*:\s*"esriGeometry/.test(text))
    return `Esri JSON. Download it as GeoJSON, with f=geojson in the address, or convert it: ogr2ogr lots.gpkg ${basename(name)}`
  return /^\s*\[\s*\{/.test(text) ? 'a JSON array. Write one object per line, without the brackets' : null
}

/** @throws ServiceError `bad_input` */
export const getFormat = (input: Input): FormatName => {
  const format = findFormat(input)
  const named = BINARY[/[^.]*$/.exec(input.name.toLowerCase())?.[0] ?? '']
  if (format === 'csv' && named !== undefined) {
    throw new ServiceError('bad_input', `${input.name} is text, not a ${named}. If it is a CSV, add --format csv`)
  }
  const other = findOtherJson(input)
  if (other !== null) throw new ServiceError('bad_input', `${input.name} is ${other}`)
  if (format !== null) return format
  if (input.head.length === 0) throw new ServiceError('bad_input', `${input.name} is empty`)
  throw new ServiceError(
    'bad_input',
    `${input.name} is not a format that can be read. These can: ${FORMAT_NAMES.join(', ')}`,
  )
}
