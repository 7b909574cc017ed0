import { FILE_BOUNDS } from '../../../../core/bounds'
import { HttpError } from '../errors'
import { contentTypeOf, type Reading, readBytes } from './body'

export const FILE_PART_TYPE = 'application/octet-stream'

const sent = new WeakMap<Request, Uint8Array>()

/** The part that was sent as the body of a request. */
export const filePartOf = (request: Request): Uint8Array => sent.get(request) ?? new Uint8Array()

/**
 * Reads a body that is a part of a file. `filePartOf` returns its bytes. The result is an empty object: the route sees it as the body.
 *
 * @throws HttpError 413 over `FILE_BOUNDS.partBytes`, 415 for another media type, 400 if it is incomplete
 */
export const readFilePart = async (request: Request, reading: Reading): Promise<Record<string, never>> => {
  const bytes = await readBytes(request, FILE_BOUNDS.partBytes, reading)
  if (contentTypeOf(request) !== FILE_PART_TYPE)
    throw new HttpError(415, `the body must be a part of the file, with Content-Type: ${FILE_PART_TYPE}`)
  sent.set(request, bytes)
  return {}
}
