import { REQUEST_BODY } from '../../../core/bounds'
import { HttpError } from './errors'
import { findJsonExcess } from './json-excess'

interface Reading {
  /** Called before the first byte is read, so that bodies of strangers take no memory. */
  authorize: () => Promise<void>
  /** Called with the body's size. */
  onRead: (bytes: number) => void
}

/**
 * The JSON value of a request's body; null when there is none. Only the declared length is judged before the caller is.
 *
 * @throws HttpError 413 over 1 MiB, 415 when the body is not declared as JSON, 400 when it breaks off, is not JSON, exceeds a bound of
 * `REQUEST_BODY` or has a text that cannot be kept.
 */
export const readJsonBody = async (request: Request, { authorize, onRead }: Reading): Promise<unknown> => {
  if (Number(request.headers.get('content-length') ?? 0) > REQUEST_BODY.bytes) throw tooLarge()
  await authorize()
  const bytes = await readBounded(request)
  onRead(bytes.byteLength)
  if (bytes.byteLength === 0) return null
  const contentType = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (contentType !== 'application/json')
    throw new HttpError(415, 'the body must be JSON, with Content-Type: application/json')
  const excess = findJsonExcess(bytes, REQUEST_BODY)
  if (excess !== null) throw new HttpError(400, `the body ${excess}`)
  const text = decode(bytes)
  try {
    return ODD_ESCAPE.test(text) ? JSON.parse(text, refuseOddText) : JSON.parse(text)
  } catch (error) {
    throw error instanceof HttpError ? error : notJson()
  }
}

const tooLarge = () => new HttpError(413, `the body is larger than ${REQUEST_BODY.bytes} bytes`)

const notJson = () => new HttpError(400, 'the body is not valid JSON in UTF-8')

const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw notJson()
  }
}

/** JSON can spell two things that are no text and that no database keeps: NUL, and half of a surrogate pair. */
const ODD_ESCAPE = /\\u(?:0000|d[89a-f])/i

const refuseOddText = (name: string, value: unknown): unknown => {
  const isOdd = (text: string) => text.includes('\0') || !text.isWellFormed()
  if (isOdd(name) || (typeof value === 'string' && isOdd(value))) {
    throw new HttpError(400, 'the body has a text with a NUL character or half of a surrogate pair in it')
  }
  return value
}

/** Bytes are counted as they come: a length that is declared can be wrong, and chunked bodies declare none. */
const readBounded = async (request: Request): Promise<Uint8Array> => {
  if (request.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of request.body) {
      size += chunk.byteLength
      if (size > REQUEST_BODY.bytes) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    // The stream fails only when its sender does: nobody is left to read this answer.
    throw error instanceof HttpError ? error : new HttpError(400, 'the body breaks off before its end')
  }
  return Buffer.concat(chunks, size)
}
