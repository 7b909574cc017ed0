import { PAGE_BOUNDS } from '../../core/bounds'
import { ScrapeError } from '../scrape-error'

/**
 * Parses a portal's JSON. Numbers that JSON does not have, which the JSON libraries of Python and Java write, are null.
 *
 * @throws ScrapeError `page_changed` when it is not JSON; `too_large` when it has too many values or is nested too deeply
 */
export const parseJson = (text: string, name: string): unknown => {
  expectBoundJson(text, name)
  try {
    return JSON.parse(text)
  } catch (cause) {
    const valid = text.replace(STRING_OR_NO_NUMBER, (part) => (part.startsWith('"') ? part : 'null'))
    if (valid !== text) return parseJson(valid, name)
    throw new ScrapeError('page_changed', `the ${name} response is not JSON`, { cause })
  }
}

const STRING_OR_NO_NUMBER = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/** Counts without parsing, because parsing would allocate all values first. */
const expectBoundJson = (text: string, name: string): void => {
  let depth = 0
  let values = 1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === COMMA) values++
    else if (OPENING.has(code)) {
      values++
      depth++
    } else if (CLOSING.has(code)) depth--
    if (depth > PAGE_BOUNDS.jsonDepth) refuse(name, `values nested more than ${PAGE_BOUNDS.jsonDepth} deep`)
    if (values > PAGE_BOUNDS.jsonValues) refuse(name, `more than ${PAGE_BOUNDS.jsonValues} values`)
  }
}

/** The end of the string that begins at `from`. */
const endOfString = (text: string, from: number): number => {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at++
  }
  return text.length
}

const refuse = (name: string, what: string): never => {
  throw new ScrapeError('too_large', `the ${name} response has ${what}: it was not read`)
}
