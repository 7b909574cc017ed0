import { AREA_BODY, REQUEST_BODY } from '../../../../core/bounds'
import { yieldToOthers } from '../../../../core/concurrency/yield-to-others'
import { HttpError } from '../errors'
import { declaredBytes } from './body-memory'
import { findJsonExcess } from './json-excess'

export interface Reading {
  /** Called before the first byte is read, with the most bytes that will be read. So bodies of unauthorized callers use no memory. */
  authorize: (bytes: number) => Promise<void>
  /** Called with the size of the body. */
  onRead: (bytes: number) => void
}

/**
 * Reads the JSON body of a request; null when there is none. `otherTypes`: media types that the route also takes, for the message. Only
 * the declared length is checked before the caller is authorized.
 *
 * @throws HttpError 413 over 1 MiB. 415 when the body is compressed or not declared as JSON. 400 when it is incomplete, is not JSON, exceeds a limit
 * of `REQUEST_BODY` (an area: `AREA_BODY`) or contains text that cannot be stored.
 */
export const readJsonBody = async (
  request: Request,
  reading: Reading,
  otherTypes: readonly string[] = [],
): Promise<unknown> => {
  const bytes = await readBytes(request, REQUEST_BODY.bytes, reading)
  if (bytes.byteLength === 0) return null
  if (contentTypeOf(request) !== 'application/json')
    throw new HttpError(
      415,
      otherTypes.length === 0
        ? 'the body must be JSON, with Content-Type: application/json'
        : `the body must have one of these as Content-Type: ${['application/json', ...otherTypes].join(', ')}`,
    )
  if (bytes.byteLength > LARGE_BYTES) await yieldToOthers()
  const excess = findJsonExcess(bytes, AREA_PATH.test(request.url) ? AREA_BODY : REQUEST_BODY)
  if (excess !== null) throw new HttpError(400, `the body ${excess}`)
  const text = decode(bytes)
  try {
    return ODD_ESCAPE.test(text) ? JSON.parse(text, refuseOddText) : JSON.parse(text)
  } catch (error) {
    throw error instanceof HttpError ? error : notJson()
  }
}

/** Larger bodies take milliseconds to parse. */
const LARGE_BYTES = 16 * 1024

/** Routes whose bodies have a polygon. It may have more values than other bodies, because numbers cost less than field names. */
const AREA_PATH = /^[^?]*\/(parcels\/within|exports)(\?|$)/

export const contentTypeOf = ({ headers }: Request): string | undefined =>
  headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()

/**
 * Reads a body of at most `most` bytes. Only the declared length is checked before the caller is authorized.
 *
 * @throws HttpError 413 if it is larger, 400 if it is incomplete, 415 if it is compressed
 */
export const readBytes = async (
  request: Request,
  most: number,
  { authorize, onRead }: Reading,
): Promise<Uint8Array<ArrayBuffer>> => {
  if (Number(request.headers.get('content-length') ?? 0) > most) throw tooLarge(most)
  await authorize(declaredBytes(request, most))
  const bytes = await readBounded(request, most)
  onRead(bytes.byteLength)
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity' && bytes.byteLength > 0)
    throw new HttpError(415, `the body must be sent without Content-Encoding, not as ${encoding.slice(0, 60)}`)
  return bytes
}

const tooLarge = (most: number) => new HttpError(413, `the body is larger than ${most} bytes`)

const notJson = () => new HttpError(400, 'the body is not valid JSON in UTF-8')

const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw notJson()
  }
}

/** JSON escapes can encode two things that PostgreSQL cannot store as text: NUL, and half of a surrogate pair. */
const ODD_ESCAPE = /\\u(?:0000|d[89a-f])/i

const refuseOddText = (name: string, value: unknown): unknown => {
  const isOdd = (text: string) => text.includes('\0') || !text.isWellFormed()
  if (isOdd(name) || (typeof value === 'string' && isOdd(value))) {
    throw new HttpError(400, 'the body contains a string with a NUL character or half of a surrogate pair')
  }
  return value
}

/** Counts bytes as they arrive: the declared length can be wrong, and chunked bodies declare none. */
const readBounded = async (request: Request, most: number): Promise<Uint8Array<ArrayBuffer>> => {
  if (request.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of request.body) {
      size += chunk.byteLength
      if (size > most) throw tooLarge(most)
      chunks.push(chunk)
    }
  } catch (error) {
    // The stream fails only when the sender disconnects, so nobody will read this response.
    throw error instanceof HttpError ? error : new HttpError(400, 'the body is incomplete')
  }
  return Buffer.concat(chunks, size)
}
