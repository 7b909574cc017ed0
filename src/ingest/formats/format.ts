import type { DeclaredCrs } from '../coordinates/coordinates'
import type { ReadRow } from '../rows/source-row'

/** A file, or a member of an archive. */
export interface Input {
  /** The name in messages. */
  name: string
  /** The first bytes, decompressed. Shorter only if the content is. */
  head: Uint8Array
  /** The size of the content. Null: unknown before it is read. */
  sizeBytes: number | null
  /** The content from its start, decompressed. Can be read again. */
  read: () => AsyncIterable<Uint8Array>
  /** The file with the same name and this extension. Null: there is none. */
  beside: (extension: string) => Promise<Input | null>
  /** The path of the content on disk, for formats that are not read sequentially. */
  path: () => Promise<string>
  /** The path for GDAL. */
  gdalPath: string
}

export interface FormatOptions {
  /** A label of the WHATWG Encoding standard. Null: found in the content. */
  encoding: string | null
  /** The layer or table of a file with several. Null: the only one. */
  layer: string | null
  /** The name of the coordinate system, whatever the file says. Only for formats that convert coordinates themselves. */
  crs: string | null
  /** Called with all columns before the first row, by formats that know them. */
  onHeader: (columns: string[]) => void
  /** Called before the first row. */
  onCrs: (crs: DeclaredCrs) => void
}

export interface Format {
  /** What the number of a row counts. */
  unit: 'line' | 'feature' | 'row'
  /** Whether a file can have several layers. */
  hasLayers?: true
  /** Whether content that begins like this is in the format. `text` is the beginning as text, without leading white space. */
  isFormat: (head: Uint8Array, text: string) => boolean
  /** The rows, in groups. @throws ServiceError `bad_input` */
  read: (input: Input, options: FormatOptions) => AsyncGenerator<ReadRow[]>
}
