export interface JsonBounds {
  depth: number
  values: number
  textBytes: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Describes the first limit that a JSON text in UTF-8 exceeds, as words that follow "the body"; null when it exceeds none. It makes one
 * pass over the bytes and builds nothing, because parsing a deeply nested value costs far more than its length suggests. It does not
 * check that the text is valid JSON. An empty array or object counts as two values.
 */
export const findJsonExcess = (bytes: Uint8Array, bounds: JsonBounds): string | null => {
  let depth = 0
  let values = 1
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE: {
        const start = ++at
        while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
        if (at - start > bounds.textBytes) return `has a string of more than ${bounds.textBytes} bytes`
        break
      }
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        if (++depth > bounds.depth) return `is nested more than ${bounds.depth} levels deep`
        if (++values > bounds.values) return `has more than ${bounds.values} values`
        break
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth--
        break
      case COMMA:
        if (++values > bounds.values) return `has more than ${bounds.values} values`
        break
    }
  }
  return null
}
