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
import { dbfTable } from './shapefile/dbf-table'
import { shapefile } from './shapefile/shapefile'
import { findUtf16 } from './text-decoder'
import { topojson } from './topojson'

export const FORMATS: Readonly<Record<FormatName, Format>> = {
  shapefile,
  dbf: dbfTable,
  geopackage,
  flatgeobuf,
  geoparquet,
  topojson,
  geojsonl: geojsonLines,
  geojson: featureCollection,
  ogr,
  csv,
}

/** Null: not a format that can be read. */
export const findFormat = ({ head }: Input): FormatName | null => {
  const text = new TextDecoder(findUtf16(head) ?? 'utf-8').decode(head).trimStart()
  return FORMAT_NAMES.find((name) => FORMATS[name].isFormat(head, text)) ?? null
}

/** Extensions of binary formats. A text file with one of them is damaged or has the wrong name, and is no CSV. */
const BINARY: Readonly<Record<string, FormatName>> = {
  shp: 'shapefile',
  dbf: 'dbf',
  gpkg: 'geopackage',
  fgb: 'flatgeobuf',
  parquet: 'geoparquet',
}

/** Other files that people have instead of data, by how they begin, and what to do with them. */
const OTHERS: Readonly<Record<string, string>> = {
  '\xd0\xcf\x11\xe0': 'an old Excel or Word file. Save the sheet as "CSV UTF-8"',
  '\0\x01\0\0Standard Jet DB': 'an Access database. Export the table as CSV',
  '\0\x01\0\0Standard ACE DB': 'an Access database. Export the table as CSV',
  '%PDF-': 'a PDF, not data',
  '7z\xbc\xaf\x27\x1c': 'a 7z archive. Unpack it first',
  'Rar!\x1a': 'a RAR archive. Unpack it first',
  BZh: 'compressed with bzip2. Unpack it first',
  '\xfd7zXZ\0': 'compressed with xz. Unpack it first',
  '\x28\xb5\x2f\xfd': 'compressed with Zstandard. Unpack it first',
}
const WEB_PAGE = /^(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|body)\b/i
/** Where a tar archive names its format. */
const TAR_AT = 257

/** What a file is that would be read as something else, and what to do with it. */
const findOther = ({ name, head }: Input): string | null => {
  const start = Buffer.from(head.subarray(0, 512)).toString('latin1')
  const other = Object.keys(OTHERS).find((first) => start.startsWith(first))
  if (other !== undefined) return OTHERS[other] ?? null
  if (start.startsWith('ustar', TAR_AT)) return 'a tar archive. Unpack it first'
  if (WEB_PAGE.test(start)) return 'a web page, not data. Is its URL the one of the file?'
  const text = new TextDecoder().decode(head)
  if (/^\s*\{\s*"error"\s*:/.test(text)) return 'the error message of a server, not data. Open the file to read it'
  if (/"geometryType"\s*:\s*"esriGeometry/.test(text))
    return `Esri JSON. Download it as GeoJSON, with f=geojson in the address, or convert it: ogr2ogr lots.gpkg ${basename(name)}`
  return /^\s*\[\s*\{/.test(text) ? 'a JSON array. Write one object per line, without the brackets' : null
}

/** @throws ServiceError `bad_input` */
export const getFormat = (input: Input): FormatName => {
  const other = findOther(input)
  if (other !== null) throw new ServiceError('bad_input', `${input.name} is ${other}`)
  const format = findFormat(input)
  const named = BINARY[/[^.]*$/.exec(input.name.toLowerCase())?.[0] ?? '']
  if (format === 'csv' && named !== undefined) {
    throw new ServiceError('bad_input', `${input.name} is text, not a ${named}. If it is a CSV, add --format csv`)
  }
  if (format !== null) return format
  if (input.head.length === 0) throw new ServiceError('bad_input', `${input.name} is empty`)
  throw new ServiceError(
    'bad_input',
    `${input.name} is not a format that can be read. These can: ${FORMAT_NAMES.join(', ')}`,
  )
}
