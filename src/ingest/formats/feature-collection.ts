import { ServiceError } from '../../../core/service-error'
import type { ReadRow } from '../rows/source-row'
import type { Format } from './format'
import { parseFeature } from './geojson-lines'
import { createDecoder, type Decoder, findUtf16 } from './text-decoder'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LINE_FEED = 0x0a
const COMMA = 0x2c
const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b
const CLOSE_BRACE = 0x7d
const CLOSE_BRACKET = 0x5d

const MAX_FEATURE_BYTES = 64 * 1024 * 1024
/** Maximum size of the collection's members other than "features". The rest is not read. */
const MAX_MEMBER_BYTES = 1024 * 1024

export const featureCollection: Format = {
  unit: 'feature',
  isFormat: (_, text) => text.startsWith('{'),
  async *read(input, { encoding, onCrs }) {
    const utf16 = encoding === null ? findUtf16(input.head) : null
    const chunks = utf16 === null ? input.read() : toUtf8(input.read(), utf16)
    yield* readFeatureCollection(chunks, encoding, (crs, isLate) =>
      onCrs({ crs, from: `the "crs" of ${input.name}`, isLonLatByDefault: true, isLate }),
    )
  },
}

async function* toUtf8(chunks: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<Uint8Array> {
  const decoder = createDecoder(encoding)
  for await (const chunk of chunks) yield new TextEncoder().encode(decoder.decode(chunk, { stream: true }))
}

/**
 * The Features of one FeatureCollection of any size. This code only tracks brackets to find where each Feature begins and ends; its text
 * then goes through JSON.parse, which is native and fast. A Feature that is not valid JSON affects only
 * itself. The `line` of a row is the number of its Feature, because many files are one line.
 *
 * `onCrs` is called with the `crs` (GeoJSON specification of 2008, section 3) before the first Feature, or after the last one if it is
 * only there.
 *
 * @throws ServiceError `bad_input`: it has no "features", or it ends early.
 */
export async function* readFeatureCollection(
  chunks: AsyncIterable<Uint8Array>,
  encoding: string | null,
  onCrs: (crs: unknown, isLate: boolean) => void = () => {},
): AsyncGenerator<ReadRow[]> {
  const decoder = createDecoder(encoding)
  let line = 1
  /** 1 inside the collection, 2 inside its "features", 3 and more inside a Feature. */
  let depth = 0
  let inString = false
  let escaped = false
  let place: 'before' | 'inside' | 'after' = 'before'
  /** The last string of the collection itself: a key if a bracket follows. */
  let key = ''
  /** The line where another collection, or a second "features", begins; 0: nowhere. */
  let secondLine = 0
  /** The Features so far. */
  let count = 0
  const members = new Members(decoder)
  let firstCrs: unknown
  /** A value inside "features" that is not an object has begun. */
  let stray = false
  const feature = new FeatureBytes()

  for await (const chunk of chunks) {
    const rows: ReadRow[] = []
    /** Where the collection's members begin in this chunk; -1 inside "features". */
    let outside = place === 'inside' ? -1 : 0
    let start = place === 'inside' && depth > 2 ? 0 : -1
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index]
      if (byte === LINE_FEED) line++
      if (inString) {
        if (escaped) escaped = false
        else if (byte === BACKSLASH) escaped = true
        else if (byte === QUOTE) inString = false
        else if (depth === 1 && key.length < 9) key += String.fromCharCode(byte ?? 0)
        continue
      }
      switch (byte) {
        case QUOTE:
          inString = true
          if (depth === 1) key = ''
          if (depth === 2 && place === 'inside') stray = true
          break
        case OPEN_BRACE:
        case OPEN_BRACKET:
          if (depth === 1 && place === 'before' && byte === OPEN_BRACKET && key === 'features') {
            place = 'inside'
            members.add(chunk.subarray(outside, index + 1))
            firstCrs = members.crs()
            onCrs(firstCrs, false)
            outside = -1
          } else if (depth === 2 && place === 'inside') {
            start = index
            feature.line = line
          } else if (place === 'after' && (depth === 0 || (depth === 1 && key === 'features'))) secondLine ||= line
          depth++
          break
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          depth--
          if (place === 'inside' && depth === 2) {
            const text = decoder.decode(feature.complete(chunk.subarray(start, index + 1)))
            rows.push(parseFeature(text, ++count))
            start = -1
          } else if (place === 'inside' && depth === 1) {
            if (stray) rows.push(strayValue(++count))
            place = 'after'
            outside = index
          }
          break
        case COMMA:
          if (depth === 1) key = ''
          if (depth === 2 && stray) rows.push(strayValue(++count))
          stray &&= depth !== 2
          break
        default:
          // Anything but white space (0x20 and below) between Features.
          if (depth === 2 && place === 'inside' && byte !== undefined && byte > 0x20) stray = true
      }
    }
    if (start !== -1) feature.keep(chunk.subarray(start))
    if (outside !== -1) members.add(chunk.subarray(outside))
    yield rows
    if (secondLine !== 0)
      throw new ServiceError(
        'bad_input',
        `a second collection of Features begins on line ${secondLine}: split the file`,
      )
  }
  if (place === 'before')
    throw new ServiceError('bad_input', 'not a FeatureCollection: it has no "features" (--format names another format)')
  if (depth > 2)
    throw new ServiceError('bad_input', `the file ends inside the Feature that begins on line ${feature.line}`)
  if (depth !== 0)
    throw new ServiceError('bad_input', `the file ends on line ${line}, before its FeatureCollection does`)
  if (firstCrs === undefined && members.crs() !== undefined) onCrs(members.crs(), true)
}

/** The bytes of the current Feature, which can be spread over several chunks. */
class FeatureBytes {
  /** The line where the Feature begins. */
  line = 0
  #parts: Uint8Array[] = []
  #size = 0

  /** Keeps bytes of a Feature that ends in a later chunk. */
  keep(bytes: Uint8Array): void {
    // The stream may reuse the chunk's memory, so copy what is kept.
    this.#parts.push(new Uint8Array(bytes))
    this.#size += bytes.length
    if (this.#size > MAX_FEATURE_BYTES) {
      throw new ServiceError(
        'bad_input',
        `the Feature that begins on line ${this.line} has no end within ${MAX_FEATURE_BYTES} bytes`,
      )
    }
  }

  /** The whole Feature, which ends with `last`. */
  complete(last: Uint8Array): Uint8Array {
    if (this.#size === 0) return last
    const whole = Buffer.concat([...this.#parts, last])
    this.#parts = []
    this.#size = 0
    return whole
  }
}

/** The text of a collection without its Features. */
class Members {
  #text = ''
  #bytes = 0

  constructor(readonly decoder: Decoder) {}

  add(bytes: Uint8Array): void {
    this.#bytes += bytes.length
    if (this.#bytes <= MAX_MEMBER_BYTES) this.#text += this.decoder.decode(bytes)
  }

  /** The `crs` among the members so far. */
  crs(): unknown {
    return findCrs(this.#text)
  }
}

const findCrs = (text: string): unknown => {
  for (const end of ['', ']}']) {
    try {
      return JSON.parse(text + end).crs
    } catch {
      // The collection is not complete yet, or is not valid JSON apart from the Features.
    }
  }
  return undefined
}

const strayValue = (line: number): ReadRow => ({ line, reason: 'not a GeoJSON Feature but a value of another kind' })
