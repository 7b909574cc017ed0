import { LIST_BOUNDS } from '../../core/bounds'
import { ServiceError } from '../../core/service-error'
import { formatCount } from '../../core/text/count-noun'
import type { ListFormat } from '../../drizzle/queries/matches/uploads'
import type { ListField, ListRow } from '../../search/match/list-row'
import { readCsv } from '../ingest/formats/csv'
import { readLines } from '../ingest/formats/read-lines'
import { guessColumns } from './guess-columns'
import { findListLineEnd, HEAD_BYTES } from './list-lines'

/** An unchanged row. `problem`: why it cannot be compared. */
export interface SentRow {
  /** Its line in the list. */
  row: number
  input: Record<string, string>
  problem: string | null
}

/** The head of a list. */
export interface ListHead {
  columns: string[]
  samples: Record<string, string>[]
  isComplete: boolean
  rows: number
}

const SAMPLES = 5

/**
 * The columns of a list and its first rows. It reads only the beginning.
 *
 * @throws ServiceError `bad_input` as `readList`, and for a header that does not end there
 */
export const readListHead = async (content: Uint8Array, format: ListFormat): Promise<ListHead> => {
  const isComplete = content.byteLength <= HEAD_BYTES
  const lineEnd = isComplete ? null : findListLineEnd(content)
  if (!isComplete && lineEnd === null && format === 'csv')
    throw new ServiceError('bad_input', `the header has more than ${HEAD_BYTES / 1024} KiB: a CSV begins with a header`)
  const end = isComplete ? content.byteLength : Math.max(1, content.lastIndexOf(lineEnd === '\r' ? 13 : 10, HEAD_BYTES))
  const { columns, rows } = await readList(content.subarray(0, end), format)
  const samples = rows.filter(({ problem }) => problem === null).slice(0, SAMPLES)
  return { columns, samples: samples.map(({ input }) => input), isComplete, rows: rows.length }
}

/**
 * All rows of a list, within LIST_BOUNDS. A CSV begins with a header. Each line of NDJSON is an object.
 *
 * @throws ServiceError `bad_input`: too many rows or columns, or no header
 */
export const readList = async (
  content: Uint8Array,
  format: ListFormat,
): Promise<{ columns: string[]; rows: SentRow[] }> => {
  const lines = readLines(chunksOf(content), null)
  const rows: SentRow[] = []
  const columns = new Set<string>()
  const addRow = (row: SentRow): void => {
    if (rows.length >= LIST_BOUNDS.rows) {
      throw new ServiceError('bad_input', `the list has more than ${formatCount(LIST_BOUNDS.rows)} rows`)
    }
    rows.push(row)
  }
  const addColumns = (names: readonly string[]): void => {
    for (const name of names) columns.add(name)
    if (columns.size > LIST_BOUNDS.columns) {
      throw new ServiceError('bad_input', `the list has more than ${LIST_BOUNDS.columns} columns`)
    }
  }
  if (format === 'csv') {
    for await (const records of readCsv(lines, addColumns)) {
      for (const record of records) {
        if ('properties' in record) addRow(checkRow(record.line, record.properties))
        else addRow({ row: record.line, input: {}, problem: record.reason })
      }
    }
    return { columns: [...columns], rows }
  }
  for await (const { first, lines: texts } of lines) {
    for (const [index, text] of texts.entries()) {
      if (text.trim() === '') continue
      const record = parseObject(text)
      if (record !== null) addColumns(Object.keys(record))
      addRow(
        record === null
          ? { row: first + index, input: {}, problem: 'not a JSON object of texts and numbers' }
          : checkRow(first + index, record),
      )
    }
  }
  return { columns: [...columns], rows }
}

async function* chunksOf(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content
}

const parseObject = (text: string): Record<string, unknown> | null => {
  if (text.length > LIST_BOUNDS.rowCharacters * 4) return null
  try {
    const value: unknown = JSON.parse(text)
    const isFlat =
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((one) => one === null || ['string', 'number', 'boolean'].includes(typeof one))
    return isFlat ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** PostgreSQL cannot store NUL or half of a surrogate pair. */
const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed()

const checkRow = (row: number, properties: Record<string, unknown>): SentRow => {
  const cells: [name: string, text: string][] = []
  let characters = 0
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue
    const text = storable(String(value))
    cells.push([storable(name), text])
    characters += name.length + text.length
  }
  if (characters <= LIST_BOUNDS.rowCharacters) return { row, input: Object.fromEntries(cells), problem: null }
  return { row, input: {}, problem: `the row has more than ${LIST_BOUNDS.rowCharacters} characters` }
}

/** The text of a column; empty if the row lacks it. A column can have the name of a member that every object has, such as `constructor`. */
export const cellOf = (input: Readonly<Record<string, string>>, name: string): string =>
  Object.hasOwn(input, name) ? (input[name] ?? '') : ''

/**
 * The row's texts by field, or what is wrong with them. `columns`: column of the list → field. An address in several columns is joined in
 * the order of the list.
 */
export const toListRow = (
  input: Record<string, string>,
  columns: Readonly<Record<string, string>>,
): { row: ListRow; problem: string | null } => {
  const row: ListRow = {}
  for (const [name, value] of Object.entries(input)) {
    const field = Object.hasOwn(columns, name) ? columns[name] : undefined
    if (field === undefined || value.trim() === '') continue
    const text = field === 'address' && row.address !== undefined ? `${row.address} ${value.trim()}` : value.trim()
    if (text.length > LIST_BOUNDS.valueCharacters) {
      return { row: {}, problem: `${name} has more than ${LIST_BOUNDS.valueCharacters} characters` }
    }
    row[field as ListField] = text
  }
  return { row, problem: null }
}

/** The columns to compare: those that the caller named, or the guessed ones. */
export const columnsOf = (
  columns: readonly string[],
  named: Record<string, string> | null,
): Readonly<Record<string, string>> => named ?? Object.fromEntries(guessColumns(columns))
