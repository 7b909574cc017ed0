import { isAscii, isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'
import { ServiceError } from '../../../core/service-error'

/** Decodes text piece by piece. */
export interface Decoder {
  decode: (bytes?: Uint8Array, options?: { stream?: boolean }) => string
}

/** Bytes of a character that a chunk can cut off. */
const MAX_CUT_BYTES = 3

/** Text in one of these is often declared as the other one, and the content tells them apart. */
const CONFUSED = new Set(['utf-8', 'windows-1252'])

/** The code pages of DOS, in which old dBASE tables are. Each byte is a character. */
const DOS = /^(?:cp|ibm|dos|oem)?-?(437|850)$/

/**
 * The name of an encoding: the WHATWG Encoding standard's, or `cp437` and `cp850`. Understands labels such as `1252`, `ANSI 1252`,
 * `8859-1` and `OEM 437`. Null: the encoding is not known.
 */
export const findEncoding = (label: string): string | null => {
  const name = label
    .toLowerCase()
    .replaceAll(/\s/g, '')
    .replace(DOS, 'cp$1')
    .replace(/^(?:ansi|cp|windows)?-?(125\d|874)$/, 'windows-$1')
    .replace(/^8859-?(\d+)$/, 'iso-8859-$1')
    .replace(/^65001$/, 'utf-8')
  if (DOS.test(name)) return name
  try {
    // The type lists fewer labels than the standard and Bun support.
    return new TextDecoder(name as 'utf-8').encoding
  } catch {
    return null
  }
}

/**
 * `encoding`: a label that `findEncoding` knows. Null: it is the one that the file declares, or found in the content. The first
 * characters that are not ASCII decide between UTF-8 and Windows-1252, also if the file declares one of them: text in Windows-1252 is
 * practically never valid UTF-8.
 *
 * @throws ServiceError `bad_input` for an unknown encoding.
 */
export const createDecoder = (encoding: string | null, declared = 'windows-1252'): Decoder => {
  if (encoding === null && CONFUSED.has(declared)) return new SniffingDecoder(declared)
  const name = findEncoding(encoding ?? declared)
  if (name === null)
    throw new ServiceError('bad_input', `there is no encoding "${encoding}". Common ones are utf-8 and windows-1252`)
  if (DOS.test(name)) return { decode: (bytes) => (bytes === undefined ? '' : iconv.decode(bytes, name)) }
  return new TextDecoder(name as 'utf-8')
}

class SniffingDecoder implements Decoder {
  #chosen: TextDecoder | null = null
  #isStart = true
  /** The end of the last chunk, if it has the first characters that are not ASCII, and more bytes decide what they are. */
  #held: Uint8Array = NOTHING

  constructor(readonly declared: string) {}

  decode(bytes: Uint8Array = NOTHING, options: { stream?: boolean } = {}): string {
    if (this.#chosen !== null) return this.#chosen.decode(bytes, options)
    const text = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    this.#held = NOTHING
    if (text.length === 0) return ''
    const utf16 = this.#isStart ? findUtf16(text) : null
    this.#isStart = false
    if (utf16 !== null) this.#chosen = new TextDecoder(utf16)
    else {
      if (isAscii(text)) return ASCII.decode(text)
      const whole = withoutCut(text)
      if (!isUtf8(text) && isAscii(whole)) {
        // A text that ends with its only such character can be in Windows-1252, or a writer cut off a character of UTF-8.
        if (options.stream !== true) return new TextDecoder(this.declared as 'utf-8').decode(text)
        this.#held = text.slice(whole.length)
        return ASCII.decode(whole)
      }
      this.#chosen = new TextDecoder(isUtf8(whole) || isMostlyUtf8(whole) ? 'utf-8' : 'windows-1252')
    }
    return this.#chosen.decode(text, options)
  }
}

/**
 * Whether there are at least as many characters of UTF-8 as bytes that are not valid, as in files that were joined. In Windows-1252, all
 * names in UTF-8 would be garbled silently; in UTF-8, the rows with such bytes are rejected.
 */
const isMostlyUtf8 = (text: Uint8Array): boolean => {
  const characters = new TextDecoder().decode(text).match(/[^\0-\x7f]/gu) ?? []
  return characters.filter((character) => character !== '\ufffd').length * 2 >= characters.length
}

const NOTHING = new Uint8Array()
const ASCII = new TextDecoder()

/** UTF-16 by its byte order mark, or by the zero that is half of an ASCII character. Null: the text is not UTF-16. */
export const findUtf16 = ([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | null => {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0 && second !== undefined)) return 'utf-16be'
  return null
}

/** Without a character at the end that may be incomplete. */
const withoutCut = (bytes: Uint8Array): Uint8Array => {
  for (let length = 1; length <= Math.min(MAX_CUT_BYTES, bytes.length); length++) {
    const byte = bytes[bytes.length - length] as number
    if (byte < 0x80) return bytes
    // The first byte of a character.
    if (byte >= 0xc0) return bytes.subarray(0, bytes.length - length)
  }
  return bytes
}
