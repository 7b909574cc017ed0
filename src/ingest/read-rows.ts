import { basename } from 'node:path'
import { ServiceError } from '../../core/service-error'
import { expectLonLat } from './crs'
import { readBytes } from './read-bytes'
import { readCsv } from './read-csv'
import { readFeatureCollection } from './read-feature-collection'
import { readGeojsonLines } from './read-geojson-lines'
import { readLines } from './read-lines'
import type { ReadRow } from './source-row'

export const FORMATS = ['geojson', 'geojsonl', 'csv'] as const
export type Format = (typeof FORMATS)[number]

export interface ReadOptions {
  /** Null: decided by the file extension. */
  format?: Format | null
  /** A label of the WHATWG Encoding standard; UTF-8 when absent. */
  encoding?: string
  onBytes?: (bytes: number) => void
  /** Called before the first row. */
  onFormat?: (format: Format) => void
  /** Coordinates are longitude and latitude, whatever the file's `crs` says. */
  ignoreCrs?: boolean
  /** Called with the columns of a CSV before its first row. */
  onHeader?: (columns: string[]) => void
}

/** The rows of a file, in groups. @throws ServiceError `bad_input` */
export async function* readRows(file: string, options: ReadOptions = {}): AsyncGenerator<ReadRow[]> {
  const encoding = options.encoding ?? 'utf-8'
  const bytes = readBytes(file, options.onBytes)
  const named = options.format ?? formatOf(file)
  const { format, chunks } =
    named === 'geojson' && !options.format ? await sniffLines(bytes) : { format: named, chunks: bytes }
  const checkCrs = options.ignoreCrs === true ? () => {} : expectLonLat
  options.onFormat?.(format)
  if (format === 'csv') yield* readCsv(readLines(chunks, encoding), options.onHeader)
  else if (format === 'geojsonl') yield* readGeojsonLines(readLines(chunks, encoding), checkCrs)
  else yield* readFeatureCollection(chunks, encoding, checkCrs)
}

const EXTENSIONS: Record<string, Format> = {
  geojson: 'geojson',
  json: 'geojson',
  geojsonl: 'geojsonl',
  geojsons: 'geojsonl',
  jsonl: 'geojsonl',
  ndjson: 'geojsonl',
  csv: 'csv',
  tsv: 'csv',
  txt: 'csv',
}

/** @throws ServiceError `bad_input` for an unknown extension. */
export const formatOf = (file: string): Format => {
  const extension = basename(file).toLowerCase().replace(/\.gz$/, '').split('.').at(-1) ?? ''
  const format = EXTENSIONS[extension]
  if (format === undefined) {
    throw new ServiceError(
      'bad_input',
      `${file}: the format is not clear from its name: --format takes one of ${FORMATS.join(', ')}`,
    )
  }
  return format
}

/** Many `.geojson` files hold one Feature per line: then the first line is a complete Feature. */
const sniffLines = async (
  bytes: AsyncGenerator<Uint8Array>,
): Promise<{ format: Format; chunks: AsyncIterable<Uint8Array> }> => {
  const first = await bytes.next()
  const chunks = (async function* () {
    if (!first.done) yield first.value
    yield* bytes
  })()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the record separator of RFC 8142.
  const head = first.done ? '' : new TextDecoder().decode(first.value.subarray(0, 1 << 16)).replace(/^[\s\x1e]+/, '')
  const isCollection = /^[^\n]*"FeatureCollection"|^\{\s*"features"\s*:/.test(head)
  const isFeature = /^\{[^\n]*"type"\s*:\s*"Feature"\s*[,}]/.test(head)
  return { format: isFeature && !isCollection ? 'geojsonl' : 'geojson', chunks }
}
