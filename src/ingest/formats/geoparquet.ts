import {
  type AsyncBuffer,
  type FileMetaData,
  type ParquetParsers,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
  type SchemaElement,
} from 'hyparquet'
import { asyncBufferFromFile } from 'hyparquet/src/node.js'
import { compressors } from 'hyparquet-compressors'
import type { Bbox } from '../../../core/geometry/bbox'
import type { DeclaredCrs } from '../coordinates/coordinates'
import { parseJson } from '../rows/parse-json'
import { UnreadableFile } from '../rows/unreadable-file'
import type { Format, Input } from './format'
import { checkMetadata, checkPages, isFlatColumn, listLeaves } from './parquet-pages'
import { reasonOf } from './reason-of'
import { parseWkb } from './wkb'

/** A column of a row group is read as one piece. A group of 124 MB takes 370 MB (2026-11-23). */
const MAX_ROW_GROUP_BYTES = 160 * 1024 ** 2
/** Equal values take no bytes in the file: 20 million rows in 892 bytes took 2.3 GB (2026-11-27). Programs write at most 1,048,576 rows. */
const MAX_ROW_GROUP_ROWS = 2_000_000
/** How many rows of a group become objects at a time. */
const SLICE_ROWS = 20_000

/**
 * GeoParquet 1.1 (https://geoparquet.org/releases/v1.1.0/) with geometries in WKB, and Parquet's own geometry type. Without its metadata,
 * it is a table, whose columns can have places as in a CSV.
 */
export const geoparquet: Format = {
  unit: 'feature',
  isFormat: (_, text) => text.startsWith('PAR1'),
  async *read(input, { onHeader, onCrs }) {
    const path = await input.path()
    const file = await asyncBufferFromFile(path)
    const metadata = await readMetadata(file, input)
    const columns = parquetSchema(metadata).children.map(({ element }) => element.name)
    const { geometry, crs } = findGeometry(metadata, columns, input) ?? {
      geometry: null,
      crs: { crs: null, from: input.name, isLonLatByDefault: true },
    }
    onCrs(crs)
    onHeader(columns.filter((name) => name !== geometry))
    const isFlat = listLeaves(parquetSchema(metadata)).map(isFlatColumn)
    let rowStart = 0
    for (const group of metadata.row_groups) {
      if (group.total_byte_size > MAX_ROW_GROUP_BYTES) {
        throw new UnreadableFile(
          `${input.name} has a row group of ${group.total_byte_size} bytes, more than ${MAX_ROW_GROUP_BYTES}: write it with smaller row groups, for example of 50,000 rows`,
        )
      }
      if (group.num_rows > MAX_ROW_GROUP_ROWS) {
        throw new UnreadableFile(
          `${input.name} has a row group of ${group.num_rows} rows, more than ${MAX_ROW_GROUP_ROWS}: write it with smaller row groups, for example of 50,000 rows`,
        )
      }
      for (const [index, column] of group.columns.entries()) {
        await checkPages(file, column, { maxBytes: MAX_ROW_GROUP_BYTES, isFlat: isFlat[index] ?? false }).catch(
          (error: unknown) => {
            throw damaged(input, error)
          },
        )
      }
      const groupEnd = rowStart + Number(group.num_rows)
      while (rowStart < groupEnd) {
        const rowEnd = Math.min(rowStart + SLICE_ROWS, groupEnd)
        const objects = await parquetReadObjects({
          file,
          metadata,
          compressors,
          parsers: PARSERS,
          rowStart,
          rowEnd,
        }).catch((error: unknown) => {
          throw damaged(input, error)
        })
        const first = rowStart + 1
        yield objects.map((object, index) => {
          if (geometry === null) return { line: first + index, properties: toJson(object) }
          const { [geometry]: shape, ...properties } = object
          return { line: first + index, properties: toJson(properties), geometry: toGeometry(shape) }
        })
        rowStart = rowEnd
        // Otherwise, a group of 124 MB leaves garbage of 500 MB.
        Bun.gc(true)
      }
    }
  },
}

/** Null: the date is beyond those of JavaScript. */
const toTime = (ms: number): string | null => (Number.isNaN(new Date(ms).valueOf()) ? null : new Date(ms).toISOString())

const jsonOrText = (text: string): unknown => {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

/**
 * One value that is not valid must not end the load. Boundaries stay bytes until each row has its own: equal ones would be one object,
 * whose coordinates would be converted once for each row.
 */
const PARSERS: Partial<ParquetParsers> = {
  geometryFromBytes: (bytes) => bytes,
  geographyFromBytes: (bytes) => bytes,
  jsonFromBytes: (bytes) => bytes && jsonOrText(new TextDecoder().decode(bytes)),
  dateFromDays: (days) => toTime(days * 86_400_000),
  timestampFromMilliseconds: (millis) => toTime(Number(millis)),
  timestampFromMicroseconds: (micros) => toTime(Number(micros / 1_000n)),
  timestampFromNanoseconds: (nanos) => toTime(Number(nanos / 1_000_000n)),
}

const damaged = (input: Input, error: unknown) =>
  new UnreadableFile(`${input.name} is a damaged or incomplete Parquet file: ${reasonOf(error)}`, { cause: error })

const readMetadata = async (file: AsyncBuffer, input: Input): Promise<FileMetaData> => {
  try {
    const metadata = await parquetMetadataAsync(file)
    checkMetadata(metadata, parquetSchema(metadata))
    return metadata
  } catch (error) {
    throw damaged(input, error)
  }
}

/** The column with the boundaries, from the metadata of GeoParquet. Null: there is no metadata, and no column could have boundaries. */
const findGeometry = (
  metadata: FileMetaData,
  columns: readonly string[],
  input: Input,
): { geometry: string; crs: DeclaredCrs } | null => {
  const text = metadata.key_value_metadata?.find(({ key }) => key === 'geo')?.value
  const geo = text === undefined ? null : (JSON.parse(text) as GeoMetadata)
  if (geo === null) {
    const binary = parquetSchema(metadata).children.find(({ element }) => isBinary(element))
    if (binary === undefined) return null
    throw new UnreadableFile(
      `${input.name} is Parquet without the metadata of GeoParquet, and its column "${binary.element.name}" is binary: write boundaries as GeoParquet or as WKT`,
    )
  }
  const geometry = geo.primary_column
  const column = geometry === undefined ? undefined : geo.columns?.[geometry]
  if (geometry === undefined || column === undefined) {
    throw new UnreadableFile(`${input.name} has metadata of GeoParquet that name no column with boundaries`)
  }
  if (!columns.includes(geometry))
    throw new UnreadableFile(`${input.name} has no column "${geometry}" with its boundaries`)
  if (column?.encoding !== 'WKB') {
    throw new UnreadableFile(
      `${input.name} has geometries in ${column?.encoding}: only WKB is read. Write it with the encoding WKB`,
    )
  }
  // Without `crs`, coordinates are longitude and latitude; null is an unknown system.
  const crs = { crs: column.crs === undefined ? 'OGC:CRS84' : column.crs, from: input.name }
  return { geometry, crs: column.bbox?.length === 4 ? { ...crs, extent: column.bbox } : crs }
}

const isBinary = ({ type, converted_type, logical_type }: SchemaElement): boolean =>
  type === 'BYTE_ARRAY' && (logical_type === undefined ? converted_type === undefined : /^GEO/.test(logical_type.type))

interface GeoMetadata {
  primary_column?: string
  columns?: Record<string, { encoding?: string; crs?: unknown; bbox?: Bbox }>
}

const toGeometry = (shape: unknown): unknown => {
  if (shape === null || shape === undefined) return null
  return shape instanceof Uint8Array ? parseWkb(shape) : { type: 'value that is not a geometry' }
}

const toJson = (row: Record<string, unknown>): Record<string, unknown> => {
  for (const name in row) row[name] = toJsonValue(row[name])
  return row
}

/** Long integers stay exact as text, also in nested values. Bytes are left out. */
const toJsonValue = (value: unknown): unknown => {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : `${value}`
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) return null
  if (Array.isArray(value)) return value.map(toJsonValue)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toJsonValue(inner)]))
}
