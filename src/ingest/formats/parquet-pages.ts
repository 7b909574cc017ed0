import { crc32 } from 'node:zlib'
import type { AsyncBuffer, ColumnChunk, FileMetaData, SchemaTree } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'

/** A bound for the values of one column in one row group, which can be nested. */
const MAX_VALUES = 20_000_000

/**
 * Compares the metadata of a Parquet file with its schema, because hyparquet trusts it: a column that is not in the schema rejects a
 * promise that nobody awaits, and missing values become undefined.
 *
 * @throws Error what is wrong
 */
export const checkMetadata = (metadata: FileMetaData, schema: SchemaTree): void => {
  const leaves = listLeaves(schema)
  if (leaves.length === 0 || leaves.some(({ element }) => typeof element.name !== 'string'))
    throw new Error('its schema has a column without a name')
  let total = 0n
  for (const [index, { num_rows, total_byte_size, columns }] of metadata.row_groups.entries()) {
    const place = `row group ${index + 1}`
    if (!isCount(num_rows) || !isCount(total_byte_size)) throw new Error(`${place} has no number of rows and bytes`)
    if (columns.length !== leaves.length)
      throw new Error(`${place} has ${columns.length} columns where the schema has ${leaves.length}`)
    for (const [at, leaf] of leaves.entries()) {
      const chunk = columns[at]?.meta_data
      const name = leaf.path.join('.')
      if (chunk?.path_in_schema.join('.') !== name) throw new Error(`${place} does not have the column "${name}"`)
      const isWhole = isFlatColumn(leaf) ? chunk.num_values === num_rows : isCount(chunk.num_values)
      if (!isWhole || chunk.num_values > MAX_VALUES)
        throw new Error(`the column "${name}" of ${place} does not have as many values as rows`)
    }
    total += num_rows
  }
  if (metadata.num_rows !== total) throw new Error(`its row groups do not have the number of rows of the file`)
}

/**
 * Walks over the pages of a column in a row group, in which neither the column nor a page may have more than `maxBytes`. hyparquet trusts the
 * headers of pages, too: a wrong count loops without end.
 *
 * @throws Error what is wrong
 */
export const checkPages = async (
  file: AsyncBuffer,
  { meta_data: chunk }: ColumnChunk,
  { maxBytes, isFlat }: { maxBytes: number; isFlat: boolean },
): Promise<void> => {
  if (chunk === undefined) return
  const place = `the column "${chunk.path_in_schema.join('.')}"`
  // A writer gives 0 for a dictionary that it does not have.
  const start = Number(chunk.dictionary_page_offset || chunk.data_page_offset)
  const size = Number(chunk.total_compressed_size)
  const end = start + size
  if (!(start > 0 && size > 0 && end <= file.byteLength)) throw new Error(`${place} is not inside the file`)
  if (size > maxBytes) throw new Error(`${place} has ${size} bytes in one row group, more than ${maxBytes}`)
  const bytes = await file.slice(start, end)
  const reader = { view: new DataView(bytes), offset: 0 }
  let values = 0
  // Without counts of rows, or with other ones, hyparquet reads on behind the last page.
  while (reader.offset < bytes.byteLength && values < chunk.num_values) {
    const header = parquetHeader(reader)
    const content = header.data_page_header ?? header.data_page_header_v2 ?? header.dictionary_page_header
    const v2 = header.data_page_header_v2
    const levels = v2 && [v2.num_rows, v2.num_nulls, v2.definition_levels_byte_length, v2.repetition_levels_byte_length]
    const sizes = [header.compressed_page_size, header.uncompressed_page_size, content?.num_values, ...(levels ?? [])]
    const page = reader.offset
    reader.offset += header.compressed_page_size
    if (
      !sizes.every(isNatural) ||
      content?.encoding === undefined ||
      reader.offset > bytes.byteLength ||
      header.uncompressed_page_size > maxBytes
    )
      throw new Error(`${place} has a page with a wrong header`)
    if (
      header.crc !== undefined &&
      header.crc >>> 0 !== crc32(new Uint8Array(bytes, page, header.compressed_page_size))
    )
      throw new Error(`${place} has a page whose checksum does not match`)
    if (v2 && isFlat && v2.num_rows !== v2.num_values)
      throw new Error(`${place} has a page of ${v2.num_values} values and ${v2.num_rows} rows`)
    if (header.type === 'DICTIONARY_PAGE') {
      if ((content?.num_values ?? 0) > MAX_VALUES) throw new Error(`${place} has a page with a wrong header`)
    } else values += content?.num_values ?? 0
  }
  if (values !== Number(chunk.num_values))
    throw new Error(`${place} has pages of ${values} values where ${chunk.num_values} are expected`)
}

export const listLeaves = (node: SchemaTree): SchemaTree[] =>
  node.children.length === 0 ? (node.path.length === 0 ? [] : [node]) : node.children.flatMap(listLeaves)

export const isFlatColumn = ({ path, element }: SchemaTree): boolean =>
  path.length === 1 && element.repetition_type !== 'REPEATED'

const isCount = (value: unknown): boolean => typeof value === 'bigint' && value >= 0n

const isNatural = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0
