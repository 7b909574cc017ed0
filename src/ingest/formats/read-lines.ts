import { ServiceError } from '../../../core/service-error'
import { createDecoder } from './text-decoder'

interface Lines {
  /** The number of the first line, from 1. */
  first: number
  lines: string[]
  /** The last line has no line end, so the file may be cut off in it. */
  isOpen: boolean
}

/** No parcel's record is longer. A file without line breaks must not fill the memory. */
export const MAX_LINE_CHARACTERS = 64 * 1024 * 1024

/** How many characters are searched for the first line end. The header of a CSV is shorter. */
const MAX_HEADER_CHARACTERS = 64 * 1024

/**
 * Splits bytes into lines, without line ends and byte order mark, in groups that end with a chunk. A line ends with LF or CRLF. If the
 * first one ends with CR alone, as Excel once wrote on a Mac, all lines do, and an LF is a line break within a cell.
 *
 * @throws ServiceError `bad_input` for a line of more than 64 million characters.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, encoding: string | null): AsyncGenerator<Lines> {
  const decoder = createDecoder(encoding)
  let rest: string[] = []
  let restLength = 0
  let first = 1
  /** Null: no line has ended yet. */
  let end: LineEnd | null = null
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    end ??= restLength > MAX_HEADER_CHARACTERS ? '\n' : findLineEnd(rest.join('') + text)
    const lastEnd = end === null ? -1 : text.lastIndexOf(end)
    if (lastEnd === -1) {
      rest.push(text)
      restLength += text.length
      if (restLength > MAX_LINE_CHARACTERS) throw tooLong(first)
      continue
    }
    rest.push(text.slice(0, lastEnd))
    const lines = splitLines(rest.join(''), end)
    yield { first, lines, isOpen: false }
    first += lines.length
    rest = [text.slice(lastEnd + 1)]
    restLength = text.length - lastEnd - 1
  }
  rest.push(decoder.decode())
  const last = rest.join('')
  if (last !== '') yield { first, lines: splitLines(last, end), isOpen: true }
}

export type LineEnd = '\n' | '\r'

/** The first line end that is not in quotes. Null: none yet. An LF may follow a CR that is the last character. */
export const findLineEnd = (text: string): LineEnd | null => {
  const [found] = /\r(?=[^\n])|\n/.exec(text.replace(/"[^"]*(?:"|$)/g, '""')) ?? []
  return (found as LineEnd | undefined) ?? null
}

const splitLines = (text: string, end: LineEnd | null): string[] => {
  if (end === '\r') return text.split('\r')
  const lines = text.split('\n')
  if (text.includes('\r')) {
    for (const [index, line] of lines.entries()) if (line.endsWith('\r')) lines[index] = line.slice(0, -1)
  }
  return lines
}

export const tooLong = (line: number) =>
  new ServiceError('bad_input', `line ${line} is longer than ${MAX_LINE_CHARACTERS} characters: is --format right?`)
