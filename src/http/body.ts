import { HttpError } from './errors'

/** The largest body that is read. */
const MAX_BODY_BYTES = 1024 * 1024

/**
 * The JSON value of a request's body; null when there is none. `authorize` is called once the size is known to be fine and
 * before anything of the content is judged.
 *
 * @throws HttpError 413 over 1 MiB, 415 when the body is not declared as JSON, 400 when it is not JSON or has a text that cannot be kept.
 */
export const readJsonBody = async (request: Request, authorize: () => Promise<void>): Promise<unknown> => {
  const bytes = await readBounded(request)
  await authorize()
  if (bytes.byteLength === 0) return null
  const contentType = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (contentType !== 'application/json')
    throw new HttpError(415, 'the body must be JSON, with Content-Type: application/json')
  const text = decode(bytes)
  try {
    return ODD_ESCAPE.test(text) ? JSON.parse(text, refuseOddText) : JSON.parse(text)
  } catch (error) {
    throw error instanceof HttpError ? error : notJson()
  }
}

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
  const refuse = () => new HttpError(413, `the body is larger than ${MAX_BODY_BYTES} bytes`)
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES) throw refuse()
  if (request.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body) {
    size += chunk.byteLength
    if (size > MAX_BODY_BYTES) throw refuse()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}
