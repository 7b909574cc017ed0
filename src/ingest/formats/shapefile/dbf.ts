import { UnreadableFile } from '../../rows/unreadable-file'
import { ByteReader } from '../byte-reader'
import { distinctNames } from '../distinct-names'
import type { Input } from '../format'
import { createDecoder, type Decoder } from '../text-decoder'

/*
 * dBASE tables in ESRI's shapefiles: https://www.loc.gov/preservation/digital/formats/fdd/fdd000325.shtml and
 * https://www.dbase.com/KnowledgeBase/int/db7_file_fmt.htm (levels 5 and 7 have the same first 32 bytes).
 */
const HEADER_BYTES = 32
const FIELD_BYTES = 32
const FIELD_END = 0x0d
const DELETED = 0x2a

/** The first bytes of dBASE and FoxPro tables. */
const VERSIONS = new Set([0x02, 0x03, 0x04, 0x05, 0x30, 0x31, 0x32, 0x43, 0x63, 0x83, 0x8b, 0xcb, 0xf5, 0xfb])

/** By the version, the date of the last change, and the mark at the end of the columns. */
export const isDbf = (head: Uint8Array): boolean => {
  const [version = 0, , month = 0, day = 0] = head
  if (head.length <= HEADER_BYTES || !VERSIONS.has(version) || month > 12 || day > 31) return false
  const headerBytes = viewOf(head).getUint16(8, true)
  for (let at = HEADER_BYTES; at < Math.min(headerBytes, head.length); at += FIELD_BYTES) {
    if (head[at] === FIELD_END) return at > HEADER_BYTES
  }
  return false
}

interface Column {
  name: string
  type: string
  offset: number
  length: number
}

/** The rows of a table. A deleted row is null. */
export interface Dbf {
  columns: string[]
  /** Up to `count` more rows; fewer only at the end of the table. */
  next: (count: number) => Promise<(Record<string, unknown> | null)[]>
  close: () => Promise<void>
}

/**
 * `encoding` is what the operator says, and `declared` what the .cpg says. Null: by the code page in the table's header, or by its content.
 *
 * @throws UnreadableFile
 */
export const openDbf = async (
  input: Input,
  { encoding, declared }: { encoding: string | null; declared: string | null },
): Promise<Dbf> => {
  const reader = new ByteReader(input.read())
  try {
    return await openTable(reader, input, { encoding, declared })
  } catch (error) {
    await reader.close()
    throw error
  }
}

const openTable = async (
  reader: ByteReader,
  input: Input,
  { encoding, declared }: { encoding: string | null; declared: string | null },
): Promise<Dbf> => {
  const damaged = (what: string) => new UnreadableFile(`${input.name} ${what}: the table is damaged or not complete`)
  const start = await reader.read(HEADER_BYTES)
  if (start === null) throw damaged('is too short for a dBASE table')
  const header = viewOf(start)
  const records = header.getUint32(4, true)
  const headerBytes = header.getUint16(8, true)
  const recordBytes = header.getUint16(10, true)
  const codePage = CODE_PAGES[header.getUint8(29)]
  if (headerBytes <= HEADER_BYTES || recordBytes < 2) throw damaged('has no dBASE header')
  if (input.sizeBytes !== null && input.sizeBytes < headerBytes + records * recordBytes) {
    throw damaged(`has ${input.sizeBytes} bytes, too few for ${records} rows`)
  }
  const fields = await reader.read(headerBytes - HEADER_BYTES)
  if (fields === null) throw damaged('ends within its header')
  const decoder = createDecoder(encoding, declared ?? codePage)
  const columns = readColumns(fields, decoder)
  if (columns.length === 0) throw damaged('names no columns')
  if (columns.some(({ offset, length }) => offset + length > recordBytes)) throw damaged('has columns beyond its rows')

  let read = 0
  return {
    columns: columns.map(({ name }) => name),
    next: async (count) => {
      const rows: (Record<string, unknown> | null)[] = []
      while (rows.length < count && read < records) {
        const bytes = reader.take(recordBytes) ?? (await reader.read(recordBytes))
        if (bytes === null) throw damaged(`ends after ${read} of ${records} rows`)
        read++
        rows.push(bytes[0] === DELETED ? null : readRow(bytes, columns, decoder))
      }
      return rows
    },
    close: () => reader.close(),
  }
}

/** Language drivers, byte 29 of the header: the code pages of the United States and Western Europe. */
const CODE_PAGES: Readonly<Record<number, string>> = {
  1: 'cp437',
  2: 'cp850',
  3: 'windows-1252',
  87: 'windows-1252',
  88: 'windows-1252',
  89: 'windows-1252',
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const readColumns = (bytes: Uint8Array, decoder: Decoder): Column[] => {
  const columns: Column[] = []
  let offset = 1
  for (let at = 0; at + FIELD_BYTES <= bytes.length && bytes[at] !== FIELD_END; at += FIELD_BYTES) {
    const end = bytes.subarray(at, at + 11).indexOf(0)
    const name = decoder.decode(bytes.subarray(at, at + (end === -1 ? 11 : end))).trim()
    const type = String.fromCharCode(bytes[at + 11] as number)
    // A text of more than 255 characters has the high byte of its length where numbers have their decimals.
    const length = (bytes[at + 16] as number) + (type === 'C' ? (bytes[at + 17] as number) * 256 : 0)
    columns.push({ name, type, offset, length })
    offset += length
  }
  // Names that are cut off after ten characters can be the same. As in GDAL, the second `OWNER` is `OWNER_1`.
  const names = distinctNames(columns.map(({ name }) => name))
  return columns.map((column, index) => ({ ...column, name: names[index] as string }))
}

const readRow = (bytes: Uint8Array, columns: readonly Column[], decoder: Decoder): Record<string, unknown> => {
  const row: Record<string, unknown> = {}
  for (const { name, type, offset, length } of columns) row[name] = readValue(bytes, type, offset, length, decoder)
  return row
}

const readValue = (bytes: Uint8Array, type: string, offset: number, length: number, decoder: Decoder): unknown => {
  if (type === 'I' || type === '+') return length === 4 ? viewOf(bytes).getInt32(offset, true) : null
  if ((type === 'O' || type === 'B') && length === 8) return viewOf(bytes).getFloat64(offset, true)
  let [start, end] = [offset, offset + length]
  while (end > start && isBlank(bytes[end - 1] as number)) end--
  while (start < end && isBlank(bytes[start] as number)) start++
  if (start === end) return null
  const text = decoder.decode(bytes.subarray(start, end))
  switch (type) {
    case 'C':
      // A writer that counts bytes can cut the last character of a full column.
      return end === offset + length ? text.replace(/\ufffd$/, '') : text
    case 'N':
    case 'F':
      return readNumber(text)
    case 'D':
      return /^\d{8}$/.test(text) && text !== '00000000'
        ? `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`
        : null
    case 'L':
      return /^[TtYy]$/.test(text) ? true : /^[FfNn]$/.test(text) ? false : null
    default:
      // Memos are in another file.
      return null
  }
}

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0

/** Asterisks stand for a number that was too wide for its column. A long id is text, because a number would lose its last digits. */
const readNumber = (text: string): unknown => {
  const number = Number(text)
  if (Number.isNaN(number)) return text.startsWith('*') ? null : text
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? text.replace(/\.0*$/, '') : number
}
