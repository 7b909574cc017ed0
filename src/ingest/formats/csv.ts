import { ServiceError } from '../../../core/service-error'
import { countNoun } from '../../../core/text/count-noun'
import { textOfCell } from '../../../core/text/csv-cell'
import type { BrokenRow, ReadRow } from '../rows/source-row'
import { distinctNames } from './distinct-names'
import type { Format } from './format'
import { readLines } from './read-lines'

/** A file with more columns is not a table of parcels, and reading it would take minutes. */
const MAX_COLUMNS = 2_000
/** A record with more lines than this has an unbalanced quote. */
const MAX_RECORD_LINES = 200
const DELIMITERS = [',', '\t', ';', '|']

export const csv: Format = {
  unit: 'line',
  isFormat: (head, text) => head.length > 0 && isText(text),
  async *read(input, { encoding, onHeader, onCrs }) {
    onCrs({ crs: null, from: input.name, isLonLatByDefault: true })
    for await (const rows of readCsv(readLines(input.read(), encoding), onHeader)) {
      const last = rows.at(-1)
      const cut = last !== undefined && 'isCutOff' in last ? last : null
      yield cut === null ? rows : rows.slice(0, -1)
      if (cut !== null) throw cutOff(input.name, cut)
    }
  },
}

const cutOff = (name: string, { line, reason }: BrokenRow) =>
  new ServiceError(
    'bad_input',
    `${name} ends within line ${line} (${reason}, and no line end): is the file cut off? If it is not, delete that line`,
  )

/** Other control characters than tabs, line ends, and END_OF_FILE, and what is no character at all. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is meant to match them.
const CONTROLS = /[\u0000-\u0008\u000e-\u0019\u001b-\u001f]|\u001a(?=.)|[\p{Cn}\p{Co}]/gu
/** Some programs leave a few control characters in their texts. In binary data, about one in ten is one. */
const MAX_CONTROLS = 0.01

const isText = (text: string): boolean => (text.match(CONTROLS)?.length ?? 0) <= text.length * MAX_CONTROLS

/**
 * CSV (RFC 4180) with a header. The delimiter is whichever of comma, tab, semicolon and vertical bar is most frequent in the header.
 * Titles above the header are left out. The second `OWNER` is the column `OWNER_2`.
 *
 * Records are split before they are parsed: a record ends at the first line end with balanced quotes. So a missing quote loses one
 * record, and reading continues with the next line; a parser of the whole stream would read the rest of the file as one field.
 *
 * @throws ServiceError `bad_input`: no header, or one with too many columns.
 */
export async function* readCsv(
  chunks: ReturnType<typeof readLines>,
  onHeader: (columns: string[]) => void,
): AsyncGenerator<ReadRow[]> {
  let header: string[] | null = null
  /** The text of the header's record. */
  let headerText = ''
  let delimiter = ','
  /** Lines of an unfinished record. */
  let open: string[] = []

  const readRecords = (first: number, lines: string[], isLast: boolean, isOpen = false): ReadRow[] => {
    const rows: ReadRow[] = []
    if (header === null && !isLast && lines.length < MAX_TITLES + 2) {
      open = lines
      return rows
    }
    let index = 0
    if (header === null) ({ index, delimiter } = findHeader(lines))
    while (index < lines.length) {
      const line = first + index
      const span = countRecordLines(lines, index)
      if (span === null && !isLast && lines.length - index < MAX_RECORD_LINES) break
      const text = span === 1 ? lines[index] : lines.slice(index, index + (span ?? 1)).join('\n')
      const fields = span === null ? 'a quote that is never closed' : splitRecord(text ?? '', delimiter)
      // An invalid record may contain valid lines, so read them again separately.
      index += typeof fields === 'string' ? 1 : (span ?? 1)
      if (text === undefined || isBlank(text)) continue
      if (header === null) {
        if (typeof fields === 'string') throw new ServiceError('bad_input', `the header has ${fields}`)
        header = checkHeader(fields)
        headerText = text
        onHeader(header)
        continue
      }
      // Nearly all records have no apostrophe, so their cells are not looked at.
      const row: ReadRow =
        typeof fields === 'string'
          ? { line, reason: fields }
          : text === headerText
            ? { line, reason: 'the header is repeated' }
            : toRow(header, text.includes("'") ? fields.map(textOfCell) : fields, line)
      const isShort = span === null || (typeof fields !== 'string' && fields.length < header.length)
      if (isOpen && index === lines.length && isShort && 'reason' in row) row.isCutOff = true
      rows.push(row)
    }
    open = lines.slice(index)
    return rows
  }

  let next = 1
  for await (const { first, lines, isOpen } of chunks) {
    const start = first - open.length
    next = first + lines.length
    // The last line is open only at the end of the file.
    yield readRecords(start, open.length === 0 ? lines : open.concat(lines), isOpen, isOpen)
  }
  yield readRecords(next - open.length, open, true)
  if (header === null) throw new ServiceError('bad_input', 'the file is empty: a CSV begins with a header')
}

/** Ctrl+Z, which old programs write after the last line. */
const END_OF_FILE = '\u001a'

const isBlank = (line: string): boolean => line.trim() === '' || line === END_OF_FILE

/** The number of lines of the record that begins at `index`; null when its quotes are never balanced. */
const countRecordLines = (lines: string[], index: number): number | null => {
  let balanced = true
  for (let at = index; at < lines.length && at < index + MAX_RECORD_LINES; at++) {
    const line = lines[at] ?? ''
    for (let quote = line.indexOf('"'); quote !== -1; quote = line.indexOf('"', quote + 1)) balanced = !balanced
    if (balanced) return at - index + 1
  }
  return null
}

/** A text as a formula, in quotes: `"=""0012"""`. */
const QUOTED_FORMULA = /^="([^"]*)"$/

/** The fields of one record, or what is wrong with it. */
const splitRecord = (text: string, delimiter: string): string[] | string => {
  if (!text.includes('"')) return text.split(delimiter)
  const fields: string[] = []
  let at = 0
  while (true) {
    // ="0012" keeps a spreadsheet from reading the text as a number.
    if (text.startsWith('="', at)) at++
    if (text[at] !== '"') {
      const end = text.indexOf(delimiter, at)
      const field = end === -1 ? text.slice(at) : text.slice(at, end)
      if (field.includes('"')) return 'a quote inside a field that is not quoted'
      fields.push(field)
      if (end === -1) return fields
      at = end + 1
      continue
    }
    // A quoted field ends at the first quote that is not doubled.
    let end = text.indexOf('"', at + 1)
    while (end !== -1 && text[end + 1] === '"') end = text.indexOf('"', end + 2)
    if (end === -1) return 'a quote that is never closed'
    const field = text.slice(at + 1, end).replaceAll('""', '"')
    fields.push(QUOTED_FORMULA.exec(field)?.[1] ?? field)
    if (end + 1 === text.length) return fields
    if (text[end + 1] !== delimiter) return 'text after a closing quote'
    at = end + 2
  }
}

/** The line before the header that names the delimiter for Excel. */
const DELIMITER_LINE = /^sep=(.)$/i

/** How many lines of titles there can be above a header. */
const MAX_TITLES = 10

/**
 * The line of the header: the first one, unless it is a title in a single cell, with a whole header below it. A row of data is no header:
 * a cell of it has a number, or no text.
 */
const findHeader = (lines: readonly string[]): { index: number; delimiter: string } => {
  const filled = lines.flatMap((line, index) => (line.trim() === '' ? [] : [index])).slice(0, MAX_TITLES + 2)
  const [first = 0, second = first] = filled
  const named = DELIMITER_LINE.exec(lines[first]?.trimEnd() ?? '')?.[1]
  if (named !== undefined) return { index: second, delimiter: named }
  const headerAt = (index: number) => ({ index, delimiter: findDelimiter(lines[index] ?? '') })
  const cellsOf = (index: number): string[] => {
    const line = lines[index] ?? ''
    const cells = splitRecord(line, findDelimiter(line))
    return typeof cells === 'string' ? [] : cells.map((cell) => cell.trim())
  }
  if (cellsOf(first).filter((cell) => cell !== '').length !== 1) return headerAt(first)
  const isHeader = (index: number, next: number | undefined): boolean => {
    const cells = cellsOf(index)
    const isNamed = cells.length > 2 && cells.every((cell) => /^[^\d$+.-]/.test(cell))
    return isNamed && next !== undefined && cellsOf(next).length === cells.length
  }
  return headerAt(filled.find((index, at) => isHeader(index, filled[at + 1])) ?? first)
}

const findDelimiter = (header: string): string => {
  const unquoted = header.replace(/"[^"]*"/g, '')
  const count = (delimiter: string) => unquoted.split(delimiter).length
  return DELIMITERS.reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best))
}

const checkHeader = (fields: string[]): string[] => {
  if (fields.length > MAX_COLUMNS) {
    throw new ServiceError('bad_input', `the header has ${fields.length} columns, more than ${MAX_COLUMNS}`)
  }
  return distinctNames(
    fields.map((name) => name.trim()),
    2,
  )
}

const toRow = (header: string[], fields: string[], line: number): ReadRow => {
  // Empty cells after the last column are a delimiter at the end of the line.
  if (fields.length < header.length || fields.slice(header.length).some((field) => field.trim() !== '')) {
    return { line, reason: `${countNoun(fields.length, 'field')} where the header has ${header.length}` }
  }
  const properties: Record<string, unknown> = {}
  for (let index = 0; index < header.length; index++) properties[header[index] as string] = fields[index]
  return { line, properties }
}
