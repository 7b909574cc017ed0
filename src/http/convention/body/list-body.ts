import { createHash } from 'node:crypto'
import { LIST_BOUNDS } from '../../../../core/bounds'
import { toUuid } from '../../../../core/text/uuid'
import type { ListFormat, Upload } from '../../../../drizzle/queries/matches/uploads'
import { countLines, HEAD_BYTES } from '../../../matches/list-lines'
import { HttpError } from '../errors'
import { contentTypeOf, type Reading, readBytes, readJsonBody } from './body'

/** The media types of lists. */
export const LIST_TYPES: ReadonlyMap<string, ListFormat> = new Map([
  ['text/csv', 'csv'],
  ['text/tab-separated-values', 'csv'],
  ['application/x-ndjson', 'ndjson'],
  ['application/jsonl', 'ndjson'],
])

type SentList = Omit<Upload, 'owner'>

const sent = new WeakMap<Request, SentList>()

/** The list that was sent as the body of a request. Undefined: the body was JSON. */
export const sentListOf = (request: Request): SentList | undefined => sent.get(request)

/**
 * Reads a body that is a list, or JSON. A list becomes `{ upload: ID }`, as if it had been uploaded before. The id is derived from the
 * caller and the bytes.
 *
 * @throws HttpError as `readJsonBody`, and 400 for a picture, a workbook or other bytes that are not text
 */
export const readListBody = async (request: Request, reading: Reading, callerOf: () => string): Promise<unknown> => {
  const format = LIST_TYPES.get(contentTypeOf(request) ?? '')
  if (format === undefined) return readJsonBody(request, reading, [...LIST_TYPES.keys()])
  const content = await readBytes(request, LIST_BOUNDS.bytes, reading)
  if (isBinary(content)) throw new HttpError(400, 'the list is not text: send CSV or NDJSON')
  const upload = { id: idOf(callerOf(), format, content), format, content, lines: countLines(content) }
  sent.set(request, upload)
  return { upload: upload.id }
}

/** Whether bytes are not text. UTF-16 also has zeros, but begins with a byte order mark. */
const isBinary = (content: Uint8Array): boolean => {
  const mark = ((content[0] ?? 0) << 8) | (content[1] ?? 0)
  return mark !== 0xfffe && mark !== 0xfeff && content.subarray(0, HEAD_BYTES).includes(0)
}

/** A UUID of version 8 (RFC 9562, 5.8). */
const idOf = (caller: string, format: ListFormat, content: Uint8Array): string => {
  const hash = createHash('sha256').update(`${caller} ${format}\n`).update(content).digest().subarray(0, 16)
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  return toUuid(hash.toString('hex'))
}
