import { type ParcelFieldName, parcelFields } from '../../core/parcels/fields'
import type { Mapping } from './fields/expression'
import type { FormatName } from './formats/format-names'

/* The options of a load, without the code that reads files, because the API shows and checks them but reads files in separate threads. */

export const DUPLICATES = ['reject', 'number', 'merge'] as const

/** Fields that `--sum` can add up. */
export const SUMMABLE_FIELDS = parcelFields
  .filter(({ type }) => type === 'area' || type === 'money')
  .map(({ name }) => name)

/** How files are read. */
export interface ReadingOptions {
  /** Paths. Several files are one load. */
  file: string | readonly string[]
  map: Mapping[]
  /** Null: detected from the content. */
  format?: FormatName | null
  /** Null: detected from the content. */
  encoding?: string | null
  /** The layer, table or member of a file with several. */
  layer?: string | null
  /** Rows with the same id: all but the first are rejected, or all but one get a numbered id (`id~2`), or they are parts of one parcel. */
  duplicates?: (typeof DUPLICATES)[number]
  /** With `merge`: fields whose values are added up. For the others, the first value counts. */
  sum?: readonly ParcelFieldName[]
  /** A row with broken geometry: rejected, or loaded without it. Either way it is listed in the rejects file. */
  brokenGeometry?: 'reject' | 'leave-out'
  /** The column with the boundaries, if rows have no geometry of their own. Null: the one with polygons in WKT, if there is one. */
  boundaryColumn?: string | null
  /** The coordinate system, such as `EPSG:2913`, regardless of the file. Null: as declared in the file. */
  crs?: string | null
  /** Called with the bytes of the file read so far. */
  onProgress?: (bytes: number) => void
  /** Stops the load after the batches in flight. */
  signal?: AbortSignal
}
